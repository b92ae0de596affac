"""How heartbeats fare while the database of a cluster says nothing: `python -m bench.frozen_database [SECONDS] [LEASE_MS]`.

One node over a PostgreSQL of its own. Before the freeze and during it a member beats without a pause, on one connection; during it
every kind of request that needs the database is sent too, each on a connection of its own, and all of them wait. The node's lease
is longer than the freeze: with a shorter one it would say NOT_COORDINATOR when that is over, as it should.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from time import perf_counter

from bench.machine import machine
from muster.wire.errors import NONE
from muster.wire.generated.produce import ProduceRequest
from tests.cluster.database_requests import Question, questions
from tests.cluster.frozen_stage import RIGHTS, frozen, has_answer, joined, set_up
from tests.cluster.lone_member import LoneMember
from tests.cluster.node_process import SETTINGS
from tests.cluster.postgres_process import PostgresProcess
from tests.cluster.stage import ClusterStage
from tests.server.raw_client import RawClient, request_frame


def main(seconds: int = 10, lease_ms: int = 60_000) -> None:
    home = Path(tempfile.mkdtemp(prefix="muster-frozen-"))
    settings = {**SETTINGS, **RIGHTS, "muster.lease.ms": str(lease_ms)}
    try:
        with PostgresProcess(is_synced=True) as database, ClusterStage(home, database, settings) as stage:
            epoch = set_up(stage)
            with closing(joined(stage, "measured")) as member:
                _measure(stage, member, seconds, epoch)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _measure(stage: ClusterStage, member: LoneMember, seconds: float, epoch: int) -> None:
    port = stage.nodes[1].port
    print(f"{machine()}, load average {os.getloadavg()[0]:.1f}")
    print(f"the database answers:              {_shown(_beats(member, port, seconds))}", flush=True)
    asked = [(each, RawClient(port)) for each in questions(epoch)]
    for each, client in asked:
        _import(each, client)
    with frozen(stage.database):
        for each, client in asked:
            client.send(request_frame(each.api, each.version, each.message))
        taken_ms = _beats(member, port, seconds)
        waiting = sum(not has_answer(client) for _, client in asked)
    print(f"it is frozen, {waiting:2} requests wait for it: {_shown(taken_ms)}")
    for each, client in asked:
        with client:
            client.read(each.api, each.version)
    print("it is back, and all of them are answered")


def _import(question: Question, client: RawClient) -> None:
    """A server reads the code of an API when its first request comes, in the loop; that is not what is measured here."""
    nothing = ProduceRequest(acks=-1) if question.api == "Produce" else type(question.message)()
    client.ask(question.api, question.version, nothing)


def _beats(member: LoneMember, port: int, seconds: float) -> list[float]:
    """How long each took, in ms."""
    taken: list[float] = []
    until = perf_counter() + seconds
    while (began := perf_counter()) < until:
        assert member.beat(port) == NONE
        taken.append((perf_counter() - began) * 1000)
    return taken


def _shown(taken_ms: list[float]) -> str:
    ordered = sorted(taken_ms)
    p50, p99 = ordered[len(ordered) // 2], ordered[len(ordered) * 99 // 100]
    return f"{len(ordered)} heartbeats, p50 {p50:.2f} ms, p99 {p99:.2f} ms, longest {ordered[-1]:.1f} ms"


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
