"""Leases and owners in a real PostgreSQL: nodes come, go, die and freeze; every partition has one owner (decision 0012)."""

from __future__ import annotations

import queue
from collections import Counter
from collections.abc import Callable, Iterator
from math import inf
from time import monotonic
from typing import Protocol
from uuid import uuid4

import pytest

from muster.cluster import ownership
from muster.cluster.membership import Membership
from muster.cluster.ownership import Registration
from muster.cluster.plan import Slot
from muster.cluster.rounds import NodeIdTaken
from muster.cluster.view import ClusterView
from muster.log.contract import Leader
from muster.log.postgres.schema import CHANNEL
from muster.log.postgres.store import PostgresStore
from tests.log.batches import TOPIC_ID
from tests.log.postgres_server import empty_database

pytestmark = pytest.mark.usefixtures("patient")

LEASE_MS = 3_000
"""Long: a busy machine must not lose it by itself."""
SHORT_LEASE_MS = 600
"""For who is to lose it."""
PATIENCE_S = 60


class Member:
    """A node's membership, and the views that its loop would be given."""

    def __init__(self, url: str, node_id: int, lease_ms: int) -> None:
        me = Registration(node_id, uuid4(), {"PLAINTEXT": (f"host{node_id}", 9092)}, None, "test", lease_ms)
        self.views: queue.Queue[ClusterView] = queue.Queue()
        self.troubles: queue.Queue[str] = queue.Queue()
        self.lease_until_s = 0.0
        self.membership = Membership(url, me, self._deliver, self.troubles.put)
        self.membership.start()

    def _deliver(self, view: ClusterView | None, lease_until_s: float) -> None:
        self.lease_until_s = lease_until_s
        if view is not None:
            self.views.put(view)

    def see(self, what: Callable[[ClusterView], bool]) -> ClusterView:
        """The next view of which this is true; an error if none comes."""
        deadline_s = monotonic() + PATIENCE_S
        while True:
            view = self.views.get(timeout=max(0.01, deadline_s - monotonic()))
            if what(view):
                return view

    def die(self) -> None:
        """Stop renewing without a word."""
        self.membership._stopping.set()
        assert self.membership._thread is not None
        self.membership._thread.join()


@pytest.fixture
def url() -> str:
    return empty_database()


class Join(Protocol):
    def __call__(self, node_id: int, lease_ms: int = LEASE_MS) -> Member: ...


@pytest.fixture
def join(url: str) -> Iterator[Join]:
    members: list[Member] = []

    def start(node_id: int, lease_ms: int = LEASE_MS) -> Member:
        members.append(Member(url, node_id, lease_ms))
        return members[-1]

    yield start
    for member in members:
        member.membership.leave()


@pytest.fixture
def topic(url: str) -> None:
    store = PostgresStore(url, 99)
    store.announce("t", TOPIC_ID, range(6))
    store.close()


def loads(view: ClusterView) -> dict[int, int]:
    return dict(Counter(leader.node_id for leader in view.leaders.values()))


def epochs(view: ClusterView) -> list[int]:
    return [view.leaders[slot].epoch for slot in sorted(view.leaders)]


@pytest.mark.usefixtures("topic")
def test_the_first_node_leads_everything_and_a_second_gets_half(join: Join) -> None:
    first = join(1)
    alone = first.see(lambda view: loads(view) == {1: 6})
    assert epochs(alone) == [0] * 6
    assert alone.nodes[1].endpoints == {"PLAINTEXT": ("host1", 9092)}
    join(2)
    both = first.see(lambda view: loads(view) == {1: 3, 2: 3})
    assert sorted(epochs(both)) == [0, 0, 0, 1, 1, 1], "only what moved has a new epoch"
    assert both.controller_id == 1


@pytest.mark.usefixtures("topic")
def test_what_a_dead_node_led_goes_to_the_others_when_its_lease_is_over(join: Join) -> None:
    first, second = join(1), join(2, SHORT_LEASE_MS)
    first.see(lambda view: loads(view) == {1: 3, 2: 3})
    second.die()
    after = first.see(lambda view: loads(view) == {1: 6})
    assert set(after.nodes) == {1}


@pytest.mark.usefixtures("topic")
def test_a_drained_node_hands_over_at_once_and_goes(join: Join) -> None:
    first, second = join(1), join(2)
    first.see(lambda view: loads(view) == {1: 3, 2: 3})
    second.membership.drain()
    first.see(lambda view: loads(view) == {1: 6})
    second.membership.leave()
    first.see(lambda view: set(view.nodes) == {1})


def test_a_topic_made_on_one_node_gets_leaders_and_all_nodes_hear_of_it(url: str, join: Join) -> None:
    first, second = join(1), join(2)
    store = PostgresStore(url, 1)
    store.announce("fresh", TOPIC_ID, range(2))
    for member in (first, second):
        member.see(lambda view: loads(view) == {1: 1, 2: 1})
    store.close()


