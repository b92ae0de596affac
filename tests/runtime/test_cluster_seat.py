"""The seat of a node: it follows the views of a membership, and falls silent when its own clock says that its lease is over.

Everything real but the membership, the loop and the clocks. Leases go by `clock_s` alone: the wall clock of the node has no say
(issue 11: clock steps change nothing).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, cast

import pytest

from muster.cluster.plan import Slot
from muster.cluster.view import ClusterView, NodeEntry
from muster.core.hashing import partition_for
from muster.log.contract import NOBODY, Leader, StorageError
from muster.log.memory import MemoryStore
from muster.runtime.cluster_seat import ClusterLeaders, ClusterSeat
from muster.runtime.node import Node
from muster.security.authorizer import AllowAll
from muster.server.settings import Settings
from muster.topics.broker import Broker
from muster.topics.broker_config import BrokerConfig
from muster.topics.creation import NewTopic
from muster.wire.errors import NONE, NOT_COORDINATOR, NOT_LEADER_OR_FOLLOWER
from muster.wire.value import Value
from tests.movable_clock import MovableClock
from tests.runtime.manual_loop import ManualLoop, Scheduled
from tests.runtime.world import HeldTicket, commit

ME, OTHER = 1, 2
OFFSETS = "__consumer_offsets"
PARTITIONS = 2
MINE = Leader(ME, 0)


class SeatLoop(ManualLoop):
    """With timers, which a test lets run out."""

    def __init__(self) -> None:
        super().__init__()
        self.timers: list[tuple[float, Scheduled]] = []

    def call_later(self, delay_s: float, callback: Callable[..., Any], *arguments: Any) -> Scheduled:
        scheduled = Scheduled(callback, arguments)
        self.timers.append((delay_s, scheduled))
        return scheduled

    def run_out(self) -> None:
        timers, self.timers = self.timers, []
        for _, timer in timers:
            if timer.run is not None:
                timer.run()
        self.run_until_idle()


class FakeMembership:
    def __init__(self) -> None:
        self.said: list[str] = []

    def start(self) -> None:
        self.said.append("start")

    def reclaim(self) -> None:
        self.said.append("reclaim")

    def look_again(self) -> None:
        self.said.append("look again")

    def drain(self) -> None:
        self.said.append("drain")

    def leave(self) -> None:
        self.said.append("leave")


class Seated:
    """A node with a seat, a coordinator's topic and a topic of records."""

    def __init__(self) -> None:
        self.loop = SeatLoop()
        self.clock = MovableClock()
        self.now_s = 100.0
        self.leaders = ClusterLeaders(ME)
        ids = itertools.count(1)
        broker = Broker(
            MemoryStore(),
            BrokerConfig(node_id=ME, cluster_id="c"),
            lambda size: next(ids).to_bytes(size, "big"),
            {},
            self.leaders,
        )
        settings = Settings.of({"offsets.topic.num.partitions": str(PARTITIONS)})
        self.node = Node(settings, broker, self.clock, cast(Any, self.loop), AllowAll(), lambda: f"id-{next(ids)}")
        self.seat = ClusterSeat(self.node, self.leaders, cast(Any, self.loop), dict, lambda: self.now_s)
        self.membership = FakeMembership()
        self.seat.membership = self.membership
        self.node.cluster = self.seat
        self.node.start()
        broker.ensure_internal(OFFSETS, PARTITIONS, {"cleanup.policy": "compact"})
        broker.create_topics([NewTopic("t", 1, 1)])
        self.loop.run_until_idle()

    def see(self, *leaders: Leader, topic: Leader = MINE, lease_s: float = 3.0) -> None:
        """A view in which these lead the coordinator's partitions, and the lease holds for so long."""
        nodes = {node_id: NodeEntry(node_id, {}) for node_id in (ME, OTHER)}
        slots = {Slot(OFFSETS, index): leader for index, leader in enumerate(leaders)}
        self.seat.deliver(ClusterView(nodes, {**slots, Slot("t", 0): topic}), self.now_s + lease_s)
        self.loop.run_until_idle()

    def renew(self, lease_s: float = 3.0) -> None:
        self.seat.deliver(None, self.now_s + lease_s)
        self.loop.run_until_idle()

    def ask_to_commit(self) -> Value | None:
        ticket = HeldTicket()
        self.node.coordinator.submit(commit(group="g"), ticket)
        self.loop.run_until_idle()
        return ticket.reply

    def commit_error(self) -> int:
        reply: Any = self.ask_to_commit()
        return int(reply.errors[0])

    def end_error(self) -> int:
        return self.node.broker.list_offset("t", 0, -1).error_code


