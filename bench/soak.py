"""Many members for a long time: 5,000 connections, 10,000 members in 500 groups, heartbeats and commits, rude clients beside.

Every connection carries two members of different groups. Each member heartbeats every three seconds and commits with every other
heartbeat. A member that kept its time and is refused has been expelled: that must not happen. The server's memory must not
grow. `python -m bench.soak [MINUTES]`; the short form is a test.
"""

from __future__ import annotations

import asyncio
import resource
import statistics
import sys
import time
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bench.raw_client import RawConnection, connect, decoded, framed
from bench.rude_clients import RudeClients
from bench.server_process import ServerProcess
from muster.wire.consumer_protocol import Assignment, Subscription, encode_assignment, encode_subscription
from muster.wire.generated.create_topics import CreateTopicsRequest, CreateTopicsRequestTopic
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from muster.wire.generated.heartbeat import HeartbeatRequest
from muster.wire.generated.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from muster.wire.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from muster.wire.generated.sync_group import SyncGroupRequest, SyncGroupRequestAssignment

MINUTES = 10.0
GROUPS = 500
MEMBERS_A_GROUP = 20
SESSION_MS = 30_000
BEAT_SECONDS = 3.0
RUDE_OF_EACH_KIND = 100
GROUPS_AT_A_TIME = 25
MOST_MORE_SECONDS = 60.0
GROWTH_ALLOWED = 1.10
"""Memory of the last quarter against the first: the log's own bookkeeping grows a little, a leak would show as more."""

_SUBSCRIPTION = encode_subscription(Subscription(["orders"]))
_ASSIGNMENT = encode_assignment(Assignment(partitions=(("orders", (0,)),)))
_TOPIC = "orders"
_WITH_ID_REQUIRED = 79


