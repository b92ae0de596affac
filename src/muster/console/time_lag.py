"""How long the first unread record of a partition has waited: a bracket, from the ends that were seen at known times. Pure.

The record at the committed offset was written after the last look that found the end at or before it, and before the first look
that found the end behind it. What was written before the first look is only known to be at least that old.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from muster.client.partitions import TopicPartition

KEPT: Final = 240
MOST_SAMPLES: Final = 2_400_000
"""Of all partitions together, 16 bytes each. Where there are more than 10,000 partitions fewer are kept of each."""
MOST_PLACES: Final = 200_000
"""Partitions; the one that has not been looked at for longest goes first."""
EVERY_MS: Final = 5_000
"""Looks that follow each other more quickly replace one another: the bracket is that much wider, and 20 minutes are kept."""


@dataclass(frozen=True, slots=True)
class Bracket:
    """The time lag is between the two; `most_ms` None: nobody knows how much more."""

    least_ms: int
    most_ms: int | None


NO_LAG: Final = Bracket(0, 0)


class EndSamples:
    """The ends of one partition at the times when they were looked at."""

    def __init__(self) -> None:
        self._at_ms = array("q")
        self._ends = array("q")

    def add(self, at_ms: int, end: int, most: int = KEPT) -> None:
        times, ends = self._at_ms, self._ends
        if len(times) > 1 and times[-1] - times[-2] < EVERY_MS and end >= ends[-1]:
            self._drop(-1)  # between two that are kept; the newest is always there
        elif len(times) > 1 and ends[-2] == ends[-1] == end:
            self._drop(-1)  # of looks that found the same end the first and the last say all
        if ends and end < ends[-1]:
            del times[:], ends[:]  # the log was cut, or the topic made anew: what was seen is of another log
        while len(times) >= most:
            self._drop(0)
        times.append(at_ms)
        ends.append(end)

    def _drop(self, index: int) -> None:
        del self._at_ms[index], self._ends[index]

    def waited(self, committed: int, now_ms: int) -> Bracket | None:
        """None if the end was never seen."""
        if not self._ends:
            return None
        if committed >= self._ends[-1]:
            return NO_LAG
        after = bisect_right(self._ends, committed)
        most_ms = None if after == 0 else max(0, now_ms - self._at_ms[after - 1])
        return Bracket(max(0, now_ms - self._at_ms[after]), most_ms)


class EndsSeen:
    """The same of all partitions, within bounds."""

    def __init__(self) -> None:
        self._by_place: OrderedDict[TopicPartition, EndSamples] = OrderedDict()

    def add(self, ends: Mapping[TopicPartition, int], now_ms: int) -> None:
        for place, end in ends.items():
            samples = self._by_place.get(place)
            if samples is None:
                samples = self._by_place[place] = EndSamples()
            self._by_place.move_to_end(place)
            samples.add(now_ms, end, min(KEPT, MOST_SAMPLES // len(self._by_place)))
        while len(self._by_place) > MOST_PLACES:
            self._by_place.popitem(last=False)

    def waited(self, place: TopicPartition, committed: int, now_ms: int) -> Bracket | None:
        """None if the end was never seen."""
        samples = self._by_place.get(place)
        return None if samples is None else samples.waited(committed, now_ms)


def worst(brackets: Iterable[Bracket]) -> Bracket | None:
    """Of several partitions: the one that has waited longest."""
    known = list(brackets)
    if not known:
        return None
    least = max(each.least_ms for each in known)
    if any(each.most_ms is None for each in known):
        return Bracket(least, None)
    return Bracket(least, max(each.most_ms or 0 for each in known))
