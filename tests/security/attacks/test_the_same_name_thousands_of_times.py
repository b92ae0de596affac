"""A request of some kilobytes lists the same large thing again and again: the reply is bounded before it is built."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from muster.server.limits import MOST_ENTRIES, MOST_REPEATS, TOPICS_CREATED_AT_ONCE
from muster.server.reply_size import TooMuchAsked, check_entries
from muster.wire.apis import API_KEYS, request_decoder, request_encoder
from muster.wire.errors import WireError
from muster.wire.generated.delete_records import (
    DeleteRecordsRequest,
    DeleteRecordsRequestPartition,
    DeleteRecordsRequestTopic,
)
from muster.wire.generated.describe_configs import DescribeConfigsRequest, DescribeConfigsRequestResource
from muster.wire.generated.describe_groups import DescribeGroupsRequest
from muster.wire.generated.fetch import FetchRequest, FetchRequestPartition, FetchRequestTopic
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from muster.wire.generated.metadata import MetadataRequest, MetadataRequestTopic
from muster.wire.generated.offset_commit import OffsetCommitRequest, OffsetCommitRequestTopic
from muster.wire.generated.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestGroupTopic,
    OffsetFetchRequestTopic,
)
from tests.security.attacks.victim import Victim
from tests.server.broker.whole_server import batch, create, produce, whole_server
from tests.server.groups.group_client import GroupClient
from tests.server.groups.muster_process import MusterProcess
from tests.server.raw_client import RawClient, request_frame

TIMES = 2 * MOST_REPEATS
METADATA = "m" * 4_000


def whole(group: str) -> OffsetFetchRequestGroup:
    return OffsetFetchRequestGroup(group, topics=None)


def partitions(*numbers: int) -> OffsetFetchRequestGroupTopic:
    return OffsetFetchRequestGroupTopic("orders", partition_indexes=list(numbers))


ATTACKS: dict[str, tuple[str, int, Any]] = {
    "a group described": ("DescribeGroups", 5, DescribeGroupsRequest(["g"] * TIMES)),
    "all offsets of a group": ("OffsetFetch", 8, OffsetFetchRequest(groups=[whole("g")] * TIMES)),
    "a partition of a group": (
        "OffsetFetch",
        8,
        OffsetFetchRequest(groups=[OffsetFetchRequestGroup("g", topics=[partitions(*([0] * TIMES))])]),
    ),
    "a topic of a group": (
        "OffsetFetch",
        8,
        OffsetFetchRequest(groups=[OffsetFetchRequestGroup("g", topics=[partitions(0)] * TIMES)]),
    ),
    "a topic of a group, in many groups": (
        "OffsetFetch",
        8,
        OffsetFetchRequest(groups=[OffsetFetchRequestGroup("g", topics=[partitions(0)])] * TIMES),
    ),
    "a topic, in one request for one group": (
        "OffsetFetch",
        7,
        OffsetFetchRequest(group_id="g", topics=[OffsetFetchRequestTopic("orders", [0])] * TIMES),
    ),
    "a broker's settings": (
        "DescribeConfigs",
        4,
        DescribeConfigsRequest([DescribeConfigsRequestResource(4, "1", None)] * TIMES, True, True),
    ),
    "a broker's settings, the id in many ways": (
        "DescribeConfigs",
        4,
        DescribeConfigsRequest(
            [DescribeConfigsRequestResource(4, "0" * n + "1", None) for n in range(200)], True, True
        ),
    ),
    "a topic's settings": (
        "DescribeConfigs",
        4,
        DescribeConfigsRequest([DescribeConfigsRequestResource(2, "orders", None)] * TIMES, True, True),
    ),
    "a coordinator": ("FindCoordinator", 4, FindCoordinatorRequest(key_type=0, coordinator_keys=["g"] * TIMES)),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_reply_that_would_repeat_very_much_is_not_built(tmp_path: Path, attack: str) -> None:
    """4 KB of DescribeGroups gave 400 MB and took 1.2 GB; OffsetFetch 402 MB; DescribeConfigs 19 MB."""
    with MusterProcess(tmp_path / "data") as server, server.client() as client:
        server.create_topic("orders", 100)
        client.commit("g", *(("orders", partition, 1) for partition in range(100)), metadata=METADATA)
        joined = client.join("g", protocols=[("range", b"x" * 200_000)]).answer()
        client.join("g", joined.member_id, protocols=[("range", b"x" * 200_000)]).answer()
        api, version, message = ATTACKS[attack]
        with RawClient(server.port) as attacker:
            attacker.send(request_frame(api, version, message))
            assert attacker.is_closed_by_server()
        with GroupClient(server.port) as honest:
            assert honest.describe("g").error_code == 0
        assert peak_megabytes(server) < 250


def peak_megabytes(server: MusterProcess) -> float:
    status = Path(f"/proc/{server._process.pid}/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1024


def test_a_few_repeats_are_answered_as_kafka_answers_them(tmp_path: Path) -> None:
    """T146a, T177a: as often as they are listed. The same for settings."""
    with MusterProcess(tmp_path / "data") as server, server.client() as client:
        server.create_topic("orders", 3)
        client.commit("g", ("orders", 0, 7))
        reply = client.call("DescribeGroups", 5, DescribeGroupsRequest(["g", "x", "g"]))
        assert sorted(group.group_id for group in reply.groups) == ["g", "g", "x"]
        reply = client.call("OffsetFetch", 8, OffsetFetchRequest(groups=[whole("g"), whole("g")]))
        assert [group.topics[0].partitions[0].committed_offset for group in reply.groups] == [7, 7]
        resources = [DescribeConfigsRequestResource(4, name, ["node.id"]) for name in ("1", "01", "1")]
        reply = client.call("DescribeConfigs", 4, DescribeConfigsRequest(resources))
        assert [(each.resource_name, len(each.configs)) for each in reply.results] == [("1", 1), ("01", 1), ("1", 1)]


def test_metadata_names_a_topic_once_however_it_is_asked_for() -> None:
    with whole_server() as server, RawClient(server.port) as client:
        topic_id = create(client, "t", 100)
        asked = [MetadataRequestTopic(topic_id, f"another name {number}") for number in range(50)]
        (topic,) = client.ask("Metadata", 12, MetadataRequest(asked)).topics
        assert (topic.name, len(topic.partitions)) == ("t", 100)


def test_one_metadata_request_makes_few_topics() -> None:
    """Each is a directory and a durable write. A client asks again for those that are not there yet."""
    with whole_server() as server, RawClient(server.port) as client:
        names = [MetadataRequestTopic(name=f"made-{number}") for number in range(3 * TOPICS_CREATED_AT_ONCE)]
        request = MetadataRequest(names, allow_auto_topic_creation=True)
        made = [[topic.error_code for topic in client.ask("Metadata", 9, request).topics].count(0) for _ in range(3)]
        assert made == [TOPICS_CREATED_AT_ONCE * times for times in (1, 2, 3)]


def test_a_fetch_reads_a_partition_once_as_its_last_entry_says() -> None:
    with whole_server() as server, RawClient(server.port) as client:
        create(client, "t", 2)
        produce(client, "t", batch(b"one"))
        produce(client, "t", batch(b"two"))

        def entry(partition: int, offset: int) -> FetchRequestPartition:
            return FetchRequestPartition(partition, fetch_offset=offset, partition_max_bytes=1_000)

        topics = [
            FetchRequestTopic("t", partitions=[entry(0, 0), entry(1, 0), entry(0, 0)]),
            FetchRequestTopic("t", partitions=[entry(0, 1)]),
        ]
        reply = client.ask("Fetch", 12, FetchRequest(max_bytes=10_000, topics=topics))
        (topic,) = reply.responses
        assert [partition.partition_index for partition in topic.partitions] == [0, 1]
        assert b"two" in topic.partitions[0].records
        assert b"one" not in topic.partitions[0].records


def test_records_are_deleted_once_up_to_the_last_offset_of_a_partition() -> None:
    with whole_server() as server, RawClient(server.port) as client:
        create(client, "t")
        for _ in range(3):
            produce(client, "t", batch(b"x"))
        topics = [
            DeleteRecordsRequestTopic("t", [DeleteRecordsRequestPartition(0, 3), DeleteRecordsRequestPartition(0, 1)]),
            DeleteRecordsRequestTopic("t", [DeleteRecordsRequestPartition(0, 2)]),
        ]
        (topic,) = client.ask("DeleteRecords", 2, DeleteRecordsRequest(topics)).topics
        assert [(each.partition_index, each.low_watermark) for each in topic.partitions] == [(0, 2)]


@pytest.mark.parametrize(
    "request_of",
    [
        lambda names: DescribeGroupsRequest(names),
        lambda names: MetadataRequest([MetadataRequestTopic(name=name) for name in names]),
        lambda names: OffsetFetchRequest(groups=[OffsetFetchRequestGroup("g", topics=[partitions()] * len(names))]),
    ],
)
def test_entries_are_counted_in_all_arrays_together(request_of: Callable[[list[str]], Any]) -> None:
    check_entries(request_of(["x"] * 1_999), 2_000)
    with pytest.raises(TooMuchAsked, match="more than 2000 entries"):
        check_entries(request_of(["x"] * 2_001), 2_000)


@pytest.mark.parametrize(
    "request_of",
    [
        (MetadataRequest([MetadataRequestTopic(name="")] * (MOST_ENTRIES + 1)), "Metadata", 4),
        (
            OffsetCommitRequest("g", topics=[OffsetCommitRequestTopic("", partitions=[])] * (MOST_ENTRIES + 1)),
            "OffsetCommit",
            8,
        ),
    ],
)
def test_an_array_that_is_too_long_is_refused_before_its_items_become_objects(request_of: tuple[Any, str, int]) -> None:
    """Two million empty names in 4 MB of a Metadata request took a second to decode."""
    request, name, version = request_of
    encoded = request_encoder(API_KEYS[name], version)(request)
    with pytest.raises(WireError, match=f"an array of {MOST_ENTRIES + 1} items is too long"):
        request_decoder(API_KEYS[name], version)(encoded, 0)


def test_a_request_that_is_no_produce_has_a_limit_of_its_own(tmp_path: Path) -> None:
    """90 MB of names became some thirty million objects. It is refused as soon as it says what it is."""
    with Victim(tmp_path) as victim, victim.client() as client:
        client.send((90_000_000).to_bytes(4, "big") + b"\0\3\0\4\0\0\0\1\xff\xff" + bytes(100_000))
        assert client.is_closed_by_server()
        assert "muster.request.max.bytes = 4194304" in victim.said()


def test_a_request_that_lists_more_than_may_be_served_at_once_ends_its_connection_and_names_the_setting(
    tmp_path: Path,
) -> None:
    """50,000 names kept everybody else waiting for a fifth of a second."""
    request = MetadataRequest([MetadataRequestTopic(name=f"topic-{number}") for number in range(10_001)])
    with Victim(tmp_path) as victim, victim.client() as client:
        client.send(request_frame("Metadata", 4, request))
        assert client.is_closed_by_server()
        assert "more than 10000 entries" in victim.said()
        assert "muster.request.max.entries" in victim.said()
