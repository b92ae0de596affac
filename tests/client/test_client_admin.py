"""Every question of `muster.client.admin` against a real broker in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

import pytest

from muster.client import admin
from muster.client.admin import NewRecord, TopicPartition
from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.testing import Broker

T = TypeVar("T")


@pytest.fixture(scope="module")
def broker() -> Iterator[Broker]:
    with Broker() as running:
        yield running


def ask(broker: Broker, question: Callable[[Cluster], Awaitable[T]]) -> T:
    async def conversation() -> T:
        async with Cluster(broker.bootstrap_servers) as cluster:
            return await question(cluster)

    return asyncio.run(conversation())


def test_a_topic_is_made_described_configured_grown_and_deleted(broker: Broker) -> None:
    async def story(cluster: Cluster) -> None:
        await admin.create_topic(cluster, "life", 2, configs={"retention.ms": "1000"})
        (described,) = await admin.describe_topics(cluster, ["life"])
        assert [(each.partition, each.leader, each.replicas) for each in described.partitions] == [
            (0, 1, (1,)),
            (1, 1, (1,)),
        ]
        configs = {each.name: each for each in await admin.topic_configs(cluster, "life")}
        assert (configs["retention.ms"].value, configs["retention.ms"].source) == ("1000", "topic")
        await admin.alter_topic_configs(cluster, "life", {"cleanup.policy": "compact"}, remove=["retention.ms"])
        configs = {each.name: each for each in await admin.topic_configs(cluster, "life")}
        assert configs["cleanup.policy"].value == "compact"
        assert configs["retention.ms"].source == "default"
        await admin.add_partitions(cluster, "life", 4)
        assert await admin.partition_counts(cluster, ["life", "no-such-topic"]) == {"life": 4}
        assert await admin.delete_topics(cluster, ["life"]) == {"life": None}
        assert "life" not in [each.name for each in await admin.list_topics(cluster)]

    ask(broker, story)


def test_validate_only_makes_nothing_and_a_taken_name_is_refused_with_what_to_do(broker: Broker) -> None:
    async def story(cluster: Cluster) -> None:
        await admin.create_topic(cluster, "dry", 1, validate_only=True)
        assert "dry" not in [each.name for each in await admin.list_topics(cluster)]
        await admin.create_topic(cluster, "taken", 1)
        with pytest.raises(ClientError, match=r"create topic taken: TOPIC_ALREADY_EXISTS: .*Choose another name"):
            await admin.create_topic(cluster, "taken", 1)

    ask(broker, story)


def test_internal_topics_are_listed_when_asked_for(broker: Broker) -> None:
    async def story(cluster: Cluster) -> None:
        plain = {each.name for each in await admin.list_topics(cluster)}
        everything = {each.name for each in await admin.list_topics(cluster, internal=True)}
        assert "__consumer_offsets" in everything - plain

    ask(broker, story)


def test_records_come_back_as_they_were_sent_in_every_compression(broker: Broker) -> None:
    async def story(cluster: Cluster) -> None:
        await admin.create_topic(cluster, "codecs", 1)
        sent = [
            NewRecord(f"value {i}".encode() * 20, key=None, headers=(("h", b"x"),), timestamp_ms=i) for i in range(5)
        ]
        for codec in ("none", "gzip", "snappy", "lz4", "zstd"):
            producer = admin.Producer(cluster, compression=codec)
            places = await producer.send("codecs", sent)
            assert [partition for partition, _ in places] == [0] * 5
            fetched = await admin.fetch_records(cluster, "codecs", 0, places[0][1])
            assert [(r.offset, r.timestamp_ms, r.value, r.headers) for r in fetched.records] == [
                (offset, each.timestamp_ms, each.value, each.headers)
                for (_, offset), each in zip(places, sent, strict=True)
            ]
            assert fetched.next_offset == places[-1][1] + 1 == fetched.high_watermark

    ask(broker, story)


def test_a_key_goes_where_java_puts_it_and_the_rest_in_turn(broker: Broker) -> None:
    """Partitions of these keys among 7 by Java's default partitioner (murmur2)."""

    async def story(cluster: Cluster) -> None:
        await admin.create_topic(cluster, "keys", 7)
        producer = admin.Producer(cluster)
        keyed = await producer.send(
            "keys", [NewRecord(b"", key=key) for key in (b"21", b"foobar", b"a-little-bit-long-string")]
        )
        hashes = (-973932308, -790332482, -985981536)
        assert [partition for partition, _ in keyed] == [(each & 0x7FFFFFFF) % 7 for each in hashes]
        unkeyed = await producer.send("keys", [NewRecord(b"") for _ in range(7)])
        assert sorted(partition for partition, _ in unkeyed) == list(range(7))

    ask(broker, story)


def test_a_lost_produce_reply_leads_to_no_second_copy(broker: Broker) -> None:
    """KIP-98: the same sequence number again is answered with the first outcome."""

    async def story(cluster: Cluster) -> list[int]:
        await admin.create_topic(cluster, "once", 1)
        producer = admin.Producer(cluster)
        await producer.send("once", [NewRecord(b"first")])
        broker.faults.drop_reply("Produce")
        ((_, offset),) = await producer.send("once", [NewRecord(b"second")])
        ((_, next_offset),) = await producer.send("once", [NewRecord(b"third")])
        return [offset, next_offset]

    assert ask(broker, story) == [1, 2]
    assert [each.value for each in broker.records("once")] == [b"first", b"second", b"third"]


