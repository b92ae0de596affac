"""Markers that a fault holds back: a transaction whose end is decided and not everywhere known.

Stands where the transaction coordinator expects its `MarkerWriter`, and hands on to the real one what no fault holds. Used from the
loop's thread.
"""

from __future__ import annotations

from collections.abc import Callable

from muster.core.transactions.outcome import MarkerOrder
from muster.core.transactions.records import TopicPartitions
from muster.core.transactions.topic_partitions import Topics, pairs
from muster.runtime.marker_writer import MarkerWriter
from muster.testing.faults import Fault, FaultBook


class HeldMarkers(MarkerWriter):
    """Of a marker writer the coordinator calls `write` alone; compiled code takes nothing that is no MarkerWriter."""

    def __init__(self, original: MarkerWriter, book: FaultBook, changed: Callable[[], None]) -> None:
        """`changed` is told of every marker that is durable."""
        self._original = original
        self._book = book
        self._changed = changed
        self._held: dict[Fault, list[Callable[[], None]]] = {}

    def write(
        self,
        order: MarkerOrder,
        coordinator_epoch: int,
        written: Callable[[Topics], None],
        is_wanted: Callable[[], bool],
    ) -> None:
        def told(topics: Topics) -> None:
            written(topics)
            self._changed()

        fault = self._book.holds_markers_of(order.transactional_id)
        places = list(pairs(order.topics))
        now = len(places) if fault is None else min(fault.after, len(places))
        if now:
            self._original.write(_part(order, places[:now]), coordinator_epoch, told, is_wanted)
        if fault is not None and now < len(places):
            fault.use()
            rest = _part(order, places[now:])
            self._held.setdefault(fault, []).append(
                lambda: self._original.write(rest, coordinator_epoch, told, is_wanted)
            )

    def release(self, fault: Fault) -> None:
        """The fault is over: what it held is written, unless the coordinator has gone away meanwhile."""
        for write in self._held.pop(fault, ()):
            write()


def _part(order: MarkerOrder, places: list[tuple[str, int]]) -> MarkerOrder:
    return MarkerOrder(
        order.transactional_id,
        order.producer_id,
        order.producer_epoch,
        order.commit,
        tuple(TopicPartitions(topic, (partition,)) for topic, partition in places),
        order.transaction_version,
    )