@pytest.fixture
def seated() -> Seated:
    world = Seated()
    world.see(Leader(ME, 0), Leader(ME, 0))
    return world


def test_a_node_coordinates_what_a_view_gives_it_and_stops_when_another_view_takes_it(seated: Seated) -> None:
    assert set(seated.node.coordinator.places) == {0, 1}
    assert seated.commit_error() == NONE
    seated.see(Leader(OTHER, 1), Leader(OTHER, 1), topic=Leader(OTHER, 1))
    assert not seated.node.coordinator.places
    assert seated.commit_error() == NOT_COORDINATOR
    assert seated.end_error() == NOT_LEADER_OR_FOLLOWER


def test_a_lease_that_is_renewed_holds_and_one_that_is_not_ends_on_the_nodes_own_clock(seated: Seated) -> None:
    seated.now_s += 2.9
    seated.renew()
    seated.now_s += 2.9
    assert seated.commit_error() == NONE
    seated.now_s += 0.2
    assert seated.commit_error() == NOT_COORDINATOR
    assert not seated.seat.is_seated
    assert seated.membership.said == ["start", "reclaim"], "what it led begins a new epoch before it is led again"


def test_an_hour_forth_on_the_wall_clock_changes_nothing(seated: Seated) -> None:
    seated.clock.advance(3_600_000)
    seated.loop.run_until_idle()
    assert seated.commit_error() == NONE
    assert seated.seat.is_seated


def test_a_request_that_comes_before_the_timer_finds_the_lease_over_all_the_same(seated: Seated) -> None:
    """As after a freeze: what waited in the socket is served before timers are."""
    seated.now_s += 10
    assert seated.end_error() == NOT_LEADER_OR_FOLLOWER
    assert not seated.seat.is_seated


def test_the_timer_gives_everything_up_when_nobody_asks(seated: Seated) -> None:
    seated.now_s += 3.1
    seated.loop.run_out()
    assert not seated.seat.is_seated
    assert not seated.node.coordinator.places


def test_a_renewal_alone_does_not_seat_a_node_that_gave_up_and_the_next_view_does(seated: Seated) -> None:
    seated.now_s += 10
    seated.loop.run_out()
    seated.renew()
    assert seated.commit_error() == NOT_COORDINATOR
    seated.see(Leader(ME, 1), Leader(ME, 1))
    assert seated.commit_error() == NONE


def test_a_commit_whose_fate_is_unknown_makes_the_node_begin_anew(seated: Seated) -> None:
    seated.seat.begin_anew()
    assert not seated.node.coordinator.places
    assert seated.membership.said[-1] == "reclaim"
    seated.see(Leader(ME, 1), Leader(ME, 1))
    assert {place.epoch for place in seated.node.coordinator.places.values()} == {1}


def test_a_log_that_cannot_be_opened_now_is_opened_with_a_later_view(seated: Seated) -> None:
    """The database hiccups in the middle of a taking over: what is ours and not open is tried again."""
    seated.see(Leader(OTHER, 1), Leader(OTHER, 1))
    opened = seated.node.broker.store.open

    def fails(*_: Any) -> Any:
        raise StorageError("the database went away")

    seated.node.broker.store.open = cast(Any, fails)  # type: ignore[method-assign]
    seated.see(Leader(ME, 2), Leader(ME, 2))
    assert seated.membership.said[-1] == "look again"
    assert not seated.node.coordinator.places
    seated.node.broker.store.open = opened  # type: ignore[method-assign]
    seated.see(Leader(ME, 2), Leader(ME, 2))
    assert set(seated.node.coordinator.places) == {0, 1}
    assert seated.commit_error() == NONE


