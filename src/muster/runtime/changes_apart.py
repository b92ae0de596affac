"""What changes something in a database, or reads what another node has changed: done in a thread that takes turns with the loop.

One change after the other, each as one piece of code that finds everything as it left it, but for what the loop does while the
database is waited for: partitions come and go, records are appended, nobody else makes or changes topics, users and the like.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from muster.log.postgres.turn import Turn
from muster.runtime.database_lane import DatabaseLane
from muster.runtime.writer_thread import Step


class ChangesApart:
    def __init__(self, lane: DatabaseLane, tell: Callable[[Step], object]) -> None:
        """`tell`: the loop's `call_soon_threadsafe`."""
        self._lane = lane
        self._turn = Turn(tell)

    def begin(self) -> None:
        """From now on the loop serves others: its own thread asks nothing any more."""
        self._lane.line.turn = self._turn

    def run(self, work: Callable[[], Any], then: Callable[[Callable[[], Any]], None]) -> None:
        """`then` is called in the loop with what gives the result of `work`, or raises what it raised. Not at all when the node
        stops."""
        change = _Change(self._turn, work, then)
        self._lane.run(change.do, change.tell)

    def close(self) -> None:
        self._turn.close()
        self._lane.close()


class _Change:
    __slots__ = ("_failure", "_result", "_then", "_turn", "_work")

    def __init__(self, turn: Turn, work: Callable[[], Any], then: Callable[[Callable[[], Any]], None]) -> None:
        self._turn = turn
        self._work = work
        self._then = then
        self._result: Any = None
        self._failure: Exception | None = None

    def do(self) -> None:
        """In the thread."""
        with self._turn.taken():
            try:
                self._result = self._work()
            except Exception as failure:
                self._failure = failure

    def tell(self) -> None:
        self._then(self._outcome)

    def _outcome(self) -> Any:
        failure, self._failure = self._failure, None  # no circle: its traceback knows the change
        if failure is not None:
            raise failure
        return self._result
