"""What one process of a cluster sees of time: a clock that runs a little wrong, and a stop in which nothing happens.

A process that is stopped (SIGSTOP) and goes on finds what came meanwhile: requests in its sockets, answers of the
database, timers that are long due. Its sockets come first, as in asyncio.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from math import ceil
from typing import Any, cast

from muster.log.contract import StorageError
from muster.sim.scheduler import Planned, Scheduler, ServerLoop


class NodeLoop(ServerLoop):
    def __init__(self, scheduler: Scheduler, start_ms: int, rate: float) -> None:
        """`rate`: how many of its milliseconds pass in a true one."""
        super().__init__(scheduler, start_ms)
        self.rate = rate
        self.is_paused = False
        self._from_outside: list[Callable[[], None]] = []
        self._due: list[Callable[[], None]] = []
        self._errand: Coroutine[Any, Any, None] | None = None
        """Not begun yet."""

    # -- as a clock

    def ticks_ms(self) -> int:
        return int(self._scheduler.now_ms * self.rate)

    def now_ms(self) -> int:
        return self.ticks_ms() + self._offset_ms

    def time(self) -> float:
        return self._scheduler.now_ms * self.rate / 1000

    def wake_at(self, deadline_ms: int, callback: Callable[[], None]) -> Planned:
        return self._scheduler.at(ceil(deadline_ms / self.rate), self._while_alive(callback, ()))

    def call_later(self, delay: float, callback: Callable[..., Any], *args: Any, context: Any = None) -> Any:
        return self._scheduler.after(max(0, ceil(delay * 1000 / self.rate)), self._while_alive(callback, args))

    # -- as the loop of the few coroutines that a node has

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=cast(Any, self))

    def get_debug(self) -> bool:
        return False

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """A process that died while it waited never heard what went wrong."""

    def run_in_executor(self, executor: None, work: Callable[[], Any]) -> asyncio.Future[Any]:
        """Done a moment later, in the one thread there is."""
        future = self.create_future()

        def do() -> None:
            try:
                future.set_result(work())
            except StorageError as error:
                future.set_exception(error)

        self.call_later(0.002, do)
        return future

    def run(self, errand: Coroutine[Any, Any, None], then: Callable[[], None]) -> None:
        """Go on with a coroutine whenever what it waits for is there."""

        self._errand = errand

        def step(_: object) -> None:
            self._errand = None
            try:
                waited_for = errand.send(None)
            except StopIteration:
                then()
            else:
                waited_for._asyncio_future_blocking = False
                waited_for.add_done_callback(step)

        self.enter(step, None)

    # -- stopping and going on

    def end(self) -> None:
        self.alive = False
        if self._errand is not None:
            self._errand.close()  # a process that is stopped when it is told to end, and is killed

    def pause(self) -> None:
        self.is_paused = True

    def resume(self) -> None:
        self.is_paused = False
        waiting = self._from_outside + self._due
        self._from_outside, self._due = [], []
        for step in waiting:
            step()

    def enter(self, callback: Callable[..., Any], *arguments: Any) -> None:
        """Something reaches the process from outside."""
        if not self.alive:
            return
        if self.is_paused:
            self._from_outside.append(lambda: self.enter(callback, *arguments))
        else:
            super().enter(callback, *arguments)

    def _while_alive(self, callback: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[[], Any]:
        def call() -> None:
            if not self.alive:
                return
            if self.is_paused:
                self._due.append(call)
            else:
                super(NodeLoop, self).enter(callback, *arguments)

        return call
