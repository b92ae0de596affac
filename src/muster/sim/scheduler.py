"""Virtual time: one queue of events in the order of their times, then of their making. Nothing else moves the world.

`Scheduler` is the world's; a `ServerLoop` is what one incarnation of the server sees of it, as event loop and as
clock. When the server crashes its loop dies with it: what it had planned never happens.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any, cast

from muster.runtime.clock import Clock


class Planned:
    """An event to come; what asyncio calls a handle."""

    __slots__ = ("_callback",)

    def __init__(self, callback: Callable[[], Any]) -> None:
        self._callback: Callable[[], Any] | None = callback

    def cancel(self) -> None:
        self._callback = None

    def happen(self) -> None:
        callback, self._callback = self._callback, None
        if callback is not None:
            callback()


class Scheduler:
    def __init__(self) -> None:
        self.now_ms = 0
        self.steps = 0
        self._sequence = 0
        self._queue: list[tuple[int, int, Planned]] = []

    def at(self, time_ms: int, callback: Callable[[], Any]) -> Planned:
        planned = Planned(callback)
        self._sequence += 1
        heappush(self._queue, (max(time_ms, self.now_ms), self._sequence, planned))
        return planned

    def after(self, delay_ms: int, callback: Callable[[], Any]) -> Planned:
        return self.at(self.now_ms + delay_ms, callback)

    def run_until(self, time_ms: int) -> None:
        while self._queue and self._queue[0][0] <= time_ms:
            self.now_ms, _, planned = heappop(self._queue)
            self.steps += 1
            planned.happen()
        self.now_ms = max(self.now_ms, time_ms)


class ServerLoop(Clock):
    """Only what the server uses of a loop, and the clock that it reads, which may jump."""

    def __init__(self, scheduler: Scheduler, start_ms: int) -> None:
        self._scheduler = scheduler
        self._offset_ms = start_ms
        self.alive = True

    # -- as a clock

    def now_ms(self) -> int:
        return self._scheduler.now_ms + self._offset_ms

    def ticks_ms(self) -> int:
        return self._scheduler.now_ms

    def wake_at(self, deadline_ms: int, callback: Callable[[], None]) -> Planned:
        return self._scheduler.at(deadline_ms, self._while_alive(callback, ()))

    def jump(self, by_ms: int) -> None:
        """The wall clock is set."""
        self._offset_ms += by_ms

    # -- as a loop

    def call_soon(self, callback: Callable[..., Any], *args: Any, context: Any = None) -> Any:
        return self._scheduler.after(0, self._while_alive(callback, args))

    def call_soon_threadsafe(self, callback: Callable[..., Any], *args: Any, context: Any = None) -> Any:
        return self.call_soon(callback, *args)

    def call_later(self, delay: float, callback: Callable[..., Any], *args: Any, context: Any = None) -> Any:
        return self._scheduler.after(max(0, round(delay * 1000)), self._while_alive(callback, args))

    def time(self) -> float:
        return self._scheduler.now_ms / 1000

    def _while_alive(self, callback: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[[], Any]:
        def call() -> None:
            if self.alive:
                self.enter(callback, *arguments)

        return call

    def enter(self, callback: Callable[..., Any], *arguments: Any) -> None:
        """Run as part of this loop: code below may ask for the running one."""
        asyncio._set_running_loop(cast(Any, self))
        try:
            callback(*arguments)
        finally:
            asyncio._set_running_loop(None)
