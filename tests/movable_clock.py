"""A clock that stands still until a test moves it, and then wakes whoever waited, in order."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush

from muster.runtime.clock import Clock, Wake
from muster.testing.kit_clock import MovableWake


class MovableClock(Clock):
    """Moves when told to, and wakes in the order of the deadlines, each at its own time."""

    def __init__(self, now_ms: int = 1_700_000_000_000) -> None:
        self._now_ms = now_ms
        self._sequence = 0
        self._wakes: list[tuple[int, int, MovableWake]] = []

    def now_ms(self) -> int:
        return self._now_ms

    def ticks_ms(self) -> int:
        return self._now_ms

    def wake_at(self, deadline_ms: int, callback: Callable[[], None]) -> Wake:
        wake = MovableWake(callback)
        self._sequence += 1
        heappush(self._wakes, (deadline_ms, self._sequence, wake))
        return wake

    def advance(self, duration_ms: int) -> None:
        """Move forward. Whoever is due is called with the clock standing at its deadline."""
        target_ms = self._now_ms + duration_ms
        while self._wakes and self._wakes[0][0] <= target_ms:
            deadline_ms, _, wake = heappop(self._wakes)
            self._now_ms = max(self._now_ms, deadline_ms)
            wake.fire()
        self._now_ms = target_ms
