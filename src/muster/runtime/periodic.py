"""Something that is done every so often, on the node's alarm and so on its clock."""

from __future__ import annotations

from collections.abc import Callable

from muster.runtime.alarm import Alarm
from muster.runtime.clock import Clock


class Periodic:
    def __init__(self, alarm: Alarm, clock: Clock, interval_ms: int, task: Callable[[int], None]) -> None:
        self._alarm = alarm
        self._clock = clock
        self._interval_ms = interval_ms
        self._task = task
        self._next_ms = 0

    def start(self) -> None:
        """The first time is one interval from now."""
        self._next_ms = self._clock.ticks_ms() + self._interval_ms
        self._alarm.join(self._ask)
        self._alarm.not_later_than(self._next_ms)

    def _ask(self, now_ms: int) -> int:
        if now_ms >= self._next_ms:
            self._next_ms = now_ms + self._interval_ms
            self._task(self._clock.now_ms())
        return self._next_ms
