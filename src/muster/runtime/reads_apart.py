"""Whatever needs records of a database is worked out again when another thread has asked for what it lacked.

The loop goes on meanwhile. Each time everything is judged anew (who leads, where a log begins and ends), so that an answer
is as good as one that was given at once. Where nothing has to be asked for, it is.
"""

from __future__ import annotations

from typing import Final

from muster.log.postgres.questions import Questions, Reading
from muster.runtime.database_lane import DatabaseLane
from muster.runtime.waiting import Unhurried, Waiting
from muster.runtime.writer_thread import Step

MOST_ROUNDS: Final = 1_000
"""A request that still lacks something then is answered with what it has: an error that makes the client come again. Who reads
the headers of a whole log gets thousands of them with each round."""


class ReadsApart:
    def __init__(self, questions: Questions, lane: DatabaseLane) -> None:
        self.questions = questions
        self.lane = lane

    def run(self, call: Waiting, look: Step, then: Step) -> None:
        """`look`: reads from logs; it may be called several times, and only what it found the last time counts. `then`:
        called once, with all of it found or failed, unless the client has gone."""
        _Run(self, call, look, then).go_on()

    def run_unhurried(self, look: Step, then: Step) -> None:
        _Run(self, Unhurried(), look, then).go_on()


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
        self._reading.begin_round()
        questions.reading = self._reading
        try:
            self._look()
        finally:
            questions.reading = None
        self._rounds += 1
        if self._reading.open and self._rounds < MOST_ROUNDS and self._apart.lane.run(self._ask, self._come_back):
            return
        self._then()

    def _ask(self) -> None:
        self._reading.answer(self._apart.lane.line)

    def _come_back(self) -> None:
        if not self._call.is_abandoned:
            self._call.resume(self.go_on)
