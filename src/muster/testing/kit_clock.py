"""The clock of the test kit: it runs like any clock, and tests move it forward or hold it.

To the node it is a `muster.runtime.clock.Clock`. A move goes from deadline to deadline: at each one the clock stands still,
whoever is due is woken, and what follows from it (writes, replies, further timers) settles before the clock moves on. So a jump of
an hour has the same effects, in the same order, as an hour. Used from the loop's thread only; never goes back.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from heapq import heappop, heappush

from muster.runtime.clock import Clock, Wake

Settle = Callable[[], Awaitable[None]]
"""Comes back when nothing is on its way to the log any more."""


class MovableWake:
    """A promise to be woken by a clock that tests move."""

    __slots__ = ("_callback",)

    def __init__(self, callback: Callable[[], None]) -> None:
        self._callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        self._callback = None

    def fire(self) -> None:
        callback, self._callback = self._callback, None
        if callback is not None:
            callback()


class KitClock(Clock):
    def __init__(self, loop: asyncio.AbstractEventLoop, start_ms: int | None = None, *, frozen: bool = False) -> None:
        """`start_ms`: what it shows first; None is the time of this machine."""
        self._loop = loop
        self._wakes: list[tuple[int, int, MovableWake]] = []
        self._sequence = 0
        self._timer: asyncio.TimerHandle | asyncio.Handle | None = None
        self._moves = asyncio.Lock()
        self._ahead_ms = (start_ms if start_ms is not None else time.time_ns() // 1_000_000) - _running_ms()
        """How far it is ahead of a clock that only runs."""
        self._standing_ms: int | None = None
        """What it shows while it stands: frozen by a test, or between two steps of a move."""
        self.is_frozen = False
        if frozen:
            self.freeze()

    # -- what the node asks

    def now_ms(self) -> int:
        return self._standing_ms if self._standing_ms is not None else _running_ms() + self._ahead_ms

    def ticks_ms(self) -> int:
        return self.now_ms()  # never set back: it serves for deadlines too

    def wake_at(self, deadline_ms: int, callback: Callable[[], None]) -> Wake:
        wake = MovableWake(callback)
        self._sequence += 1
        heappush(self._wakes, (deadline_ms, self._sequence, wake))
        if self._wakes[0][2] is wake:
            self._plan()
        return wake

    # -- what tests ask

    def freeze(self) -> None:
        """Stand still until it is moved or thawed. What is due already still happens."""
        self.is_frozen = True
        if self._standing_ms is None:
            self._stand_at(self.now_ms())

    def thaw(self) -> None:
        """Run again, from what it shows."""
        self.is_frozen = False
        if not self._moves.locked():
            self._run_on()

    async def advance(self, duration_ms: int, settle: Settle, before_step: Callable[[int], None] | None = None) -> None:
        """Move forward, deadline by deadline. `before_step` is told where the move will end, before each of its steps."""
        if duration_ms < 0:
            raise ValueError(f"a clock cannot go back: advance by {duration_ms} ms")
        async with self._moves:
            target_ms = self.now_ms() + duration_ms
            self._stand_at(self.now_ms())
            try:
                await settle()
                while self._step(target_ms, before_step):
                    await settle()
                self._standing_ms = target_ms
            finally:
                if not self.is_frozen:
                    self._run_on()

    def _step(self, target_ms: int, before_step: Callable[[int], None] | None) -> bool:
        """Go to the next deadline and wake whoever is due there; False if there is none on the way."""
        if before_step is not None:
            before_step(target_ms)
        if not self._wakes or self._wakes[0][0] > target_ms:
            return False
        self._standing_ms = max(self.now_ms(), self._wakes[0][0])
        self._wake_due()
        return True

    def _wake_due(self) -> None:
        """One round: what is set while it goes on waits for the next, also if it is due already."""
        due = []
        while self._wakes and self._wakes[0][0] <= self.now_ms():
            due.append(heappop(self._wakes)[2])
        for wake in due:
            wake.fire()

    # -- running

    def _stand_at(self, now_ms: int) -> None:
        self._standing_ms = now_ms
        self._plan()

    def _run_on(self) -> None:
        if self._standing_ms is not None:
            self._ahead_ms = self._standing_ms - _running_ms()
            self._standing_ms = None
        self._plan()

    def _plan(self) -> None:
        """Have the loop call for the earliest deadline. While the clock stands only what is due can come."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._wakes or self._moves.locked():
            return
        delay_ms = self._wakes[0][0] - self.now_ms()
        if delay_ms <= 0:
            self._timer = self._loop.call_soon(self._ring)
        elif self._standing_ms is None:
            # One millisecond more, as the system clock does it: nobody may be expelled before its time.
            self._timer = self._loop.call_later((delay_ms + 1) / 1000, self._ring)

    def _ring(self) -> None:
        self._timer = None
        if not self._moves.locked():  # a move wakes them itself
            self._wake_due()
            self._plan()


def _running_ms() -> int:
    """Monotonic: a correction of the machine's time must not expel anybody in a test."""
    return time.monotonic_ns() // 1_000_000