def test_a_topic_that_is_heard_of_with_its_leaders_gets_its_coordinators() -> None:
    """Catalog and owners may come in one view: then no leader changes, and the shards are loaded all the same."""
    world = Seated()
    slots = {Slot(OFFSETS, index): Leader(ME, 0) for index in range(PARTITIONS)}
    for partition in world.node.broker.catalog.partitions():
        world.leaders.view = ClusterView(leaders=slots)
        world.node.broker.catalog.lead(partition, Leader(ME, 0))
    world.see(Leader(ME, 0), Leader(ME, 0))
    assert set(world.node.coordinator.places) == {0, 1}


def test_groups_are_found_by_the_number_of_partitions_that_another_node_has_given_the_topic() -> None:
    """Also those that were asked for before this node had heard of it."""
    world, group = Seated(), "here"
    coordinator = world.node.coordinator
    coordinator.start(partition_count=50)
    assert partition_for(group, PARTITIONS) != coordinator.partition_of(group) == partition_for(group, 50)
    world.see(Leader(OTHER, 0), Leader(OTHER, 0))
    assert coordinator.partition_of(group) == partition_for(group, PARTITIONS)


def test_a_view_that_comes_while_the_node_leaves_shows_clients_the_heirs(seated: Seated) -> None:
    seated.seat._is_leaving = True
    seated.seat._give_up("it is stopping", begin_anew=False)
    seated.see(Leader(OTHER, 1), Leader(ME, 0))
    first, second = seated.node.broker.catalog.topics()[0].partitions
    assert (first.leader_id, first.leader_epoch) == (OTHER, 1)
    assert second.leader_id == NOBODY, "this one leads nothing any more"
    assert not seated.seat.is_seated


class SlowStore:
    """Reads what is needed of partitions apart; a test says when it has."""

    def __init__(self, seated: Seated) -> None:
        self.waiting: list[Callable[[StorageError | None], None]] = []
        seated.seat.before_leading = lambda slots, then: self.waiting.append(then)

    def answer(self, failure: StorageError | None = None) -> None:
        self.waiting.pop(0)(failure)


class Trouble:
    """A store that cannot do one thing until it is mended."""

    def __init__(self, seated: Seated, method: str) -> None:
        self._store: Any = seated.node.broker.store
        self._method = method
        setattr(self._store, method, self._fail)

    def _fail(self, *_: Any) -> Any:
        raise StorageError("the database went away")

    def mend(self) -> None:
        delattr(self._store, self._method)


class WholeCall:
    """A call that takes its reply and nothing else."""

    is_abandoned = False

    def __init__(self) -> None:
        self.replies: list[Any] = []

    def reply(self, response: object) -> None:
        self.replies.append(response)

    def resume(self, step: Callable[[], None]) -> None:
        step()


@pytest.mark.parametrize("method", ["open", "announce"])
def test_a_change_of_topics_that_could_not_be_done_whole_is_ended_with_another_view(
    seated: Seated, method: str
) -> None:
    """Nothing else may bring one: the view of what the node itself has written may have come before the failure."""
    trouble, call = Trouble(seated, method), WholeCall()
    leaders = {Slot("new", 0): Leader(ME, 0)} if method == "open" else {}
    seated.leaders.view = ClusterView(seated.seat.view.nodes, leaders)
    seated.node.changes.request(call, lambda: seated.node.broker.create_topics([NewTopic("new", 1, 1)]))
    assert len(call.replies) == 1
    assert seated.membership.said[-1:] == ["look again"]
    trouble.mend()
    seated.membership.said.clear()
    seated.see(Leader(ME, 0), Leader(ME, 0))
    assert "new" in seated.node.broker.catalog
    assert not seated.node.broker.catalog.wants_refresh
    assert not seated.membership.said


def test_a_topic_that_cannot_be_announced_is_tried_with_another_view_ever_more_seldom(seated: Seated) -> None:
    trouble = Trouble(seated, "announce")
    seated.node.broker.create_topics([NewTopic("new", 1, 1)])
    for seconds in (0, 1, 2, 4):
        seated.membership.said.clear()
        seated.see(Leader(ME, 0), Leader(ME, 0))
        assert [delay_s for delay_s, _ in seated.loop.timers if delay_s == seconds] == [seconds] * bool(seconds)
        seated.loop.run_out()
        assert seated.membership.said == ["look again"]
    trouble.mend()
    seated.membership.said.clear()
    seated.see(Leader(ME, 0), Leader(ME, 0))
    seated.loop.run_out()
    assert not seated.membership.said


