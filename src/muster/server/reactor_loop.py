"""asyncio's loop with the reactor as its selector; or asyncio's own where the system has no epoll.

Everything asyncio can do works as ever (timers, tasks, threads, signals, streams, subprocesses): it sees a selector. Used by
whoever runs a server.
"""

from __future__ import annotations

import asyncio
import select
from collections.abc import Callable
from contextvars import Context
from selectors import BaseSelector
from typing import TypeVarTuple, cast

from muster.server.reactor import Reactor

_Arguments = TypeVarTuple("_Arguments")


class ReactorLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self.reactor = Reactor()
        super().__init__(cast(BaseSelector, self.reactor))
        queue = getattr(self, "_ready", None)
        if queue is not None:  # a Python that calls it something else is served as well, a little more slowly
            self.reactor.stay_while_empty(queue)

    def call_at(
        self,
        when: float,
        callback: Callable[[*_Arguments], object],
        *args: *_Arguments,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        self.reactor.not_later_than(when)
        return super().call_at(when, callback, *args, context=context)

    def stop(self) -> None:
        self.reactor.not_later_than(0)
        super().stop()


def new_event_loop() -> asyncio.AbstractEventLoop:
    return ReactorLoop() if hasattr(select, "epoll") else asyncio.new_event_loop()
