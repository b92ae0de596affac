"""How heartbeats fare while the database of a cluster says nothing: `python -m bench.frozen_database [SECONDS] [LEASE_MS]`.

One node over a PostgreSQL of its own. Before the freeze and during it a member beats every 2 ms, on one connection; a beat is
measured from when it was due, so that all that wait behind a slow one count. During the freeze every kind of request that needs the
database is sent too, each on a connection of its own, and all of them wait. The node's lease is longer than the freeze: with a
shorter one it would say NOT_COORDINATOR when that is over, as it should.
Exit code 1 if the p99 of the freeze is over 50 ms, or if a request did not wait; 2 if it was over 50 ms before the freeze, too.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from time import perf_counter, sleep
from typing import Final

from bench.machine import machine
from muster.wire.errors import NONE
from tests.cluster.coordinator_requests import all_questions, prepare
from tests.cluster.database_requests import Question
from tests.cluster.frozen_stage import PATIENT, frozen, has_answer, joined, read_code, set_up
from tests.cluster.lone_member import LoneMember
from tests.cluster.postgres_process import PostgresProcess
from tests.cluster.stage import ClusterStage
from tests.server.raw_client import RawClient, request_frame

EVERY_S: Final = 0.002
LOOK_AFTER_S: Final = 2
"""Transactions wait for five seconds and are then told COORDINATOR_NOT_AVAILABLE, as by Kafka."""
P99_LIMIT_MS: Final = 50.0
FAILED: Final = 1
CANNOT_TELL: Final = 2


def main(seconds: int = 10, lease_ms: int = 60_000) -> int:
    home = Path(tempfile.mkdtemp(prefix="muster-frozen-"))
    settings = {**PATIENT, "muster.lease.ms": str(lease_ms), "offsets.commit.timeout.ms": str(lease_ms)}
    try:
        with PostgresProcess(is_synced=True) as database, ClusterStage(home, database, settings) as stage:
            epoch = set_up(stage)
            asked = all_questions(epoch, prepare(stage))
            with closing(joined(stage, "measured")) as member:
                return _measure(stage, member, seconds, asked)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _measure(stage: ClusterStage, member: LoneMember, seconds: float, wanted: Sequence[Question]) -> int:
    port = stage.nodes[1].port
    print(f"{machine()}, load average {os.getloadavg()[0]:.1f}")
    before_ms = _beats(member, port, seconds)
    print(f"the database answers:              {_shown(before_ms)}", flush=True)
    asked = [(each, RawClient(port)) for each in wanted]
    for each, client in asked:
        read_code(each, client)
    with frozen(stage.database):
        for each, client in asked:
            client.send(request_frame(each.api, each.version, each.message))
        taken_ms = _beats(member, port, LOOK_AFTER_S)
        waiting = sum(not has_answer(client) for _, client in asked)
        taken_ms += _beats(member, port, seconds - LOOK_AFTER_S)
    print(f"it is frozen, {waiting:2} requests wait for it: {_shown(taken_ms)}")
    for each, client in asked:
        with client:
            client.read(each.api, each.version)
    print("it is back, and all of them are answered")
    if waiting < len(asked):
        print(f"{len(asked) - waiting} requests did not wait for the database", file=sys.stderr)
        return FAILED
    return _verdict(_percentile(before_ms, 99), _percentile(taken_ms, 99))


def _verdict(before_ms: float, frozen_ms: float) -> int:
    if frozen_ms <= P99_LIMIT_MS:
        return 0
    print(f"p99 is {frozen_ms:.1f} ms, and may be {P99_LIMIT_MS:.0f}", file=sys.stderr)
    if before_ms <= P99_LIMIT_MS:
        return FAILED
    print("it was over that before the freeze, too: measure again when the machine is less busy", file=sys.stderr)
    return CANNOT_TELL


def _beats(member: LoneMember, port: int, seconds: float) -> list[float]:
    """How long each took, in ms."""
    taken: list[float] = []
    began = perf_counter()
    for number in range(round(seconds / EVERY_S)):
        due = began + number * EVERY_S
        sleep(max(0.0, due - perf_counter()))
        assert member.beat(port) == NONE
        taken.append((perf_counter() - due) * 1000)
    return taken


def _shown(taken_ms: list[float]) -> str:
    p50, p99, longest = _percentile(taken_ms, 50), _percentile(taken_ms, 99), max(taken_ms)
    when_s = taken_ms.index(longest) * EVERY_S
    return (
        f"{len(taken_ms)} heartbeats, p50 {p50:.2f} ms, p99 {p99:.2f} ms, longest {longest:.1f} ms after {when_s:.1f} s"
    )


def _percentile(taken_ms: Sequence[float], percent: int) -> float:
    return sorted(taken_ms)[len(taken_ms) * percent // 100]


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
