"""A thread and a connection to the database that belong together: whatever is asked there waits there, one thing after the other.

The thread is made when it is first needed. What is done in it is known to `reads_apart`, `opening_apart` and `changes_apart`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from muster.runtime.writer_thread import Step, WriterThread

if TYPE_CHECKING:
    from muster.log.postgres.line import Line


class DatabaseLane:
    def __init__(self, line: Line, tell: Callable[[Step], object], name: str) -> None:
        """`tell`: the loop's `call_soon_threadsafe`."""
        self.line = line
        self._tell = tell
        self._name = name
        self._thread: WriterThread | None = None
        self._is_closed = False

    def run(self, work: Step, then: Step) -> bool:
        """Do `work` in the thread, then have the loop call `then`. `work` does not raise. False when it is too late for that."""
        if self._is_closed:
            return False
        if self._thread is None:
            self._thread = WriterThread(self._tell, self._name)
        self._thread.run(work, then)
        return True

    def close(self) -> None:
        """Ends what is being asked, and waits for the end of the thread."""
        self._is_closed = True
        self.line.is_held = True  # what is still to come fails at once
        if self._thread is not None:
            self.line.cut()
            self._thread.close()
