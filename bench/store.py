"""Committed offsets a second and how long each takes, with the store on files and on PostgreSQL, both synced to disk.

One node; members on connections of their own commit one offset after the other, each to a group of its own. Group commit makes the
difference between one member and many: all that came in a tick is one sync, or one statement.
`python -m bench.store [SECONDS]`
"""

from __future__ import annotations

import asyncio
import sys
import time
from dataclasses import dataclass

from bench.raw_client import RawConnection, connect
from bench.server_process import ServerProcess
from muster.wire.errors import NONE
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from muster.wire.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tests.cluster.postgres_process import PostgresProcess
from tests.cluster.stage import muster

MEMBERS = (1, 16, 128)
SECONDS = 5.0
TOPIC = "__consumer_offsets"
"""Offsets are kept for topics that exist."""


@dataclass(slots=True)
class Result:
    commits_a_second: float
    median_ms: float
    p99_ms: float
    cpu_us: float


def main(seconds: float = SECONDS) -> None:
    print("| store | members | commits/s | median | p99 | CPU of the node per commit |")
    print("|---|---|---|---|---|---|")
    with ServerProcess() as server:
        _table("files", server, seconds)
    with PostgresProcess(is_synced=True) as database:
        muster("store", "migrate", database.url)
        with ServerProcess("--store", database.url) as server:
            _table("postgres", server, seconds)


def _table(store: str, server: ServerProcess, seconds: float) -> None:
    for members in MEMBERS:
        result = asyncio.run(_measure(server, members, seconds))
        print(
            f"| {store} | {members} | {result.commits_a_second:,.0f} | {result.median_ms:.1f} ms | {result.p99_ms:.1f} ms "
            f"| {result.cpu_us:.0f} µs |",
            flush=True,
        )


async def _measure(server: ServerProcess, members: int, seconds: float) -> Result:
    connections = [await connect("127.0.0.1", server.port) for _ in range(members)]
    for number in range(members):
        await _find(connections[number], f"group-{number}")
    took: list[float] = []
    cpu, began = server.cpu_seconds(), time.perf_counter()
    await asyncio.gather(
        *(_commit_on(connections[number], f"group-{number}", began + seconds, took) for number in range(members))
    )
    elapsed, used = time.perf_counter() - began, server.cpu_seconds() - cpu
    for connection in connections:
        connection.close()
    took.sort()
    return Result(
        len(took) / elapsed, took[len(took) // 2] * 1e3, took[int(len(took) * 0.99)] * 1e3, used / len(took) * 1e6
    )


async def _find(connection: RawConnection, group: str) -> None:
    deadline = time.perf_counter() + 30
    while time.perf_counter() < deadline:
        found = await connection.ask("FindCoordinator", 2, FindCoordinatorRequest(key=group))
        if found.error_code == NONE and await _commit(connection, group, 0) == NONE:
            return
        await asyncio.sleep(0.05)
    raise RuntimeError(f"no coordinator for {group} in 30 s")


async def _commit_on(connection: RawConnection, group: str, until: float, took: list[float]) -> None:
    offset = 0
    while (began := time.perf_counter()) < until:
        offset += 1
        code = await _commit(connection, group, offset)
        if code != NONE:
            raise RuntimeError(f"a commit of {group} was refused with error {code}")
        took.append(time.perf_counter() - began)


async def _commit(connection: RawConnection, group: str, offset: int) -> int:
    partition = OffsetCommitRequestPartition(
        partition_index=0, committed_offset=offset, committed_leader_epoch=-1, committed_metadata=""
    )
    request = OffsetCommitRequest(
        group_id=group,
        generation_id_or_member_epoch=-1,
        member_id="",
        topics=[OffsetCommitRequestTopic(name=TOPIC, partitions=[partition])],
    )
    answer = await connection.ask("OffsetCommit", 6, request)
    return int(answer.topics[0].partitions[0].error_code)


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