@dataclass
class Soaked:
    """What was seen."""

    members: int = 0
    connections: int = 0
    refused: list[str] = field(default_factory=list)
    """Members that kept their time and were refused: expelled."""
    late: int = 0
    """Members that were refused after this program itself had kept them silent for too long."""
    requests: int = 0
    beat_seconds: array[float] = field(default_factory=lambda: array("f"))
    """Since all groups are formed: before, a heartbeat may have to wait for a join on the same connection."""
    commit_seconds: array[float] = field(default_factory=lambda: array("f"))
    memory_mb: list[float] = field(default_factory=list)
    vanished: int = 0
    bytes_dripped: int = 0

    @property
    def memory_growth(self) -> float:
        """The last quarter's memory as a multiple of the first's."""
        quarter = max(1, len(self.memory_mb) // 4)
        return statistics.median(self.memory_mb[-quarter:]) / statistics.median(self.memory_mb[:quarter])


class Member:
    def __init__(self, group: str, connection: RawConnection) -> None:
        self.group = group
        self.connection = connection
        self.member_id = ""
        self.generation = -1
        self.heard = 0.0
        """When the last request that was answered well was sent."""
        self._committed = 0

    def join_frame(self) -> bytes:
        request = JoinGroupRequest(
            group_id=self.group,
            session_timeout_ms=SESSION_MS,
            rebalance_timeout_ms=60_000,
            member_id=self.member_id,
            protocol_type="consumer",
            protocols=[JoinGroupRequestProtocol("range", _SUBSCRIPTION)],
        )
        return framed("JoinGroup", 9, request)

    def sync_frame(self, plan: Sequence[SyncGroupRequestAssignment]) -> bytes:
        return framed(
            "SyncGroup",
            5,
            SyncGroupRequest(self.group, self.generation, self.member_id, None, "consumer", "range", plan),
        )

    def beat_frame(self) -> bytes:
        return framed("Heartbeat", 4, HeartbeatRequest(self.group, self.generation, self.member_id))

    def commit_frame(self) -> bytes:
        self._committed += 1
        partitions = [OffsetCommitRequestPartition(0, self._committed)]
        topics = [OffsetCommitRequestTopic(_TOPIC, partitions=partitions)]
        return framed(
            "OffsetCommit", 8, OffsetCommitRequest(self.group, self.generation, self.member_id, topics=topics)
        )


async def soak(
    server: ServerProcess,
    seconds: float,
    groups: int = GROUPS,
    members_a_group: int = MEMBERS_A_GROUP,
    rude: int = RUDE_OF_EACH_KIND,
    beat_seconds: float = BEAT_SECONDS,
    enough: Callable[[Soaked], bool] = lambda seen: True,
) -> Soaked:
    """`seconds` long, and on a machine that is too busy longer, until there is `enough`."""
    seen = Soaked()
    connections = [await connect("127.0.0.1", server.port) for _ in range(groups * members_a_group // 2)]
    await _prepare(connections[0])
    members = [
        [
            Member(f"group-{number}", connections[(number * members_a_group + at) % len(connections)])
            for at in range(members_a_group)
        ]
        for number in range(groups)
    ]
    # A connection's second member is in the second half of the groups: a join that waits holds its connection up.
    seen.members, seen.connections = groups * members_a_group, len(connections)
    over = asyncio.Event()
    lives: list[asyncio.Task[None]] = []
    for start in range(0, groups, GROUPS_AT_A_TIME):
        formed = members[start : start + GROUPS_AT_A_TIME]
        await asyncio.gather(*(_form(group) for group in formed))
        lives += [
            asyncio.create_task(_live(member, seen, over, beat_seconds, at * beat_seconds / members_a_group))
            for group in formed
            for at, member in enumerate(group)
        ]
    del seen.beat_seconds[:], seen.commit_seconds[:]
    rude_clients = RudeClients(server.port, rude, drip_seconds=min(1.0, beat_seconds))
    until = time.monotonic() + seconds
    while time.monotonic() < until or not (enough(seen) or time.monotonic() > until + MOST_MORE_SECONDS):
        await asyncio.sleep(min(5.0, seconds / 20))
        seen.memory_mb.append(server.resident_mb())
        seen.vanished, seen.bytes_dripped = rude_clients.vanished, rude_clients.bytes_dripped
    over.set()
    await asyncio.gather(*lives)
    await rude_clients.stop()
    for connection in connections:
        connection.close()
    return seen


async def _prepare(connection: RawConnection) -> None:
    topic = CreateTopicsRequestTopic(_TOPIC, 1, -1)
    await connection.ask("CreateTopics", 5, CreateTopicsRequest([topic], 10_000))
    while True:
        found = await connection.ask("FindCoordinator", 4, FindCoordinatorRequest(coordinator_keys=["group-0"]))
        if found.coordinators[0].error_code == 0:
            return


async def _form(group: list[Member]) -> None:
    """Ids for all, then one rebalance with all of them."""
    for member in group:
        while True:
            answer = decoded("JoinGroup", 9, await member.connection.send(member.join_frame()))
            if answer.error_code == _WITH_ID_REQUIRED:
                break
            assert answer.error_code in (14, 15, 16), f"a join was refused with {answer.error_code}"  # loading
        member.member_id = answer.member_id
    replies = await asyncio.gather(*(member.connection.send(member.join_frame()) for member in group))
    answers = [decoded("JoinGroup", 9, reply) for reply in replies]
    assert {answer.error_code for answer in answers} == {0}, f"joins were refused: {answers}"
    plan = [SyncGroupRequestAssignment(member.member_id, _ASSIGNMENT) for member in group]
    frames = []
    for member, answer in zip(group, answers, strict=True):
        member.generation = answer.generation_id
        frames.append(member.sync_frame(plan if answer.leader == member.member_id else ()))
    synced = await asyncio.gather(*(member.connection.send(frame) for member, frame in zip(group, frames, strict=True)))
    assert {decoded("SyncGroup", 5, reply).error_code for reply in synced} == {0}
    for member in group:
        member.heard = time.monotonic()


async def _live(member: Member, seen: Soaked, over: asyncio.Event, beat_seconds: float, phase_seconds: float) -> None:
    """One member for the whole time, or until it is refused."""
    await asyncio.sleep(phase_seconds)
    turn = 0
    while not over.is_set():
        turn += 1
        asked = time.monotonic()
        answer = decoded("Heartbeat", 4, await member.connection.send(member.beat_frame()))
        seen.beat_seconds.append(time.monotonic() - asked)
        seen.requests += 1
        if answer.error_code:
            if asked - member.heard > SESSION_MS / 1000:
                seen.late += 1
            else:
                seen.refused.append(f"{member.member_id} of {member.group}: error {answer.error_code}")
            return
        member.heard = asked
        if turn % 2 == 0:
            asked = time.monotonic()
            reply = decoded("OffsetCommit", 8, await member.connection.send(member.commit_frame()))
            seen.commit_seconds.append(time.monotonic() - asked)
            seen.requests += 1
            code = reply.topics[0].partitions[0].error_code
            if code:
                seen.refused.append(f"a commit of {member.member_id}: error {code}")
                return
        await asyncio.sleep(max(0.0, beat_seconds - (time.monotonic() - asked)))


def main(minutes: float = MINUTES) -> int:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with ServerProcess("--set", "group.initial.rebalance.delay.ms=1000", "--log-level", "warning") as server:
        cpu = server.cpu_seconds()
        began = time.monotonic()
        seen = asyncio.run(soak(server, minutes * 60))
        cpu, wall = server.cpu_seconds() - cpu, time.monotonic() - began
    requests = seen.requests
    print(f"{seen.members:,} members in {GROUPS} groups on {seen.connections:,} connections, {minutes:g} minutes")
    print(f"  expelled although they kept their time: {len(seen.refused)}; kept silent by this program: {seen.late}")
    print(f"  {requests:,} requests, {requests / wall:,.0f} a second, {cpu * 1e6 / requests:.0f} µs of server CPU each")
    for name, times in (("heartbeat", seen.beat_seconds), ("commit, made durable", seen.commit_seconds)):
        ordered = sorted(times)
        p50, p99, worst = (ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.5, 0.99, 1.0))
        print(
            f"  {name}: p50 {p50 * 1e3:.1f} ms, p99 {p99 * 1e3:.1f} ms, longest {worst * 1e3:.0f} ms, as the client saw it"
        )
    print(f"  server memory {seen.memory_mb[0]:.0f} MB at first, {seen.memory_mb[-1]:.0f} MB at last")
    print(
        f"  beside them {3 * RUDE_OF_EACH_KIND} rude clients: {seen.vanished:,} vanished, {seen.bytes_dripped:,} bytes dripped"
    )
    for line in seen.refused[:10]:
        print(f"  {line}")
    passed = not seen.refused and seen.memory_growth < GROWTH_ALLOWED
    print(
        "passed" if passed else f"FAILED: {len(seen.refused)} expelled, memory grew to {seen.memory_growth:.2f} times"
    )
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main(*(float(text) for text in sys.argv[1:])))