def test_reading_goes_from_start_to_before_the_end(broker: Broker) -> None:
    async def story(cluster: Cluster) -> list[int]:
        await admin.create_topic(cluster, "span", 1)
        producer = admin.Producer(cluster)
        for value in range(10):
            await producer.send("span", [NewRecord(str(value).encode())])
        return [record.offset async for record in admin.read_records(cluster, "span", 0, 3, 8)]

    assert ask(broker, story) == [3, 4, 5, 6, 7]


def test_offsets_are_listed_by_end_by_time_and_by_the_largest_timestamp(broker: Broker) -> None:
    async def story(cluster: Cluster) -> None:
        await admin.create_topic(cluster, "times", 2)
        await admin.Producer(cluster).send(
            "times", [NewRecord(b"", timestamp_ms=time, partition=0) for time in (1_000, 5_000, 3_000)]
        )
        full, empty = TopicPartition("times", 0), TopicPartition("times", 1)

        async def at(time: int) -> list[int]:
            found = await admin.list_offsets(cluster, {full: time, empty: time})
            return [found[full].offset, found[empty].offset]

        assert await at(admin.EARLIEST) == [0, 0]
        assert await at(admin.LATEST) == [3, 0]
        assert await at(2_000) == [1, -1]
        assert await at(6_000) == [-1, -1]
        assert await at(admin.MAX_TIMESTAMP) == [1, -1]

    ask(broker, story)


def test_an_empty_groups_offsets_are_set_read_deleted_and_the_group_too(broker: Broker) -> None:
    async def story(cluster: Cluster) -> None:
        await admin.create_topic(cluster, "kept", 2)
        first, second = TopicPartition("kept", 0), TopicPartition("kept", 1)
        await admin.commit_offsets(cluster, "tool", {first: 7, second: admin.CommittedOffset(9, 0, "why")})
        committed = await admin.committed_offsets(cluster, "tool")
        assert {place: (each.offset, each.metadata) for place, each in committed.items()} == {
            first: (7, ""),
            second: (9, "why"),
        }
        assert list(await admin.committed_offsets(cluster, "tool", [second])) == [second]
        assert await admin.delete_offsets(cluster, "tool", [first]) == {first: None}
        assert list(await admin.committed_offsets(cluster, "tool")) == [second]
        assert await admin.delete_groups(cluster, ["tool"]) == {"tool": None}
        outcome = await admin.delete_groups(cluster, ["tool"])
        assert outcome["tool"] is not None
        assert outcome["tool"].name == "GROUP_ID_NOT_FOUND"

    ask(broker, story)


def test_a_commit_for_a_topic_that_is_not_there_names_the_partition(broker: Broker) -> None:
    async def story(cluster: Cluster) -> None:
        cluster.patience_seconds = 0.1
        with pytest.raises(ClientError, match=r"commit offsets of group g: UNKNOWN_TOPIC_OR_PARTITION.*nowhere-3"):
            await admin.commit_offsets(cluster, "g", {TopicPartition("nowhere", 3): 1})

    ask(broker, story)


def test_groups_are_listed_by_state_and_described(broker: Broker) -> None:
    async def story(cluster: Cluster) -> None:
        await admin.create_topic(cluster, "listed", 1)
        await admin.commit_offsets(cluster, "quiet", {TopicPartition("listed", 0): 1})
        names = [each.group_id for each in await admin.list_groups(cluster, states=["Empty"])]
        assert "quiet" in names
        assert [each.group_id for each in await admin.list_groups(cluster, states=["Stable"])] == []
        described = await admin.describe_group(cluster, "quiet")
        assert (described.state, described.type, described.members, described.coordinator) == (
            "Empty",
            "classic",
            (),
            1,
        )
        (unknown,) = await admin.describe_groups(cluster, ["never-seen"])
        assert not unknown.exists
        with pytest.raises(ClientError, match="describe group never-seen: GROUP_ID_NOT_FOUND"):
            await admin.describe_group(cluster, "never-seen")

    ask(broker, story)


def test_a_coordinator_that_loads_is_asked_again(broker: Broker) -> None:
    async def story(cluster: Cluster) -> dict[TopicPartition, admin.CommittedOffset]:
        broker.faults.error("OffsetFetch", "COORDINATOR_LOAD_IN_PROGRESS", group="patient")
        broker.faults.error("OffsetFetch", "NOT_COORDINATOR", group="patient")
        broker.faults.drop_request("OffsetFetch", group="patient")
        return await admin.committed_offsets(cluster, "patient")

    assert ask(broker, story) == {}


def test_patience_ends_with_the_last_refusal(broker: Broker) -> None:
    async def story(cluster: Cluster) -> None:
        cluster.patience_seconds = 0.05
        with (
            broker.faults.error("OffsetFetch", "COORDINATOR_LOAD_IN_PROGRESS", times=None, group="waiting"),
            pytest.raises(ClientError, match=r"COORDINATOR_LOAD_IN_PROGRESS.*try again in a moment"),
        ):
            await admin.committed_offsets(cluster, "waiting")

    ask(broker, story)
