"""What fails is tried again ever more seldom; something else that fails begins anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from muster.runtime.backoff import Backoff
from tests.runtime.manual_loop import Scheduled


class Timers:
    def __init__(self) -> None:
        self.tried = 0
        self.delays: list[float] = []
        self._due: list[Scheduled] = []

    def call_later(self, delay_s: float, callback: Callable[[], Any]) -> Any:
        self.delays.append(delay_s)
        self._due.append(Scheduled(callback, ()))
        return cast(Any, self._due[-1])

    def step(self) -> None:
        self.tried += 1

    def run_out(self) -> None:
        due, self._due = self._due, []
        for timer in due:
            if timer.run is not None:
                timer.run()


@pytest.fixture
def timers() -> Timers:
    return Timers()


@pytest.fixture
def backoff(timers: Timers) -> Backoff:
    return Backoff(timers.call_later, timers.step)


def test_what_fails_again_and_again_is_tried_at_once_and_then_ever_more_seldom(
    backoff: Backoff, timers: Timers
) -> None:
    for _ in range(9):
        backoff.try_again("this")
        timers.run_out()
    assert timers.delays == [1, 2, 4, 8, 16, 32, 60, 60]
    assert timers.tried == 9


def test_what_is_said_while_it_waits_for_its_time_changes_nothing(backoff: Backoff, timers: Timers) -> None:
    for _ in range(5):
        backoff.try_again("this")
    assert (timers.tried, timers.delays) == (1, [1])


def test_something_else_is_tried_at_once_and_what_waited_is_not_tried_beside_it(
    backoff: Backoff, timers: Timers
) -> None:
    backoff.try_again("this")
    backoff.try_again("this")
    backoff.try_again("that")
    timers.run_out()
    assert timers.tried == 2
    backoff.try_again("that")
    assert timers.delays == [1, 1]


def test_what_works_again_begins_anew_when_it_fails_the_next_time(backoff: Backoff, timers: Timers) -> None:
    backoff.try_again("this")
    backoff.try_again("this")
    backoff.stop()
    timers.run_out()
    assert timers.tried == 1
    backoff.try_again("this")
    assert (timers.tried, timers.delays) == (2, [1])