def test_a_document_that_cannot_be_read_holds_up_neither_the_others_nor_what_the_view_says(
    seated: Seated, caplog: pytest.LogCaptureFixture
) -> None:
    read: list[str] = []

    def fail() -> None:
        read.append("acls")
        raise StorageError("acls.json has version 2, this server reads version 1")

    seated.seat.on_document |= {"acls.json": fail, "users.json": lambda: read.append("users")}
    for _ in range(3):
        view = seated.seat.view
        leaders = {**view.leaders, Slot(OFFSETS, 0): Leader(OTHER, 1)}
        seated.seat.deliver(ClusterView(view.nodes, leaders, {"acls.json": 2, "users.json": 3}), seated.now_s + 3)
        seated.loop.run_until_idle()
    assert read == ["acls", "users"] * 3
    assert set(seated.node.coordinator.places) == {1}
    assert seated.membership.said.count("look again") == 1, "and then later"
    assert caplog.text.count("acls.json has version 2") == 1


def test_topics_that_cannot_be_taken_over_do_not_hold_up_what_the_view_says(seated: Seated) -> None:
    seated.see(Leader(OTHER, 1), Leader(ME, 0))

    def fail() -> None:
        raise StorageError("topics.json has a setting that this release does not take")

    seated.seat.on_document["topics.json"] = fail
    nodes, leaders = seated.seat.view.nodes, {**seated.seat.view.leaders, Slot(OFFSETS, 0): Leader(ME, 2)}
    seated.membership.said.clear()
    seated.seat.deliver(ClusterView(nodes, leaders, {"topics.json": 2}), seated.now_s + 3)
    seated.loop.run_until_idle()
    assert set(seated.node.coordinator.places) == {0, 1}
    assert seated.membership.said == ["look again"]


def test_partitions_that_a_view_gives_are_led_when_the_store_has_read_what_it_needs_of_them(seated: Seated) -> None:
    seated.see(Leader(OTHER, 1), Leader(ME, 0))
    store = SlowStore(seated)
    seated.see(Leader(ME, 2), Leader(ME, 0))
    assert set(seated.node.coordinator.places) == {1}, "the other one goes on meanwhile"
    store.answer()
    assert {index: place.epoch for index, place in seated.node.coordinator.places.items()} == {0: 2, 1: 0}


def test_a_partition_that_comes_back_at_a_later_epoch_is_silent_until_it_is_read_anew(seated: Seated) -> None:
    """Another node may have led it in between, and have told its members things that this one does not know."""
    store = SlowStore(seated)
    seated.see(Leader(ME, 2), Leader(ME, 2))
    assert not seated.node.coordinator.places
    assert seated.commit_error() == NOT_COORDINATOR
    store.answer()
    assert seated.commit_error() == NONE


def test_what_was_read_for_a_view_that_is_history_is_led_as_the_latest_view_says(seated: Seated) -> None:
    seated.see(Leader(OTHER, 1), Leader(OTHER, 1))
    store = SlowStore(seated)
    seated.see(Leader(ME, 2), Leader(ME, 2))
    seated.see(Leader(OTHER, 3), Leader(ME, 2))
    store.answer()
    assert set(seated.node.coordinator.places) == {1}
    assert not store.waiting, "what is being read is not asked for twice"
    seated.see(Leader(ME, 4), Leader(ME, 2))
    seated.now_s += 10
    seated.loop.run_out()
    store.answer()
    assert not seated.node.coordinator.places, "it has no seat any more"


def test_a_store_that_cannot_read_what_it_needs_is_asked_again_with_the_next_round(seated: Seated) -> None:
    seated.see(Leader(OTHER, 1), Leader(OTHER, 1))
    store = SlowStore(seated)
    seated.see(Leader(ME, 2), Leader(ME, 2))
    store.answer(StorageError("the database went away"))
    assert seated.membership.said[-1] == "look again"
    assert not seated.node.coordinator.places
    seated.see(Leader(ME, 2), Leader(ME, 2))
    store.answer()
    assert set(seated.node.coordinator.places) == {0, 1}
