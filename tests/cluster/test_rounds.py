"""What a node does with its lease when the database answers, does not, or says that others were quicker (decision 0012)."""

from __future__ import annotations

import pytest

from muster.cluster.plan import Slot
from muster.cluster.rounds import SAFETY, Rounds
from muster.cluster.view import ClusterView
from muster.log.contract import Leader, StorageError
from muster.log.postgres.line import ConnectionLost
from muster.sim.cluster_membership import SimTables
from muster.sim.cluster_store import SimLine
from muster.sim.database import SimDatabase

LEASE_MS = 3_000
TOPIC = "t"


class Place:
    """One node over a simulated database, with a clock that is moved by hand."""

    def __init__(self) -> None:
        self.now_ms = 1_000
        self.database = SimDatabase(lambda: self.now_ms, LEASE_MS)
        self.database.announce(TOPIC, bytes(16), range(2))
        self.breaking: list[bool] = []
        self.rounds = self.node(1)

    def node(self, node_id: int) -> Rounds:
        line = SimLine(self.database, node_id)
        line.breaks_down = lambda: bool(self.breaking) and self.breaking.pop(0)
        tables = SimTables(line, node_id, 1, {})
        return Rounds(tables, node_id, LEASE_MS, lambda: self.now_ms / 1000)

    def round(self, rounds: Rounds | None = None) -> ClusterView | None:
        rounds = rounds or self.rounds
        rounds.begin()
        rounds.renew()
        return rounds.look()

    def leader(self, partition: int = 0) -> Leader:
        row = self.database.partitions[Slot(TOPIC, partition)]
        return Leader(row.owner, row.epoch)


@pytest.fixture
def place() -> Place:
    return Place()


def test_the_first_round_registers_and_takes_what_nobody_owns(place: Place) -> None:
    view = place.round()
    assert view is not None
    assert view.leader(TOPIC, 0) == view.leader(TOPIC, 1) == Leader(1, 1)


def test_a_round_without_news_has_no_view(place: Place) -> None:
    place.round()
    place.round()
    assert place.round() is None


def test_a_lease_is_counted_from_before_the_database_was_asked(place: Place) -> None:
    lease_until_s = place.rounds.begin()
    assert lease_until_s == pytest.approx(1 + LEASE_MS / 1000 * SAFETY)


def test_a_node_that_begins_anew_gets_its_partitions_with_a_new_epoch(place: Place) -> None:
    place.round()
    place.rounds.reclaim()
    view = place.round()
    assert view is not None
    assert view.leader(TOPIC, 0) == Leader(1, 2)


@pytest.mark.parametrize("claim", [[True], [False, True]], ids=["not done", "done without an answer"])
def test_a_claim_whose_connection_broke_is_made_again(place: Place, claim: list[bool]) -> None:
    """It gave up what it had open: without a new epoch it would neither lead nor say that it does not."""
    place.round()
    place.round()
    epoch = place.leader().epoch
    place.rounds.reclaim()
    place.breaking = [False, False, *claim]  # renewing goes well
    with pytest.raises(ConnectionLost):
        place.round()
    view = place.round()
    assert view is not None
    assert view.leader(TOPIC, 0).node_id == 1
    assert view.leader(TOPIC, 0).epoch > epoch


def test_a_claim_is_made_once(place: Place) -> None:
    place.round()
    place.rounds.reclaim()
    place.round()
    epoch = place.leader().epoch
    place.round()
    assert place.leader().epoch == epoch


def test_a_lease_that_is_over_is_noticed_by_the_others(place: Place) -> None:
    place.round()
    other = place.node(2)
    place.round(other)
    for _ in range(4):
        place.now_ms += LEASE_MS // 3
        place.round(other)
    assert [place.leader(0).node_id, place.leader(1).node_id] == [2, 2]


def test_after_the_database_was_away_the_others_get_time_to_renew(place: Place) -> None:
    """Their leases may be over for the same reason."""
    place.round()
    other = place.node(2)
    place.round(other)
    owners = [place.leader(0).node_id, place.leader(1).node_id]
    place.database.is_away = True
    place.database.break_connections([1, 2])
    place.now_ms += 2 * LEASE_MS
    with pytest.raises(StorageError):
        place.round(other)
    other.spare_the_others()
    place.database.is_away = False
    place.round(other)
    assert [place.leader(0).node_id, place.leader(1).node_id] == owners
    place.now_ms += LEASE_MS // 2
    place.round(other)
    assert [place.leader(0).node_id, place.leader(1).node_id] == [2, 2]
