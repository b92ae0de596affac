"""Every checker of the cluster catches what it is there for: a hand-made history, and a fault put into node or database.

The checkers of one node are proved again where a cluster has another way to break their law.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

import pytest

from muster.cluster.rounds import Rounds
from muster.runtime.cluster_seat import ClusterSeat
from muster.sim.checkers import violations
from muster.sim.cluster_checkers import ALL_CHECKERS, CLUSTER_CHECKERS
from muster.sim.cluster_store import SimCommit
from muster.sim.database import PartitionRow, SimDatabase
from muster.sim.history import Acked, Appended, History, Joined, Synced
from muster.sim.run import simulate
from tests.forms import interpreted_only

SEEDS = 40
"""How many seeds a mutation may hide from."""
LOG = ("__consumer_offsets", 0)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def appended(node: int, epoch: int, owner: int | None = None, row_epoch: int | None = None) -> Appended:
    row_owner = node if owner is None else owner
    return Appended(LOG, epoch, node, epoch if row_epoch is None else row_epoch, row_owner, 0)


HISTORIES: dict[str, list[History]] = {
    "only_the_owner_appends": [
        History(appended=[appended(1, 4, owner=2)]),
        History(appended=[appended(1, 4, row_epoch=5)]),
    ],
    "epochs_only_grow_in_a_log": [
        History(appended=[appended(1, 4), appended(1, 3)]),
        History(appended=[appended(1, 4), appended(2, 4)]),
    ],
    "one_node_acknowledges_in_an_epoch": [History(acked=[Acked(1, "g", 0, 1, 1, 4), Acked(2, "g", 0, 2, 2, 4)])],
    "no_synced_generation_is_lost": [
        History(
            synced=[Synced(3, "g", 5, "a", b"", None, at_ms=10)],
            joined=[Joined(20, 4, "g", 4, "a", "a", "range", asked_ms=11)],
        )
    ],
}


def test_there_are_histories_for_every_checker_of_the_cluster() -> None:
    assert list(HISTORIES) == [checker.__name__ for checker in CLUSTER_CHECKERS]


@pytest.mark.parametrize("name", HISTORIES)
def test_a_bad_history_of_a_cluster_is_found_by_its_checker_and_no_other(name: str) -> None:
    for history in HISTORIES[name]:
        assert [found.split(":")[0] for found in violations(history, ALL_CHECKERS)] == [name]


def test_a_good_history_of_a_cluster_is_left_alone() -> None:
    history = History(
        appended=[appended(1, 1), appended(1, 1), appended(2, 2), appended(1, 5)],
        acked=[Acked(1, "g", 0, 1, 1, 4), Acked(2, "g", 0, 2, 2, 5), Acked(3, "h", 0, 2, 1, 5)],
        synced=[Synced(3, "g", 5, "a", b"", None, at_ms=10)],
        joined=[
            Joined(20, 4, "g", 5, "a", "a", "range", asked_ms=11),
            Joined(20, 4, "g", 4, "b", "b", "range", asked_ms=9),
            Joined(20, 4, "h", 1, "c", "c", "range", asked_ms=30),
        ],
    )
    assert violations(history, ALL_CHECKERS) == []


# -- faults put into the cluster


def fence_without_epoch(patch: pytest.MonkeyPatch) -> None:
    """The end of the log is all that is compared."""

    def holds(self: SimDatabase, row: PartitionRow, node_id: int, share: object) -> bool:
        return bool(row.end_offset == share.batches[0].base_offset)  # type: ignore[attr-defined]

    patch.setattr(SimDatabase, "_holds", holds)


def fence_without_anything(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(SimDatabase, "_holds", lambda self, row, node_id, share: True)


def moves_begin_no_epoch(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(PartitionRow, "give_to", lambda self, owner, *moment: setattr(self, "owner", owner))


def answers_before_the_database_has_it(patch: pytest.MonkeyPatch) -> None:
    from muster.runtime.group_commit import GroupCommit

    def hasty(self: GroupCommit, log: object, end_offset: int, callback: Callable[[None], None]) -> None:
        self._loop.call_later(0.5, self._begin)
        self._loop.call_soon(callback, None)

    patch.setattr(GroupCommit, "when_durable", hasty)


def lease_ignored(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ClusterSeat, "may_speak", lambda self: self.is_seated)
    patch.setattr(ClusterSeat, "_check_lease", lambda self: None)
    patch.setattr(ClusterSeat, "step_down_if_late", lambda self: None)


def gives_up_for_good(patch: pytest.MonkeyPatch) -> None:
    """Whoever lost its connection never claims its partitions again."""
    patch.setattr(Rounds, "reclaim", lambda self: None)


def lost_reply_counts_as_success(patch: pytest.MonkeyPatch) -> None:
    def believe(self: SimCommit, why: Exception) -> None:
        self._is_abandoned = True
        self._failure = None
        self._taken = {share.partition_id for _, share in self._shares}

    patch.setattr(SimCommit, "fail", believe)


MUTATIONS: dict[str, list[Callable[[pytest.MonkeyPatch], None]]] = {
    "only_the_owner_appends": [fence_without_epoch, fence_without_anything],
    "epochs_only_grow_in_a_log": [fence_without_anything, moves_begin_no_epoch],
    "one_node_acknowledges_in_an_epoch": [moves_begin_no_epoch],
    "no_synced_generation_is_lost": [lost_reply_counts_as_success],
    "no_acknowledged_commit_is_lost": [lease_ignored, answers_before_the_database_has_it],
    "groups_become_stable_when_faults_end": [gives_up_for_good],
}


def test_there_is_a_mutation_for_every_checker_of_the_cluster() -> None:
    assert {checker.__name__ for checker in CLUSTER_CHECKERS} <= set(MUTATIONS)


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
    for seed in range(SEEDS):
        if any(found.startswith(name) for found in simulate(seed, nodes=3).violations):
            return
    pytest.fail(f"{mutate.__name__} went unnoticed in {SEEDS} seeds")
