"""Requests that need old records of a database are worked out again when another thread has asked for what they lacked.

The loop goes on meanwhile. Each time everything is judged anew (who leads, where a log begins and ends), so that an answer
is as good as one that was given at once. Where nothing has to be asked for, it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from muster.log.postgres.line import Line
from muster.log.postgres.questions import Questions, Reading
from muster.runtime.writer_thread import Step, WriterThread

MOST_ROUNDS: Final = 12
"""A request that still lacks something then is answered with what it has: an error that makes the client come again."""


class Waiting(Protocol):
    """The part of a call that is needed here."""

    @property
    def is_abandoned(self) -> bool: ...

    def resume(self, step: Callable[[], None]) -> None: ...


class ReadsApart:
    def __init__(self, questions: Questions, line: Line, tell: Callable[[Step], object]) -> None:
        """`line`: a connection for this alone. `tell`: the loop's `call_soon_threadsafe`."""
        self.questions = questions
        self.line = line
        self._tell = tell
        self._thread: WriterThread | None = None
        self._is_closed = False

    def run(self, call: Waiting, look: Step, then: Step) -> None:
        """`look`: reads from logs; it may be called several times, and only what it found the last time counts. `then`:
        called once, with all of it found or failed, unless the client has gone."""
        _Run(self, call, look, then).go_on()

    def ask(self, work: Step, then: Step) -> bool:
        """Do this in the thread; False when it is too late for that."""
        if self._is_closed:
            return False
        if self._thread is None:
            self._thread = WriterThread(self._tell, "muster-reads")
        self._thread.run(work, then)
        return True

    def close(self) -> None:
        """Waits for what is being asked, no longer than the connection's patience lasts."""
        self._is_closed = True
        if self._thread is not None:
            self._thread.close()


class _Run:
    """One request."""

    __slots__ = ("_apart", "_call", "_look", "_reading", "_rounds", "_then")

    def __init__(self, apart: ReadsApart, call: Waiting, look: Step, then: Step) -> None:
        self._apart = apart
        self._call = call
        self._look = look
        self._then = then
        self._reading = Reading()
        self._rounds = 0

    def go_on(self) -> None:
        questions = self._apart.questions
        questions.reading = self._reading
        try:
            self._look()
        finally:
            questions.reading = None
        self._rounds += 1
        if self._reading.open and self._rounds < MOST_ROUNDS and self._apart.ask(self._ask, self._come_back):
            return
        self._then()

    def _ask(self) -> None:
        self._reading.answer(self._apart.line)

    def _come_back(self) -> None:
        if not self._call.is_abandoned:
            self._call.resume(self.go_on)
