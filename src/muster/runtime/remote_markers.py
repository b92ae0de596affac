"""Sends markers to the nodes that lead their partitions (WriteTxnMarkers), many in one request.

Each marker gets a callback with its result. Retries are made by `marker_writer`, which looks up the leader again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Final, Protocol

from muster.core.transactions.outcome import MarkerOrder
from muster.runtime.clock import Clock
from muster.runtime.other_nodes import AskNode, Outbox
from muster.wire.errors import NETWORK_EXCEPTION, NOT_LEADER_OR_FOLLOWER, UNKNOWN_TOPIC_OR_PARTITION
from muster.wire.generated.write_txn_markers import (
    WriteTxnMarkersRequest,
    WriteTxnMarkersRequestMarker,
    WriteTxnMarkersRequestTopic,
    WriteTxnMarkersResponse,
)

_log = logging.getLogger(__name__)

_API: Final = "WriteTxnMarkers"
_VERSION: Final = 2
MOST_MARKERS: Final = 2_000
"""In one request."""
TELL_AFTER_MS: Final = 10_000
"""A node that cannot be reached for this long is named in the server's log."""


class TravellingMarker(Protocol):
    """One partition's marker, on its way to the node that leads the partition."""

    order: MarkerOrder
    coordinator_epoch: int
    topic: str
    index: int

    def ended(self, error: int) -> None: ...


class RemoteMarkers:
    def __init__(self, ask: AskNode, call_soon: Callable[..., object], clock: Clock) -> None:
        self._ask = ask
        self._clock = clock
        self._outbox: Outbox[TravellingMarker] = Outbox(self._send, call_soon, MOST_MARKERS, lambda marker: 1)
        self._silent_since_ms: dict[int, int] = {}
        """Nodes that have not answered the last request."""
        self._told: set[int] = set()
        """Nodes that were named in the server's log because they cannot be reached."""

    def send(self, node_id: int, marker: TravellingMarker) -> None:
        self._outbox.add(node_id, marker)

    def _send(self, node_id: int, markers: list[TravellingMarker], done: Callable[[], None]) -> None:
        ends: dict[tuple[int, int, bool, int, int], list[TravellingMarker]] = {}
        for marker in markers:
            order = marker.order
            end = (
                order.producer_id,
                order.producer_epoch,
                order.commit,
                marker.coordinator_epoch,
                order.transaction_version,
            )
            ends.setdefault(end, []).append(marker)

        def answered(response: Any) -> None:
            self._note(node_id, is_silent=response is None, waiting=len(markers))
            for marker, error in _errors(list(ends.values()), response):
                marker.ended(error)
            done()

        self._ask(
            node_id, _API, _VERSION, WriteTxnMarkersRequest([_laid_out(*each) for each in ends.items()]), answered
        )

    def _note(self, node_id: int, *, is_silent: bool, waiting: int) -> None:
        now_ms = self._clock.ticks_ms()
        if not is_silent:
            self._silent_since_ms.pop(node_id, None)
            if node_id in self._told:
                self._told.discard(node_id)
                _log.info("node %d takes transaction markers again", node_id)
            return
        silent_ms = now_ms - self._silent_since_ms.setdefault(node_id, now_ms)
        if silent_ms >= TELL_AFTER_MS and node_id not in self._told:
            self._told.add(node_id)
            _log.warning(
                "node %d has not answered for %d s: %d or more transaction markers wait for it, and readers of committed records"
                " wait for them. Can this node reach the address that node %d advertises (inter.broker.listener.name)?",
                node_id,
                silent_ms // 1000,
                waiting,
                node_id,
            )


def _laid_out(end: tuple[int, int, bool, int, int], markers: list[TravellingMarker]) -> WriteTxnMarkersRequestMarker:
    topics: dict[str, dict[int, None]] = {}
    for marker in markers:
        topics.setdefault(marker.topic, {})[marker.index] = None
    producer_id, producer_epoch, commit, coordinator_epoch, version = end
    return WriteTxnMarkersRequestMarker(
        producer_id,
        producer_epoch,
        commit,
        [WriteTxnMarkersRequestTopic(name, list(indexes)) for name, indexes in topics.items()],
        coordinator_epoch,
        version,
    )


def _errors(
    asked: list[list[TravellingMarker]], response: WriteTxnMarkersResponse | None
) -> list[tuple[TravellingMarker, int]]:
    """The node's error code for each marker. It answers in the order of the request; a marker that is missing was not answered."""
    found: list[tuple[TravellingMarker, int]] = []
    for place, markers in enumerate(asked):
        told: dict[tuple[str, int], int] = {}
        if response is not None and place < len(response.markers):
            for topic in response.markers[place].topics:
                told.update({(topic.name, each.partition_index): each.error_code for each in topic.partitions})
        for marker in markers:
            error = told.get((marker.topic, marker.index), NETWORK_EXCEPTION)
            if error == UNKNOWN_TOPIC_OR_PARTITION:
                # It may not have heard of the topic yet. Whether the topic is gone is seen in the catalog of this node.
                error = NOT_LEADER_OR_FOLLOWER
            found.append((marker, error))
    return found
