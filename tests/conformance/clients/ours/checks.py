"""What `muster.client` must be able to do at any broker: records, topics, groups, and membership in all its turns."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import AsyncExitStack

from muster.client import admin
from muster.client.admin import NewRecord, TopicPartition
from muster.client.cluster import Cluster
from muster.client.group_calls import Terms
from muster.client.member import Member
from muster.client.membership import Membership
from muster.core.assignors.choice import COOPERATIVE_STICKY, RANGE, STICKY, assignor_named
from tests.conformance.clients.ours.jobs import Jobs
from tests.conformance.clients.ours.probe import Probe, refused, until

SESSION_MS = 6_000
HEARTBEAT_MS = 100


def member(cluster: Cluster, group: str, topics: Sequence[str], **options: object) -> Member:
    given = {"session_timeout_ms": SESSION_MS, "heartbeat_interval_ms": HEARTBEAT_MS, **options}
    return Member(cluster, group, topics, **given)  # type: ignore[arg-type]


async def records(probe: Probe) -> None:
    cluster = probe.cluster
    await admin.create_topic(cluster, "ours-records", 2, replication=1)
    for codec in ("none", "gzip", "snappy", "lz4", "zstd"):
        sent = [NewRecord(f"{codec} {i}".encode(), key=str(i).encode(), headers=(("h", b"v"),)) for i in range(6)]
        places = await admin.Producer(cluster, compression=codec).send("ours-records", sent)
        probe.saw(f"places with {codec}", places)
        for (partition, offset), each in zip(places, sent, strict=True):
            fetched = await admin.fetch_records(cluster, "ours-records", partition, offset)
            first = fetched.records[0]
            assert (first.offset, first.key, first.value) == (offset, each.key, each.value), first
            assert first.headers == each.headers
    probe.saw("refused", await refused(admin.fetch_records(cluster, "ours-records", 0, 10_000)))


async def listed_offsets(probe: Probe) -> None:
    cluster = probe.cluster
    await admin.create_topic(cluster, "ours-times", 1, replication=1)
    times = (1_000, 5_000, 3_000)
    await admin.Producer(cluster).send("ours-times", [NewRecord(b"", timestamp_ms=each) for each in times])
    place = TopicPartition("ours-times", 0)
    found = {}
    for name, time in (
        ("earliest", admin.EARLIEST),
        ("latest", admin.LATEST),
        ("largest timestamp", admin.MAX_TIMESTAMP),
        ("2 s", 2_000),
        ("6 s", 6_000),
    ):
        found[name] = (await admin.list_offsets(cluster, {place: time}))[place].offset
    assert found == {"earliest": 0, "latest": 3, "largest timestamp": 1, "2 s": 1, "6 s": -1}, found


async def topics(probe: Probe) -> None:
    cluster = probe.cluster
    await admin.create_topic(cluster, "ours-topic", 2, replication=1, configs={"retention.ms": "1000"})
    probe.saw("again", await refused(admin.create_topic(cluster, "ours-topic", 2, replication=1)))
    probe.saw("bad name", await refused(admin.create_topic(cluster, "no/such/name", 1, replication=1)))
    await admin.add_partitions(cluster, "ours-topic", 3)
    probe.saw("fewer partitions", await refused(admin.add_partitions(cluster, "ours-topic", 1)))
    await until("it has three partitions", lambda: _count(cluster, "ours-topic", 3))
    await admin.alter_topic_configs(cluster, "ours-topic", {"cleanup.policy": "compact"}, remove=["retention.ms"])

    async def is_altered() -> bool:
        configs = {each.name: each for each in await admin.topic_configs(cluster, "ours-topic")}
        return configs["cleanup.policy"].value == "compact" and configs["retention.ms"].source == "default"

    await until("its configuration is altered", is_altered)
    probe.saw("bad config", await refused(admin.alter_topic_configs(cluster, "ours-topic", {"retention.ms": "soon"})))
    assert (await admin.delete_topics(cluster, ["ours-topic"])) == {"ours-topic": None}
    await until("it is gone", lambda: _count(cluster, "ours-topic", 0))


async def groups(probe: Probe) -> None:
    cluster = probe.cluster
    await admin.create_topic(cluster, "ours-groups", 2, replication=1)
    places = [TopicPartition("ours-groups", number) for number in range(2)]
    await admin.commit_offsets(cluster, "ours-empty", {places[0]: 3, places[1]: admin.CommittedOffset(4, -1, "why")})
    committed = await admin.committed_offsets(cluster, "ours-empty")
    assert {place: (each.offset, each.metadata) for place, each in committed.items()} == {
        places[0]: (3, ""),
        places[1]: (4, "why"),
    }
    described = await admin.describe_group(cluster, "ours-empty")
    probe.saw("an empty group", (described.state, described.type, described.protocol_type, described.members))
    async with member(cluster, "ours-busy", ["ours-groups"]) as busy:
        await busy.stable()
        described = await admin.describe_group(cluster, "ours-busy")
        (seen,) = described.members
        assert (seen.topics, seen.assignment) == (("ours-groups",), tuple(places)), seen
        probe.saw("a busy group", (described.state, described.type, described.assignor, seen.client_id))
        states = {each.group_id: each.state for each in await admin.list_groups(cluster, states=["Stable"])}
        assert states == {"ours-busy": "Stable"}, states
        outcome = await admin.delete_groups(cluster, ["ours-busy", "ours-nobody"])
        probe.saw("deleting others", [failure and failure.name for failure in outcome.values()])
        kept = await admin.delete_offsets(cluster, "ours-busy", places[:1])
        probe.saw("deleting offsets that are in use", [failure and failure.name for failure in kept.values()])
    assert await admin.delete_offsets(cluster, "ours-empty", places[:1]) == {places[0]: None}
    assert await admin.delete_groups(cluster, ["ours-empty"]) == {"ours-empty": None}
    probe.saw("an unknown group", await refused(admin.describe_group(cluster, "ours-empty")))


async def shared(probe: Probe, assignor: str) -> None:
    """One joins, another comes, the first goes."""
    cluster, topic, group = probe.cluster, f"ours-{assignor}", f"ours-{assignor}"
    await admin.create_topic(cluster, topic, 4, replication=1)
    known = [assignor_named(assignor)]
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(member(cluster, group, [topic], assignors=known))
        await first.stable()
        assert len(first.assignment) == 4, first
        second = await stack.enter_async_context(member(cluster, group, [topic], assignors=known))
        await until("they share", lambda: _have(2, first, second))
        assert not first.assignment & second.assignment
        await first.commit(dict.fromkeys(first.assignment, 5))
        kept = second.assignment
        await first.stop("has seen enough")
        await until("the other has all", lambda: _have(4, second))
        assert assignor not in ("sticky", "cooperative-sticky") or kept < second.assignment
        assert {each.offset for each in (await second.committed()).values()} == {5}


async def static_restart(probe: Probe) -> None:
    cluster = probe.cluster
    await admin.create_topic(cluster, "ours-static", 2, replication=1)
    one = member(cluster, "ours-static", ["ours-static"], instance_id="one")
    async with member(cluster, "ours-static", ["ours-static"], instance_id="two") as two:
        async with one:
            await until("they share", lambda: _have(1, one, two))
            generation, had = two.generation, one.assignment
        async with member(cluster, "ours-static", ["ours-static"], instance_id="one") as again:
            await again.stable()
            assert (again.assignment, again.generation, two.generation) == (had, generation, generation)
            async with member(cluster, "ours-static", ["ours-static"], instance_id="one") as usurper:
                await usurper.stable()
                probe.saw("the one who was there before", await refused(again.ended()))


async def expelled(probe: Probe) -> None:
    """A member that is silent for too long loses its place and what it held, and comes back."""
    cluster = probe.cluster
    await admin.create_topic(cluster, "ours-expelled", 1, replication=1)
    told: list[str] = []
    silent = member(
        cluster,
        "ours-expelled",
        ["ours-expelled"],
        session_timeout_ms=1_000,
        heartbeat_interval_ms=3_600_000,
        on_assigned=lambda places: told.append("assigned"),
        on_revoked=lambda places: told.append("revoked"),
        on_lost=lambda places: told.append("lost"),
    )
    async with silent:
        await silent.stable()

        async def is_empty() -> bool:
            return (await admin.describe_group(cluster, "ours-expelled")).state == "Empty"

        await until("it is expelled", is_empty)
        probe.saw("its commit", await refused(silent.commit({TopicPartition("ours-expelled", 0): 1})))
        await silent.stable(2)
        assert told == ["assigned", "lost", "assigned"], told


async def topic_grows(probe: Probe) -> None:
    cluster = probe.cluster
    await admin.create_topic(cluster, "ours-growing", 1, replication=1)
    async with member(cluster, "ours-growing", ["ours-growing"], metadata_max_age_ms=100) as grown:
        await grown.stable()
        await admin.add_partitions(cluster, "ours-growing", 3)
        await until("it has all three", lambda: _have(3, grown))


async def own_protocol(probe: Probe) -> None:
    """A protocol type of one's own, of which the broker sees only bytes."""
    cluster = probe.cluster
    terms = Terms("ours-jobs", Jobs.protocol_type, None, SESSION_MS, 30_000)
    workers = [Jobs(["a", "b", "c", "d"]) for _ in range(2)]
    memberships = [Membership(cluster, terms, each, heartbeat_interval_ms=HEARTBEAT_MS) for each in workers]
    for each in memberships:
        each.start()

    async def is_shared() -> bool:
        return sorted(job for each in workers for job in each.mine) == ["a", "b", "c", "d"] and all(
            len(each.mine) == 2 for each in workers
        )

    await until("jobs are shared", is_shared)
    described = await admin.describe_group(cluster, "ours-jobs")
    probe.saw("described", (described.state, described.protocol_type, described.assignor))
    shares = sorted(json.loads(each.assignment_bytes) for each in described.members)
    assert shares == sorted(each.mine for each in workers), shares
    await asyncio.gather(*(each.leave() for each in memberships))


async def mismatches(probe: Probe) -> None:
    cluster = probe.cluster
    await admin.create_topic(cluster, "ours-mismatch", 1, replication=1)
    async with member(cluster, "ours-mismatch", ["ours-mismatch"], assignors=[RANGE]) as there:
        await there.stable()
        wrong: dict[str, dict[str, object]] = {
            "no assignor in common": {"assignors": [STICKY]},
            "session too short": {"session_timeout_ms": 1},
            "session too long": {"session_timeout_ms": 2_000_000_000},
        }
        for name, options in wrong.items():
            async with member(cluster, "ours-mismatch", ["ours-mismatch"], **options) as other:
                probe.saw(name, await refused(other.stable()))
    async with member(cluster, "", ["ours-mismatch"], assignors=[COOPERATIVE_STICKY]) as nameless:
        probe.saw("no group name", await refused(nameless.stable()))


async def _have(count: int, *members: Member) -> bool:
    return all(len(each.assignment) == count for each in members) and len({each.generation for each in members}) == 1


async def _count(cluster: Cluster, topic: str, count: int) -> bool:
    return (await admin.partition_counts(cluster, [topic])).get(topic, 0) == count
