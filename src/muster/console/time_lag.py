"""How long the first unread record of a partition has waited: a bracket, from the ends that were seen at known times. Pure.

The record at the committed offset was written after the last look that found the end at or before it, and before the first look
that found the end behind it. What was written before the first look is only known to be at least that old.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final

from muster.client.partitions import TopicPartition

KEPT: Final = 240
MOST_SAMPLES: Final = 2_400_000
"""Of all partitions together, 16 bytes each. Where there are more than 10,000 partitions fewer are kept of each.
With names and lists this is 43 MB for 10,000 partitions and 100 MB for 200,000, of each user."""
MOST_PLACES: Final = 200_000
"""Partitions; the one that has not been looked at for longest goes first."""
EVERY_MS: Final = 5_000
"""Looks that follow each other more quickly replace one another: the bracket is that much wider, and 20 minutes are kept."""


@dataclass(frozen=True, slots=True)
class Bracket:
    """The time lag is between the two; `most_ms` None: nobody knows how much more."""

    least_ms: int
    most_ms: int | None

    @property
    def is_known(self) -> bool:
        """False for "over 0 s", which says nothing."""
        return self.most_ms is not None or self.least_ms >= 1_000


NO_LAG: Final = Bracket(0, 0)
NOT_KNOWN: Final = Bracket(0, None)


class EndSamples:
    """The ends of one partition at the times when they were looked at."""

    __slots__ = ("_numbers",)

    def __init__(self) -> None:
        self._numbers = array("q")
        """The times, then as many ends: one array is smaller than two."""

    def __len__(self) -> int:
        return len(self._numbers) // 2

    def add(self, at_ms: int, end: int, most: int = KEPT) -> None:
        numbers, count = self._numbers, len(self)
        if count > 1 and numbers[count - 1] - numbers[count - 2] < EVERY_MS and end >= numbers[-1]:
            self._drop(count - 1)  # between two that are kept; the newest is always there
        elif count > 1 and numbers[-2] == numbers[-1] == end:
            self._drop(count - 1)  # of looks that found the same end the first and the last say all
        if count and end < numbers[-1]:
            del numbers[:]  # the log was cut, or the topic made anew: what was seen is of another log
        self.shorten(most - 1)
        numbers.insert(len(self), at_ms)
        numbers.append(end)

    def shorten(self, most: int) -> None:
        """To the newest."""
        count = len(self)
        if count > most:
            del self._numbers[count : 2 * count - most]
            del self._numbers[: count - most]

    def _drop(self, index: int) -> None:
        del self._numbers[len(self) + index]
        del self._numbers[index]

    def waited(self, committed: int, now_ms: int) -> Bracket | None:
        """None if the end was never seen."""
        numbers, count = self._numbers, len(self)
        if not count:
            return None
        if committed >= numbers[-1]:
            return NO_LAG
        after = bisect_right(numbers, committed, count) - count
        most_ms = None if after == 0 else max(0, now_ms - numbers[after - 1])
        return Bracket(max(0, now_ms - numbers[after]), most_ms)


class EndsSeen:
    """The same of all partitions, within bounds."""

    def __init__(self) -> None:
        self._by_place: dict[TopicPartition, EndSamples] = {}
        """Those that were looked at last stand last."""
        self._count = 0
        """Samples of all together."""

    def add(self, ends: Mapping[TopicPartition, int], now_ms: int) -> None:
        for place in ends:
            self._by_place[place] = self._by_place.pop(place, EndSamples())
        for place in list(islice(self._by_place, max(0, len(self._by_place) - MOST_PLACES))):
            self._count -= len(self._by_place.pop(place))
        share = min(KEPT, MOST_SAMPLES // max(1, len(self._by_place)))
        for place, end in ends.items():
            samples = self._by_place.get(place)
            if samples is not None:
                self._count -= len(samples)
                samples.add(now_ms, end, share)
                self._count += len(samples)
        self._shorten_oldest(share)

    def _shorten_oldest(self, share: int) -> None:
        """Each to its share of what all may have, until there are no more than that."""
        for samples in self._by_place.values():
            if self._count <= MOST_SAMPLES:
                return
            self._count -= len(samples)
            samples.shorten(share)
            self._count += len(samples)

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
