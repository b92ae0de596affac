"""An event loop that turns when a test says so: only the part of asyncio's that the runtime uses."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any


class Scheduled:
    def __init__(self, callback: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.run: Callable[[], Any] | None = lambda: callback(*arguments)

    def cancel(self) -> None:
        self.run = None


class ManualLoop:
    def __init__(self) -> None:
        self._ready: deque[Scheduled] = deque()

    def call_soon(self, callback: Callable[..., Any], *arguments: Any) -> Scheduled:
        scheduled = Scheduled(callback, arguments)
        self._ready.append(scheduled)
        return scheduled

    call_soon_threadsafe = call_soon

    def turn(self) -> None:
        """One round: what is ready now, not what becomes ready by it."""
        for _ in range(len(self._ready)):
            scheduled = self._ready.popleft()
            if scheduled.run is not None:
                scheduled.run()

    @property
    def is_idle(self) -> bool:
        return not self._ready

    def run_until_idle(self) -> None:
        while self._ready:
            self.turn()