def test_a_node_id_that_is_alive_is_refused_to_a_second_process(join: Join) -> None:
    join(1)
    with pytest.raises(NodeIdTaken, match="node 1 is already running"):
        join(1, SHORT_LEASE_MS)


def test_a_process_whose_id_another_one_took_hears_of_it(url: str, join: Join) -> None:
    """It was frozen for longer than its lease; `muster serve` ends then."""
    first = join(1)
    told: queue.Queue[str] = queue.Queue()
    first.membership.on_replaced = told.put
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "UPDATE muster.nodes SET incarnation = gen_random_uuid(), lease_until = now() + interval '1 h'"
        )
    assert "node 1 was started a second time" in told.get(timeout=PATIENCE_S)


@pytest.mark.usefixtures("topic")
def test_a_node_killed_and_started_again_begins_new_epochs(url: str, join: Join) -> None:
    """Its old life may have had a commit under way: the new epoch fences it."""
    first = join(1)
    before = first.see(lambda view: loads(view) == {1: 6})
    first.die()
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE muster.nodes SET lease_until = now() - interval '1 ms'")
    again = join(1).see(lambda view: loads(view) == {1: 6})
    assert epochs(again) == [epoch + 1 for epoch in epochs(before)]


@pytest.mark.usefixtures("topic")
def test_a_node_that_gave_up_what_it_had_open_begins_new_epochs(join: Join) -> None:
    first = join(1)
    before = first.see(lambda view: loads(view) == {1: 6})
    first.membership.reclaim()
    first.see(lambda view: epochs(view) == [epoch + 1 for epoch in epochs(before)])


@pytest.mark.usefixtures("topic")
def test_a_lost_connection_is_said_and_the_next_rounds_go_on(url: str, join: Join) -> None:
    import psycopg

    first = join(1)
    first.see(lambda view: loads(view) == {1: 6})
    held_s = first.lease_until_s
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE '%lease'"
        )
        while "went away" not in first.troubles.get(timeout=PATIENCE_S):
            pass  # a slow database is a trouble too
        connection.execute("UPDATE muster.cluster SET changes = changes + 1")
    first.see(lambda view: loads(view) == {1: 6} and first.lease_until_s > held_s)  # not one from before the loss


@pytest.mark.usefixtures("topic")
def test_while_one_plans_another_does_nothing(url: str, join: Join) -> None:
    import psycopg

    join(1).see(lambda view: loads(view) == {1: 6})
    with psycopg.connect(url) as holder, psycopg.connect(url, autocommit=True) as other:
        holder.execute("SELECT pg_advisory_xact_lock(%s)", (ownership._PLAN_LOCK,))
        ownership.set_draining(other, 1)
        assert ownership.carry_out_plan(other) == 0


def test_a_node_that_was_without_the_database_gives_the_others_time_to_renew(url: str, join: Join) -> None:
    """After a restart of the database all leases are over: the first one back must not take everything."""
    import psycopg

    first = join(1, 2 * LEASE_MS)  # a round that came late by half of it would give them time by itself
    first.see(lambda view: set(view.nodes) == {1})
    first.membership._rounds._others_count_from_s = inf
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO muster.nodes (node_id, incarnation, endpoints, release, lease_until) "
            "VALUES (2, gen_random_uuid(), '{}', 'test', now() - interval '1 s')"
        )
        connection.execute("UPDATE muster.cluster SET changes = changes + 1")
        for _ in range(2):
            connection.execute(f"NOTIFY {CHANNEL}")
            first.see(lambda view: set(view.nodes) == {1})
        assert connection.execute("SELECT count(*) FROM muster.nodes").fetchone() == (2,)
        changes = connection.execute("SELECT changes FROM muster.cluster").fetchone()
        first.membership._rounds._others_count_from_s = 0
        connection.execute(f"NOTIFY {CHANNEL}")
        first.see(lambda view: connection.execute("SELECT count(*) FROM muster.nodes").fetchone() == (1,))
        assert connection.execute("SELECT changes FROM muster.cluster").fetchone() != changes, "the others are told"


def test_draining_by_a_process_that_never_got_the_node_id_disturbs_nobody(url: str, join: Join) -> None:
    import psycopg

    join(1)
    me = Registration(1, uuid4(), {}, None, "test", LEASE_MS)
    stranger = Membership(url, me, lambda view, lease_until_s: None, lambda why: None)
    stranger.drain()
    stranger.leave()
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT is_draining FROM muster.nodes WHERE node_id = 1").fetchone() == (False,)


def test_a_view_without_a_partition_says_that_nobody_leads_it() -> None:
    view = ClusterView(leaders={Slot("t", 0): Leader(1, 4)})
    assert (view.leader("t", 0), view.leader("t", 1)) == (Leader(1, 4), Leader(-1, -1))
    assert view.controller_id == -1
