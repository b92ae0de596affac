"""Markers for partitions that other nodes lead: found, sent together, tried again, given up (KIP-98, decision 0018)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from typing import Any

import pytest

from muster.core.transactions.outcome import MarkerOrder
from muster.core.transactions.topic_partitions import Topics
from muster.log.contract import NOBODY, Leader
from muster.runtime.marker_writer import LONGEST_RETRY_MS, RETRY_MS
from muster.runtime.remote_markers import TELL_AFTER_MS
from muster.runtime.transaction_metrics import marker_metrics
from muster.wire.errors import (
    COORDINATOR_LOAD_IN_PROGRESS,
    NONE,
    NOT_LEADER_OR_FOLLOWER,
    TRANSACTION_COORDINATOR_FENCED,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from muster.wire.generated.write_txn_markers import (
    WriteTxnMarkersResponse,
    WriteTxnMarkersResponseMarker,
    WriteTxnMarkersResponsePartition,
    WriteTxnMarkersResponseTopic,
)
from tests.runtime.test_cluster_seat import ME, OTHER, Seated

THIRD = 3


class AskedNodes:
    """Nodes that answer when a test says so."""

    def __init__(self) -> None:
        self.waiting: list[tuple[int, Any, Callable[[Any], None]]] = []

    def ask(self, node_id: int, api: str, version: int, request: object, then: Callable[[Any], None]) -> None:
        assert (api, version) == ("WriteTxnMarkers", 2)
        self.waiting.append((node_id, request, then))

    def keep_only(self, node_ids: Collection[int]) -> None:
        pass

    def close(self) -> None:
        pass

    def answer(self, error: int | None = NONE) -> None:
        """The oldest request, the same for each partition; None: the node cannot be reached."""
        _, request, then = self.waiting.pop(0)
        then(None if error is None else _answer(request, error))

    @property
    def asked(self) -> list[int]:
        return [node_id for node_id, *_ in self.waiting]


def _answer(request: Any, error: int) -> WriteTxnMarkersResponse:
    return WriteTxnMarkersResponse(
        [
            WriteTxnMarkersResponseMarker(
                marker.producer_id,
                [
                    WriteTxnMarkersResponseTopic(
                        topic.name,
                        [WriteTxnMarkersResponsePartition(index, error) for index in topic.partition_indexes],
                    )
                    for topic in marker.topics
                ],
            )
            for marker in request.markers
        ]
    )


class Marking(Seated):
    def __init__(self) -> None:
        super().__init__()
        self.others = AskedNodes()
        self.node.other_nodes = self.others
        self.written: list[Topics] = []
        self.is_wanted = True
        self.lead(OTHER)

    def lead(self, node_id: int) -> None:
        """Of t-0 and of the first partition of `__consumer_offsets`; the second stays here."""
        self._epoch = getattr(self, "_epoch", 0) + 1
        self.see(Leader(node_id, self._epoch), Leader(ME, 0), topic=Leader(node_id, self._epoch))

    def order(self, *topics: tuple[str, int], producer: int = 7, version: int = 2) -> None:
        places = tuple((topic, (index,)) for topic, index in topics)
        order = MarkerOrder("tx", producer, 1, True, places, version)
        self.node.marker_writer.write(order, 4, self.written.append, lambda: self.is_wanted)
        self.loop.run_until_idle()

    def answer(self, error: int | None = NONE) -> None:
        self.others.answer(error)
        self.loop.run_until_idle()

    def advance(self, duration_ms: int) -> None:
        self.clock.advance(duration_ms)
        self.loop.run_until_idle()

    @property
    def waiting(self) -> int:
        return self.node.marker_writer.waiting


@pytest.fixture
def world() -> Marking:
    return Marking()


T0: Topics = (("t", (0,)),)


def test_markers_of_one_turn_travel_in_one_request_to_each_node(world: Marking) -> None:
    world.order(("t", 0), ("__consumer_offsets", 0))
    first = world.others.waiting[0][1]
    assert [(m.producer_id, m.producer_epoch, m.coordinator_epoch, m.transaction_version) for m in first.markers] == [
        (7, 1, 4, 2)
    ]
    assert [(topic.name, topic.partition_indexes) for topic in first.markers[0].topics] == [
        ("t", [0]),
        ("__consumer_offsets", [0]),
    ]
    world.answer()
    assert world.written == [T0, (("__consumer_offsets", (0,)),)]
    assert world.waiting == 0


def test_what_comes_while_a_request_is_under_way_goes_with_the_next_one(world: Marking) -> None:
    world.order(("t", 0))
    world.order(("t", 0), producer=8)
    world.order(("t", 0), producer=9)
    assert world.others.asked == [OTHER]
    world.answer()
    assert [marker.producer_id for marker in world.others.waiting[0][1].markers] == [8, 9]


def test_a_partition_that_is_led_here_is_marked_without_asking_anybody(world: Marking) -> None:
    world.lead(ME)
    world.order(("t", 0))
    assert (world.others.waiting, world.written) == ([], [T0])


@pytest.mark.parametrize("error", [None, NOT_LEADER_OR_FOLLOWER, COORDINATOR_LOAD_IN_PROGRESS])
def test_a_marker_that_could_not_be_written_goes_to_whoever_leads_then(world: Marking, error: int | None) -> None:
    world.order(("t", 0))
    world.answer(error)
    world.lead(THIRD)
    world.advance(RETRY_MS)
    assert world.others.asked == [THIRD]
    world.answer()
    assert world.written == [T0]


def test_a_marker_waits_for_a_leader_where_there_is_none(world: Marking) -> None:
    world.lead(NOBODY)
    world.order(("t", 0))
    world.advance(RETRY_MS)
    assert (world.others.waiting, world.waiting) == ([], 1)
    world.lead(OTHER)
    world.advance(2 * RETRY_MS)
    assert world.others.asked == [OTHER]


def test_tries_become_rarer_up_to_a_limit(world: Marking) -> None:
    world.order(("t", 0))
    delay_ms, seen = RETRY_MS, []
    while delay_ms <= LONGEST_RETRY_MS:
        seen.append(delay_ms)
        world.answer(None)
        world.advance(delay_ms - 1)
        assert world.others.waiting == []
        world.advance(1)
        delay_ms *= 2
    world.answer(None)
    world.advance(LONGEST_RETRY_MS)
    assert len(seen) == 5
    assert world.others.asked == [OTHER]


def test_a_node_that_has_not_heard_of_the_topic_does_not_say_that_it_is_gone(world: Marking) -> None:
    world.order(("t", 0))
    world.answer(UNKNOWN_TOPIC_OR_PARTITION)
    assert (world.written, world.waiting) == ([], 1)


def test_a_topic_that_was_deleted_needs_no_marker(world: Marking) -> None:
    world.order(("t", 0))
    world.answer(None)
    world.node.broker.delete_topics([("t", bytes(16))])
    world.advance(RETRY_MS)
    assert (world.others.waiting, world.written) == ([], [T0])


@pytest.mark.parametrize("unload", [False, True])
def test_markers_of_a_coordinator_that_is_no_more_are_forgotten(world: Marking, unload: bool) -> None:
    world.order(("t", 0))
    world.is_wanted = not unload
    world.answer(NOT_LEADER_OR_FOLLOWER if unload else TRANSACTION_COORDINATOR_FENCED)
    world.advance(LONGEST_RETRY_MS)
    assert (world.others.waiting, world.written, world.waiting) == ([], [], 0)


def test_markers_that_wait_are_counted_with_the_age_of_the_oldest(world: Marking) -> None:
    world.order(("t", 0))
    world.clock.advance(50)
    world.order(("t", 0), producer=8)
    world.clock.advance(30)
    assert [metric.samples[0][1] for metric in marker_metrics(world.node.marker_writer)] == [2, 80]
    world.answer()
    assert [metric.samples[0][1] for metric in marker_metrics(world.node.marker_writer)] == [1, 30]
    world.answer()
    assert [metric.samples[0][1] for metric in marker_metrics(world.node.marker_writer)] == [0, 0]


def test_a_node_that_stays_away_is_told_of_once_and_once_more_when_it_is_back(
    world: Marking, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "muster.runtime.remote_markers")
    world.order(("t", 0))
    for _ in range(TELL_AFTER_MS // RETRY_MS):
        if world.others.waiting:
            world.answer(None)
        world.advance(LONGEST_RETRY_MS)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert f"node {OTHER} has not answered for" in caplog.messages[0]
    world.answer()
    assert caplog.messages[1:] == [f"node {OTHER} takes transaction markers again"]


def test_a_marker_that_finds_no_leader_for_long_is_told_of_once(
    world: Marking, caplog: pytest.LogCaptureFixture
) -> None:
    world.lead(NOBODY)
    world.order(("t", 0))
    world.advance(TELL_AFTER_MS - LONGEST_RETRY_MS)
    assert caplog.messages == []
    world.advance(TELL_AFTER_MS)
    assert caplog.messages == ["the marker of transactional id 'tx' in t-0 cannot be written yet: LEADER_NOT_AVAILABLE"]
