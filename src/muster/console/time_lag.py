"""How long the first unread record of a partition has waited: a bracket, from the ends that were seen at known times. Pure.

The record at the committed offset was written after the last look that found the end at or before it, and before the first look
that found the end behind it. What was written before the first look is only known to be at least that old.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

KEPT: Final = 240
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
        self._seen: deque[tuple[int, int]] = deque(maxlen=KEPT)

    def add(self, at_ms: int, end: int) -> None:
        seen = self._seen
        if len(seen) > 1 and seen[-1][0] - seen[-2][0] < EVERY_MS and end >= seen[-1][1]:
            seen.pop()  # between two that are kept; the newest is always there
        elif len(seen) > 1 and seen[-2][1] == seen[-1][1] == end:
            seen.pop()  # of looks that found the same end the first and the last say all
        if seen and end < seen[-1][1]:
            seen.clear()  # the log was cut, or the topic made anew: what was seen is of another log
        seen.append((at_ms, end))

    def waited(self, committed: int, now_ms: int) -> Bracket | None:
        """None if the end was never seen."""
        if not self._seen:
            return None
        if committed >= self._seen[-1][1]:
            return NO_LAG
        before_ms: int | None = None
        for at_ms, end in self._seen:
            if end > committed:
                return Bracket(max(0, now_ms - at_ms), None if before_ms is None else max(0, now_ms - before_ms))
            before_ms = at_ms
        return None


def worst(brackets: Iterable[Bracket]) -> Bracket | None:
    """Of several partitions: the one that has waited longest."""
    known = list(brackets)
    if not known:
        return None
    least = max(each.least_ms for each in known)
    if any(each.most_ms is None for each in known):
        return Bracket(least, None)
    return Bracket(least, max(each.most_ms or 0 for each in known))
