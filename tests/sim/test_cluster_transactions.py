"""Transactions over a simulated cluster: coordinators, leaders and clients on nodes that stop, die and cannot reach each other.

The checkers of transactions are proved again where a cluster has another way to break their law.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

import pytest

from muster.core.transactions.replies import AddPartitionsReply
from muster.core.transactions.requests import AddPartitions
from muster.runtime.marker_writer import MarkerWriter
from muster.runtime.remote_questions import RemoteQuestions
from muster.sim.cluster_faults import CLUSTER_FAULTS_WITH_TRANSACTIONS
from muster.sim.run import kinds_of_faults, simulate
from muster.wire.errors import NONE
from tests.forms import interpreted_only, seeds_of_this_form

SEEDS = seeds_of_this_form(20)
CHUNK = 5
NODES = 3
SEEDS_OF_A_MUTATION = 40
"""How many seeds a mutation may hide from."""


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("first", SEEDS[::CHUNK])
def test_no_seed_with_transactions_violates_anything_in_a_cluster(first: int) -> None:
    for seed in range(first, first + CHUNK):
        verdict = simulate(seed, nodes=NODES, transactions=True)
        again = f"muster sim --nodes {NODES} --transactions --seed {seed} --log\n"
        assert not verdict.violations, again + "\n".join(verdict.violations)
        assert verdict.transactions > 10


def test_without_faults_a_transaction_needs_no_second_life_of_any_node() -> None:
    verdict = simulate(1, allowed=frozenset(), nodes=NODES, transactions=True)
    assert (verdict.lives, verdict.violations) == (NODES, ())
    assert verdict.transactions > 50
    assert len(set(kinds_of_faults(NODES, transactions=True))) == len(CLUSTER_FAULTS_WITH_TRANSACTIONS)


# -- faults put into the cluster


def try_markers_once(patch: pytest.MonkeyPatch) -> None:
    """What another node could not take is not sent again."""
    patch.setattr(MarkerWriter, "again", lambda self, marker, *rest: None)


def believe_without_asking(patch: pytest.MonkeyPatch) -> None:
    """Whatever another node coordinates counts as verified."""

    def ask(
        self: RemoteQuestions, node_id: int, asked: AddPartitions, then: Callable[[AddPartitionsReply], None]
    ) -> None:
        then(AddPartitionsReply(NONE, ()))

    patch.setattr(RemoteQuestions, "ask", ask)


MUTATIONS: dict[str, tuple[Callable[[pytest.MonkeyPatch], None], ...]] = {
    "nothing_stays_undecided": (try_markers_once,),
    "nothing_is_written_after_being_fenced": (believe_without_asking,),
}


@interpreted_only
@pytest.mark.parametrize(
    ("name", "mutate"),
    [(name, mutate) for name, mutations in MUTATIONS.items() for mutate in mutations],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_a_fault_in_the_cluster_is_found(
    name: str, mutate: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    mutate(monkeypatch)
    for seed in range(SEEDS_OF_A_MUTATION):
        if any(found.startswith(name) for found in simulate(seed, nodes=NODES, transactions=True).violations):
            return
    pytest.fail(f"{mutate.__name__} went unnoticed in {SEEDS_OF_A_MUTATION} seeds")
