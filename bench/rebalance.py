"""A group of 1,000 members: forming it in one rebalance, and the rebalance that a newcomer causes, phase by phase.

Figures of a warm Apache Kafka 4.3.1 on the same kind of machine are recorded here, not measured again: from the first
join to the last sync 135 ms and 180 µs of server CPU a member. The load comes from one Python process on the other
core, which is part of the wall time.
"""

from __future__ import annotations

import asyncio
import time

from bench.raw_client import RawConnection, connect, decoded, framed
from bench.server_process import ServerProcess
from muster.wire.consumer_protocol import Assignment, Subscription, encode_assignment, encode_subscription
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from muster.wire.generated.join_group import JoinGroupRequest, JoinGroupRequestProtocol, JoinGroupResponse
from muster.wire.generated.sync_group import SyncGroupRequest, SyncGroupRequestAssignment

MEMBERS = 1_000
ROUNDS = 7
KAFKA_WALL_MS = 135
KAFKA_CPU_US = 180
JOIN_VERSION, SYNC_VERSION = 9, 5

_SUBSCRIPTION = encode_subscription(Subscription(["topic"]))
_ASSIGNMENT = encode_assignment(Assignment(partitions=(("topic", (0,)),)))


def main() -> None:
    with ServerProcess("--set", "group.initial.rebalance.delay.ms=200") as server:
        asyncio.run(_measure(server))


async def _measure(server: ServerProcess) -> None:
    connections = [await connect("127.0.0.1", server.port) for _ in range(MEMBERS + ROUNDS)]
    await _coordinator_there(connections[0])
    ids = await _hand_out_ids(connections[:MEMBERS])
    began, cpu = time.perf_counter(), server.cpu_seconds()
    generation = await _rebalance(connections, ids)
    print(f"{MEMBERS} members form a group in one rebalance (generation {generation})")
    print(f"  {(time.perf_counter() - began) * 1e3:.0f} ms, of which 200 ms initial delay;", end=" ")
    print(f"server CPU {(server.cpu_seconds() - cpu) * 1e6 / MEMBERS:.0f} µs a member")
    print(f"a newcomer rebalances the group, {ROUNDS} times: join phase + sync phase, server CPU a member")
    walls, costs = [], []
    for round_ in range(ROUNDS):
        (newcomer,) = await _hand_out_ids([connections[MEMBERS + round_]])
        ids.append(newcomer)
        cpu, began = server.cpu_seconds(), time.perf_counter()
        generation, joined = await _joined(connections, ids)
        middle = time.perf_counter()
        await _synced(connections, ids, joined)
        end = time.perf_counter()
        cost = (server.cpu_seconds() - cpu) * 1e6 / len(ids)
        walls.append((end - began) * 1e3)
        costs.append(cost)
        print(
            f"  {(middle - began) * 1e3:6.1f} + {(end - middle) * 1e3:6.1f} ms   {cost:5.0f} µs   generation {generation}"
        )
    wall, cost = sorted(walls)[ROUNDS // 2], sorted(costs)[ROUNDS // 2]
    print(f"  median {wall:.0f} ms, {cost:.0f} µs a member; Kafka {KAFKA_WALL_MS} ms, {KAFKA_CPU_US} µs:", end=" ")
    print(f"{wall / KAFKA_WALL_MS:.2f} of its time, {cost / KAFKA_CPU_US:.2f} of its CPU")
    print(f"  server memory {server.resident_mb():.0f} MB")
    for connection in connections:
        connection.close()


async def _coordinator_there(connection: RawConnection) -> None:
    while True:
        found = await connection.ask("FindCoordinator", 4, FindCoordinatorRequest(coordinator_keys=["load"]))
        if found.coordinators[0].error_code == 0:
            return


def _join(member_id: str) -> bytes:
    return framed(
        "JoinGroup",
        JOIN_VERSION,
        JoinGroupRequest(
            group_id="load",
            session_timeout_ms=60_000,
            rebalance_timeout_ms=60_000,
            member_id=member_id,
            protocol_type="consumer",
            protocols=[JoinGroupRequestProtocol("range", _SUBSCRIPTION)],
        ),
    )


async def _hand_out_ids(connections: list[RawConnection]) -> list[str]:
    frame = _join("")
    replies = await asyncio.gather(*(connection.send(frame) for connection in connections))
    return [decoded("JoinGroup", JOIN_VERSION, reply).member_id for reply in replies]


async def _rebalance(connections: list[RawConnection], ids: list[str]) -> int:
    generation, joined = await _joined(connections, ids)
    await _synced(connections, ids, joined)
    return generation


async def _joined(connections: list[RawConnection], ids: list[str]) -> tuple[int, JoinGroupResponse]:
    """Everybody joins, the newest first. Returns the generation and an answer that names the leader."""
    frames = [_join(member_id) for member_id in ids]
    order = range(len(ids) - 1, -1, -1)
    replies = await asyncio.gather(*(connections[index].send(frames[index]) for index in order))
    answers = [decoded("JoinGroup", JOIN_VERSION, reply) for reply in replies]
    assert {answer.error_code for answer in answers} == {0}, "somebody was refused"
    assert len({answer.generation_id for answer in answers}) == 1, "not one generation"
    return answers[0].generation_id, answers[0]


async def _synced(connections: list[RawConnection], ids: list[str], joined: JoinGroupResponse) -> None:
    plan = [SyncGroupRequestAssignment(member_id, _ASSIGNMENT) for member_id in ids]

    def frame(member_id: str) -> bytes:
        return framed(
            "SyncGroup",
            SYNC_VERSION,
            SyncGroupRequest(
                group_id="load",
                generation_id=joined.generation_id,
                member_id=member_id,
                protocol_type="consumer",
                protocol_name="range",
                assignments=plan if member_id == joined.leader else [],
            ),
        )

    replies = await asyncio.gather(*(connections[index].send(frame(ids[index])) for index in range(len(ids))))
    errors = {decoded("SyncGroup", SYNC_VERSION, reply).error_code for reply in replies}
    assert errors == {0}, f"syncs were refused: {errors}"
