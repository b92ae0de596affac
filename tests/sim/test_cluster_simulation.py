"""A cluster under faults that seeds draw: nodes stop, die and are cut off, the database commits and does not answer."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from muster.cluster.plan import Slot
from muster.core.hashing import partition_for
from muster.sim.cluster_faults import CLUSTER_FAULTS
from muster.sim.cluster_world import ClusterWorld
from muster.sim.run import simulate
from tests.forms import seeds_of_this_form

SEEDS = seeds_of_this_form(40)
CHUNK = 10
NODES = 3


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("first", SEEDS[::CHUNK])
def test_no_seed_violates_anything_in_a_cluster(first: int) -> None:
    for seed in range(first, first + CHUNK):
        verdict = simulate(seed, nodes=NODES)
        assert not verdict.violations, f"muster sim --nodes {NODES} --seed {seed} --log\n" + "\n".join(
            verdict.violations
        )


def test_a_run_of_a_cluster_is_not_an_idle_one() -> None:
    """The checkers had something to look at: partitions moved, nodes died, commits were acknowledged all the same."""
    verdicts = [simulate(seed, nodes=NODES) for seed in range(5)]
    assert min(verdict.epochs for verdict in verdicts) > 20
    assert min(verdict.lives for verdict in verdicts) > NODES
    assert min(verdict.generations for verdict in verdicts) >= 3
    assert min(verdict.commits for verdict in verdicts) > 100


def test_without_faults_every_node_has_one_life_and_partitions_stay() -> None:
    verdict = simulate(1, allowed=frozenset(), nodes=NODES)
    assert (verdict.lives, verdict.violations) == (NODES, ())
    assert len({fault.__name__ for fault, _ in CLUSTER_FAULTS}) == len(CLUSTER_FAULTS)


def test_nodes_that_are_told_to_stop_hand_over_and_no_commit_is_lost() -> None:
    """A rolling restart is no fault at all: nobody waits for a lease."""
    verdict = simulate(2, allowed=frozenset({"terminate_a_node"}), nodes=NODES)
    assert verdict.violations == ()
    assert verdict.lives > NODES


@pytest.mark.parametrize("moment_ms", range(21_000, 24_000, 500))
def test_a_node_that_was_frozen_steps_down_before_its_timers_fire(moment_ms: int) -> None:
    """Found by seed 123: it dropped members whose sessions another node had kept alive meanwhile. Whether its lease or a
    session is looked at first depends on the moment."""
    world = ClusterWorld(1, NODES)
    for member in world.members:
        member.start()
    world.scheduler.run_until(moment_ms)
    row = world.database.partitions[Slot("__consumer_offsets", partition_for("group-0", world.partition_count))]
    frozen = world.nodes[row.owner]
    assert frozen.node is not None
    coordinator = frozen.node.coordinator
    assert coordinator.places
    frozen.pause()
    world.scheduler.run_until(moment_ms + 10_000)
    assert row.owner != frozen.node_id
    before = len(world.history.expelled)
    frozen.loop._from_outside.clear()  # nobody asked it anything: requests would make it look at its lease
    frozen.resume()
    assert (len(world.history.expelled), coordinator.places) == (before, {})


def test_two_nodes_are_a_cluster_too() -> None:
    assert simulate(3, nodes=2).violations == ()


def test_a_seed_of_a_cluster_has_the_same_digest_whatever_the_hash_seed() -> None:
    """Law 7: behaviour never depends on the order of a set."""
    digests = set()
    for hash_seed in ("1", "2"):
        output = subprocess.run(
            [sys.executable, "-m", "muster", "sim", "--nodes", str(NODES), "--seed", "7"],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        digests.add(output.splitlines()[-1])
    assert digests == {f"digest {simulate(7, nodes=NODES).digest}"}


def test_a_number_of_servers_that_makes_no_sense_is_refused() -> None:
    command = [sys.executable, "-m", "muster", "sim", "--nodes", "0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "'0' is not a number of servers from 1 to 20" in done.stderr
