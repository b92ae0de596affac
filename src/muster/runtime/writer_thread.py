"""The thread that writes and syncs: one at a time, in order, and the loop is told when it is done.

A pool's futures and locks cost more than the writes of a small commit do; a queue and a thread are all that is needed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import TypeAlias

Step: TypeAlias = Callable[[], None]

_log = logging.getLogger("muster.runtime")


class WriterThread:
    def __init__(self, tell: Callable[[Step], object], name: str = "muster-commit") -> None:
        """`tell`: the loop's `call_soon_threadsafe`."""
        self._tell = tell
        self._steps: SimpleQueue[tuple[Step, Step] | None] = SimpleQueue()
        self._thread = Thread(target=self._go_on, name=name, daemon=True)
        self._thread.start()

    def run(self, work: Step, then: Step) -> None:
        """Do `work` in the thread, then have the loop call `then`. `work` does not raise."""
        self._steps.put((work, then))

    def close(self) -> None:
        """Waits for what was handed over."""
        self._steps.put(None)
        self._thread.join()

    def _go_on(self) -> None:
        while True:
            step = self._steps.get()
            if step is None:
                return
            work, then = step
            try:
                work()
            except Exception:
                # What comes after it must not wait for ever. `then` is not called: it would take the work for done.
                _log.critical("work in the thread %s failed", self._thread.name, exc_info=True)
            else:
                self._tell(then)
