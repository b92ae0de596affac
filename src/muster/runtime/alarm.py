"""One wake-up for many wheels: the earliest of all their deadlines.

Each part that has deadlines joins with a function that handles what is due and returns when it wants to be called next.
"""

from __future__ import annotations

from collections.abc import Callable

from muster.runtime.clock import Clock, Wake
from muster.runtime.wheel import NEVER

_ASK_AGAIN_MS = 1_000

Sleeper = Callable[[int], int]
"""ticks -> the ticks of the next call, or NEVER."""


class Alarm:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._sleepers: dict[Sleeper, None] = {}
        self._wake: Wake | None = None
        self.wakes_at_ms = NEVER

    def join(self, sleeper: Sleeper) -> None:
        self._sleepers[sleeper] = None

    def leave(self, sleeper: Sleeper) -> None:
        self._sleepers.pop(sleeper, None)

    def not_later_than(self, deadline_ms: int) -> None:
        """Make sure that everybody is asked at this time. Callers on a hot path compare with `wakes_at_ms` first."""
        if deadline_ms >= self.wakes_at_ms:
            return
        if self._wake is not None:
            self._wake.cancel()
        self.wakes_at_ms = deadline_ms
        self._wake = self._clock.wake_at(deadline_ms, self._ring)

    def stop(self) -> None:
        self._sleepers.clear()
        if self._wake is not None:
            self._wake.cancel()
            self._wake = None
        self.wakes_at_ms = NEVER

    def _ring(self) -> None:
        self._wake = None
        self.wakes_at_ms = NEVER
        now_ms = self._clock.ticks_ms()
        next_ms = now_ms + _ASK_AGAIN_MS  # if a sleeper fails, the others are asked again soon
        try:
            next_ms = self._ask_everybody(now_ms)
        finally:
            self.not_later_than(next_ms)

    def _ask_everybody(self, now_ms: int) -> int:
        next_ms = NEVER
        for sleeper in tuple(self._sleepers):
            if sleeper in self._sleepers:
                next_ms = min(next_ms, sleeper(now_ms))
        return next_ms
