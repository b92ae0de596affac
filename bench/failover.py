"""How long a group is without its coordinator: from SIGKILL, and from SIGTERM, to the first heartbeat and the first commit
that a new owner accepts. Three nodes, a PostgreSQL that syncs to disk, the default lease unless told otherwise.

`python -m bench.failover [ROUNDS] [LEASE_MS]` prints median and largest of each. Promised: lease + 1 s for a kill, 1 s for a stop.
"""

from __future__ import annotations

import shutil
import signal
import statistics
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from time import perf_counter

from muster.wire.errors import NONE
from tests.cluster.lone_member import LoneMember
from tests.cluster.node_process import SETTINGS
from tests.cluster.postgres_process import PostgresProcess
from tests.cluster.stage import ClusterStage
from tests.interop.waiting import eventually

NODES = (1, 2, 3)
GROUPS = 30
"""With a commit each, so that there is something to load."""


def main(rounds: int = 10, lease_ms: int = 3_000) -> None:
    home = Path(tempfile.mkdtemp(prefix="muster-failover-"))
    settings = {**SETTINGS, "muster.lease.ms": str(lease_ms), "offsets.topic.num.partitions": "50"}
    try:
        with PostgresProcess(is_synced=True) as database, ClusterStage(home, database, settings) as stage:
            stage.add(*NODES)
            _fill(stage)
            for name, number in (("SIGKILL", signal.SIGKILL), ("SIGTERM", signal.SIGTERM)):
                beats, commits = zip(*(_measure(stage, number) for _ in range(rounds)), strict=True)
                print(f"{name} to the first accepted heartbeat ({rounds} rounds, lease {lease_ms} ms): {_shown(beats)}")
                print(f"{name} to the first accepted commit: {_shown(commits)}", flush=True)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _fill(stage: ClusterStage) -> None:
    for number in range(GROUPS):
        with closing(LoneMember(f"group-{number}")) as member:
            _seat(stage, member)


def _seat(stage: ClusterStage, member: LoneMember) -> int:
    """Joined and with a commit; returns the coordinator's node id."""

    def join() -> int:
        return member.try_to_join(stage.nodes[stage.coordinator_of(member.group)].port)

    eventually("a coordinator", join, lambda code: code == NONE)
    node_id = stage.coordinator_of(member.group)
    assert member.commit(stage.nodes[node_id].port, 1) == NONE
    return node_id


def _measure(stage: ClusterStage, number: signal.Signals) -> tuple[float, float]:
    """Seconds to the first heartbeat and to the first commit that another node takes."""
    stage.wait_for_owners(*NODES)
    with closing(LoneMember(f"measured-{perf_counter()}")) as member:
        old = _seat(stage, member)
        others = [node.port for node_id, node in stage.nodes.items() if node_id != old]
        began = perf_counter()
        stage.nodes[old].signal(number)
        beat_s = _when(began, lambda: member.beats_somewhere(others))
        commit_s = _when(began, lambda: member.commit(member.coordinator_port(others) or others[0], 2) == NONE)
    if number == signal.SIGTERM:
        stage.nodes[old].wait_until_stopped()
    stage.nodes[old].kill()
    stage.add(old)
    return beat_s, commit_s


def _when(began: float, holds: Callable[[], bool]) -> float:
    eventually("the new owner", holds)
    return perf_counter() - began


def _shown(seconds: tuple[float, ...]) -> str:
    return f"median {statistics.median(seconds):.2f} s, largest {max(seconds):.2f} s"


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
