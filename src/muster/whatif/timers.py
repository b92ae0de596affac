"""The timers of a replay: what is due first, and of several in the same millisecond the one that was set first. Pure."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from muster.core.contract import TimerKey


class Timers:
    def __init__(self) -> None:
        self._set: dict[TimerKey, tuple[int, int]] = {}
        """Deadline and number of each timer that is set."""
        self._due: list[tuple[int, int, TimerKey]] = []
        """A heap. Those that were set anew or cancelled are still in it, under a number that is no longer theirs."""
        self._count = 0

    def set(self, key: TimerKey, deadline_ms: int) -> None:
        self._count += 1
        self._set[key] = (deadline_ms, self._count)
        heapq.heappush(self._due, (deadline_ms, self._count, key))

    def cancel(self, key: TimerKey) -> None:
        self._set.pop(key, None)

    def first(self) -> tuple[int, TimerKey] | None:
        """Deadline and key; None if no timer is set."""
        while self._due:
            deadline_ms, number, key = self._due[0]
            if self._set.get(key) == (deadline_ms, number):
                return deadline_ms, key
            heapq.heappop(self._due)
        return None

    def __iter__(self) -> Iterator[tuple[TimerKey, int, int]]:
        """Key, deadline and number: those that were set earlier have lower ones."""
        return ((key, deadline_ms, number) for key, (deadline_ms, number) in self._set.items())
