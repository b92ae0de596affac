"""What our members of consumer groups (KIP-848) must be able to do at any broker: `protocol="consumer"` in all its turns."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, Final

from muster.client import admin
from muster.client.admin import NewRecord, TopicPartition
from muster.client.cluster import Cluster
from muster.client.member import Member
from muster.client.membership_base import Phase
from muster.core.assignors.choice import COOPERATIVE_STICKY
from muster.wire.generated.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from muster.wire.generated.leave_group import LeaveGroupRequest, LeaveGroupRequestMember
from tests.client.readers import Reader
from tests.conformance.clients.ours.probe import Probe, refused, until

CLASSIC: Final[dict[str, Any]] = {"assignors": [COOPERATIVE_STICKY], "heartbeat_interval_ms": 100}
CONSUMER: Final[dict[str, Any]] = {"protocol": "consumer"}


async def shared(probe: Probe, assignor: str) -> None:
    """One joins, another comes, the first goes."""
    cluster, name = probe.cluster, await _topic(probe, f"ours-consumers-{assignor}", 4)
    told: list[str] = []
    first = _member(cluster, name, told, assignor=assignor)
    async with first:
        await until("it has all", lambda: _have([4], first))
        described = await admin.describe_group(cluster, name)
        probe.saw("described", (described.state, described.type, described.assignor))
        async with _member(cluster, name, [], assignor=assignor) as second:
            await until("they share", lambda: _have([2, 2], first, second))
            probe.saw("what the first was told", told)
            probe.saw("what each has", [sorted(map(str, each.assignment)) for each in (first, second)])
            await first.commit(dict.fromkeys(first.assignment, 5))
            kept = second.assignment
            await first.stop()
            await until("the other has all", lambda: _have([4], second))
            assert kept < second.assignment
            assert [each.offset for each in (await second.committed()).values()] == [5, 5]


async def static_restart(probe: Probe) -> None:
    cluster, name = probe.cluster, await _topic(probe, "ours-consumers-static", 2)
    told: list[str] = []
    async with _member(cluster, name, told, instance_id="two") as two:
        async with _member(cluster, name, [], instance_id="one") as one:
            await until("they share", lambda: _have([1, 1], one, two))
            epoch, had, before = two.generation, one.assignment, list(told)
        async with _member(cluster, name, [], instance_id="one") as again:
            await again.stable()
            assert (again.assignment, again.generation, two.generation) == (had, epoch, epoch)
            assert told == before
            async with _member(cluster, name, [], instance_id="one") as usurper:
                failure = await refused(usurper.stable())
                probe.saw("who takes an instance id that is taken", failure.split(":")[0])
            await again.stop(stay_static=False)
        await until("the other has all", lambda: _have([2], two))


async def removed(probe: Probe) -> None:
    """By an administrator."""
    cluster, name = probe.cluster, await _topic(probe, "ours-consumers-removed", 1)
    told: list[str] = []
    async with _member(cluster, name, told) as member:
        await until("it has all", lambda: _have([1], member))
        leave = LeaveGroupRequest(name, members=[LeaveGroupRequestMember(member.member_id, None, "out")])
        await cluster.ask_coordinator(name, "LeaveGroup", leave)
        await until("it is told and has all again", lambda: _was_told(3, told))
        assert told == [f"assigned {name}-0", f"lost {name}-0", f"assigned {name}-0"], told


async def fenced(probe: Probe) -> None:
    """Somebody else speaks with its id, and the epoch goes on without it."""
    cluster, name = probe.cluster, await _topic(probe, "ours-consumers-fenced", 1)
    told: list[str] = []
    async with _member(cluster, name, told) as member:
        await until("it has all", lambda: _have([1], member))
        for number in range(100):
            topics = [name, f"other-{number}"]
            said = ConsumerGroupHeartbeatRequest(
                name, member.member_id, member.generation, subscribed_topic_names=topics, topic_partitions=[]
            )
            await cluster.ask_coordinator(name, "ConsumerGroupHeartbeat", said)
            if f"lost {name}-0" in told:
                break
            await asyncio.sleep(0.05)
        await until("it is told and has all again", lambda: _was_told(3, told))
        assert told == [f"assigned {name}-0", f"lost {name}-0", f"assigned {name}-0"], told


async def killed(probe: Probe) -> None:
    name = await _topic(probe, "ours-consumers-killed", 2)
    address = f"{probe.node.host}:{probe.node.port}"
    victim = _member(Cluster(address), name, [])
    async with _member(probe.cluster, name, []) as other:
        victim.start()
        await until("they share", lambda: _have([1, 1], victim, other))
        await victim.membership._stop_tasks()
        await victim.cluster.close()
        await until("the other has all", lambda: _have([2], other))


async def by_expression(probe: Probe) -> None:
    cluster = probe.cluster
    await _topic(probe, "ours-expr-a", 2)
    await _topic(probe, "not-ours-expr-a", 2)
    async with _member(cluster, "ours-expr", [], topics=(), topic_regex="ours-expr-[ab]") as member:
        await until("it has what there is", lambda: _have([2], member))
        await _topic(probe, "ours-expr-b", 1)
        await until("it has what came later", lambda: _have([3], member))


async def topic_grows(probe: Probe) -> None:
    cluster, name = probe.cluster, await _topic(probe, "ours-consumers-growing", 1)
    async with _member(cluster, name, []) as grown:
        await grown.stable()
        await admin.add_partitions(cluster, name, 3)
        await until("it has all three", lambda: _have([3], grown))


async def mismatches(probe: Probe) -> None:
    cluster, name = probe.cluster, await _topic(probe, "ours-consumers-mismatch", 1)
    wrong: dict[str, dict[str, Any]] = {
        "no such assignor": {"assignor": "sticky"},
        "an empty instance id": {"instance_id": " "},
        "an empty rack": {"rack_id": ""},
    }
    for what, options in wrong.items():
        async with _member(cluster, name, [], **options) as other:
            probe.saw(what, await refused(other.stable()))
    async with _member(cluster, name, [], topics=(), topic_regex="(") as other:
        failure = await refused(other.stable())
        probe.saw("no expression", failure.split(":")[0])
    async with _member(cluster, "", [], topics=[name]) as nameless:
        probe.saw("no group name", await refused(nameless.stable()))


async def both_protocols(probe: Probe) -> None:
    """Upgraded by the first member of the new protocol, and a classic group again when the last of them goes."""
    cluster, name = probe.cluster, await _topic(probe, "ours-both-protocols", 4)
    async with Member(cluster, name, [name], **CLASSIC) as old:
        await until("the classic one has all", lambda: _have([4], old))
        async with Member(cluster, name, [name], **CONSUMER) as new:
            await until("they share", lambda: _have([2, 2], old, new))
            probe.saw("with both", (await admin.describe_group(cluster, name)).type)
        await until("the classic one has all again", lambda: _have([4], old))
        probe.saw("after that", (await admin.describe_group(cluster, name)).type)


async def migration(probe: Probe) -> None:
    """A running group, member by member: no record is lost, none is read again after it was committed."""
    cluster, name = probe.cluster, await _topic(probe, "ours-migration", 4)
    read: Counter[bytes] = Counter()
    sent = 0

    async def produce() -> None:
        nonlocal sent
        await admin.Producer(cluster).send(name, [NewRecord(b"%d" % n, key=b"%d" % n) for n in range(sent, sent + 40)])
        sent += 40

    async def is_read() -> bool:
        return len(read) == sent

    readers = [Reader(cluster, read, name, name, **CLASSIC) for _ in range(2)]
    for each in readers:
        each.member.start()
    for style in (CONSUMER, CONSUMER, CLASSIC, CLASSIC):
        await until("they share", lambda: _hold([2, 2], readers))
        await produce()
        await until("all is read", is_read)
        readers.append(Reader(cluster, read, name, name, **style))
        readers[-1].member.start()
        await produce()
        await until("three share", lambda: _hold([1, 1, 2], readers))
        await readers.pop(0).member.stop()
        probe.saw(f"group after exchange with {len(probe.sightings)}", (await admin.describe_group(cluster, name)).type)
    await until("all is read", is_read)
    await asyncio.gather(*(each.member.stop() for each in readers))
    assert [value for value, times in read.items() if times > 1] == []
    committed = await admin.committed_offsets(cluster, name)
    assert sum(each.offset for each in committed.values()) == sent, committed


def _member(cluster: Cluster, group: str, told: list[str], **options: Any) -> Member:
    def tell(word: str, places: frozenset[TopicPartition]) -> None:
        """An empty share is not noted: Kafka's coordinator may hear of a new topic after its first subscriber."""
        if places:
            told.append(" ".join([word, *map(str, sorted(places))]))

    return Member(
        cluster,
        group,
        options.pop("topics", [group]),
        protocol="consumer",
        on_assigned=lambda places: tell("assigned", places),
        on_revoked=lambda places: tell("revoked", places),
        on_lost=lambda places: tell("lost", places),
        **options,
    )


async def _topic(probe: Probe, name: str, partitions: int) -> str:
    await admin.create_topic(probe.cluster, name, partitions, replication=1)
    return name


async def _have(counts: list[int], *members: Member) -> bool:
    return (
        sorted(len(each.assignment) for each in members) == counts
        and len({each.generation for each in members}) == 1
        and all(each.membership.phase is Phase.STABLE for each in members)
    )


async def _was_told(times: int, told: list[str]) -> bool:
    return len(told) >= times


async def _hold(counts: list[int], readers: list[Reader]) -> bool:
    held = [each.member.assignment for each in readers]
    return sorted(map(len, held)) == counts and len(frozenset[TopicPartition]().union(*held)) == sum(counts)
