"""The wall clock of a node is set, forward and back: leases, owners, members and workers stay as they are (docs/cluster.md).

Real processes whose `CLOCK_REALTIME` is stepped while they run. The simulator does the same to its nodes (`jump_a_clock`).
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import psycopg
import pytest

from muster.sim.run import simulate
from muster.wire.errors import NONE
from tests.cluster.lone_member import TOPIC, LoneMember
from tests.cluster.node_process import SETTINGS
from tests.cluster.postgres_process import PostgresProcess
from tests.cluster.stage import ClusterStage
from tests.cluster.stepped_clock import CAN_STEP, SteppedClock
from tests.cluster.workers_process import SETTINGS as WORKER_SETTINGS
from tests.cluster.workers_process import WorkersProcess
from tests.interop.waiting import eventually

DAY_S = 86_400
STEPS = (-DAY_S, 40 * DAY_S, 0)
"""By how much the clock is wrong, one after the other."""
LEASE_MS = 6_000
"""Twice the default: a busy machine must not lose it by itself."""

needs_stepped_clock = pytest.mark.skipif(not CAN_STEP, reason="a clock can be stepped on Linux with a C compiler")


def asked(stage: ClusterStage, statement: str, *values: object) -> list[Any]:
    with psycopg.connect(stage.database.url) as connection:
        return connection.execute(statement, values).fetchall()


def owners(stage: ClusterStage) -> list[Any]:
    return sorted(asked(stage, "SELECT topic, partition, owner, epoch FROM muster.partitions"))


def wait_for_renewals(stage: ClusterStage, span_ms: int) -> None:
    """Until every node has renewed its lease for so long."""
    leases = "SELECT node_id, extract(epoch FROM lease_until)::float FROM muster.nodes, pg_sleep(0.05)"
    with psycopg.connect(stage.database.url, autocommit=True) as connection:
        before: dict[int, float] = dict(connection.execute(leases).fetchall())

        def all_renewed(now: dict[int, float]) -> bool:
            return all(now.get(node_id, 0) > until_s + span_ms / 1000 for node_id, until_s in before.items())

        eventually("leases to be renewed", lambda: dict(connection.execute(leases).fetchall()), all_renewed)


def stamped_at_s(stage: ClusterStage, node_id: int) -> float:
    """The wall clock of the node when it wrote last for its groups."""
    rows = asked(
        stage,
        "SELECT appended_at_ms FROM muster.batches JOIN muster.partitions ON partitions.id = partition_id"
        " WHERE topic = %s AND owner = %s ORDER BY base_offset DESC, appended_at_ms DESC",
        TOPIC,
        node_id,
    )
    assert rows, f"node {node_id} has written nothing"
    return float(rows[0][0]) / 1000


@needs_stepped_clock
def test_a_node_of_a_cluster_whose_clock_is_set_keeps_its_lease_and_its_members(tmp_path: Path) -> None:
    settings = {**SETTINGS, "muster.lease.ms": str(LEASE_MS)}
    clocks = {node_id: SteppedClock(tmp_path, f"node{node_id}") for node_id in (1, 2)}
    with PostgresProcess() as database, ClusterStage(tmp_path, database, settings) as stage:
        for node_id, clock in clocks.items():
            stage.prepare(node_id)
            stage.nodes[node_id].environment = clock.environment
        stage.add(*clocks)
        member = LoneMember("steady")
        stage.coordinator_of(member.group)  # who asks first has the partitions made
        stage.wait_for_owners(*clocks)
        # A node that has not heard of it yet names the one that led before, which may not have heard of it either.
        eventually(
            "a coordinator", lambda: member.try_to_join(stage.nodes[stage.coordinator_of(member.group)].port) == NONE
        )
        old = stage.coordinator_of(member.group)
        port = stage.nodes[old].port
        before = owners(stage)
        for number, wrong_by_s in enumerate(STEPS):
            clocks[old].set_wrong_by(wrong_by_s)
            assert (member.beat(port), member.commit(port, number)) == (NONE, NONE)
            assert abs(stamped_at_s(stage, old) - time.time() - wrong_by_s) < DAY_S / 2
            wait_for_renewals(stage, 0)
            assert (member.beat(port), member.committed(port)) == (NONE, (NONE, number))
        wait_for_renewals(stage, LEASE_MS)  # whoever had lost its lease would have been replaced by now
        assert member.beat(port) == NONE
        assert owners(stage) == before
        assert [node.log.count("gives up") for node in stage.nodes.values()] == [0, 0]
        member.close()


@needs_stepped_clock
def test_workers_whose_machine_has_its_clock_set_are_not_taken_for_hung_and_keep_their_members(tmp_path: Path) -> None:
    clock = SteppedClock(tmp_path, "machine")
    settings = {**WORKER_SETTINGS, "muster.worker.silence.ms": "20000"}
    with WorkersProcess(tmp_path, 2, settings=settings, environment=clock.environment) as workers:
        member = LoneMember("steady")
        port = eventually("a coordinator", lambda: member.coordinator_port([workers.port])) or 0
        eventually("its shard to be loaded", lambda: member.committed(port)[0] == NONE)
        member.join(port)
        pids = workers.worker_pids()
        for number, wrong_by_s in enumerate(STEPS):
            clock.set_wrong_by(wrong_by_s)
            assert (member.beat(port), member.commit(port, number)) == (NONE, NONE)
            assert (member.beat(port), member.committed(port)) == (NONE, (NONE, number))
        member.close()
        assert workers.worker_pids() == pids
        assert "hangs" not in workers.log


def test_clocks_that_jump_in_a_simulated_cluster_move_no_partition_and_expel_nobody() -> None:
    calm, jumping = (simulate(5, allowed=frozenset(faults), nodes=3) for faults in ((), ("jump_a_clock",)))
    assert jumping.violations == ()
    assert jumping.epochs == calm.epochs
