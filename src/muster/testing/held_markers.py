"""Markers that a fault holds back: a transaction whose end is decided and not everywhere known.

Stands where the transaction coordinator expects its `MarkerWriter`, and hands on to the real one what no fault holds. Used from the
loop's thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from muster.core.transactions.outcome import MarkerOrder
from muster.core.transactions.topic_partitions import Topics, pairs
from muster.runtime.marker_writer import MarkerWriter
from muster.testing.faults import Fault, FaultBook


class _Held(NamedTuple):
    markers: int
    ordered_ms: int
    write: Callable[[], None]


class HeldMarkers(MarkerWriter):
    """Of a marker writer the coordinator calls `write` alone, and metrics ask how many wait; compiled code takes nothing that is no
    MarkerWriter."""

    def __init__(
        self, original: MarkerWriter, book: FaultBook, ticks_ms: Callable[[], int], changed: Callable[[], None]
    ) -> None:
        """`changed` is told of every marker that is durable."""
        self._original = original
        self._book = book
        self._ticks_ms = ticks_ms
        self._changed = changed
        self._held: dict[Fault, list[_Held]] = {}

    @property
    def waiting(self) -> int:
        return self._original.waiting + sum(each.markers for held in self._held.values() for each in held)

    @property
    def oldest_ms(self) -> int:
        now_ms = self._ticks_ms()
        ages = [now_ms - each.ordered_ms for held in self._held.values() for each in held]
        return max(self._original.oldest_ms, *ages, 0)

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
                _Held(
                    len(places) - now,
                    self._ticks_ms(),
                    lambda: self._original.write(rest, coordinator_epoch, told, is_wanted),
                )
            )

    def release(self, fault: Fault) -> None:
        """The fault is over: what it held is written, unless the coordinator has gone away meanwhile."""
        for held in self._held.pop(fault, ()):
            held.write()


def _part(order: MarkerOrder, places: list[tuple[str, int]]) -> MarkerOrder:
    return MarkerOrder(
        order.transactional_id,
        order.producer_id,
        order.producer_epoch,
        order.commit,
        tuple((topic, (partition,)) for topic, partition in places),
        order.transaction_version,
    )
