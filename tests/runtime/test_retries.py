"""Steps that are tried again: after the delay, together, in order, and not for ever."""

from __future__ import annotations

import pytest

from muster.runtime.retries import Retries
from tests.movable_clock import MovableClock

DELAY_MS, LONGEST_MS = 20, 100


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def retries(clock: MovableClock) -> Retries:
    return Retries(clock, DELAY_MS, LONGEST_MS)


def test_a_step_is_called_once_when_its_delay_is_over(clock: MovableClock, retries: Retries) -> None:
    called: list[str] = []
    assert retries.try_again(clock.ticks_ms(), lambda: called.append("a"))
    clock.advance(DELAY_MS - 1)
    assert called == []
    clock.advance(1)
    assert called == ["a"]
    clock.advance(10 * DELAY_MS)
    assert called == ["a"]


def test_steps_keep_their_order_and_each_its_own_time(clock: MovableClock, retries: Retries) -> None:
    called: list[tuple[str, int]] = []
    began_ms = clock.ticks_ms()
    for name, pause_ms in (("a", 0), ("b", 5), ("c", 7)):
        retries.try_again(clock.ticks_ms(), lambda name=name: called.append((name, clock.ticks_ms() - began_ms)))  # type: ignore[misc]
        clock.advance(pause_ms)
    clock.advance(LONGEST_MS)
    assert called == [("a", DELAY_MS), ("b", DELAY_MS), ("c", DELAY_MS + 5)]


def test_what_was_tried_for_long_enough_is_not_tried_again(clock: MovableClock, retries: Retries) -> None:
    began_ms = clock.ticks_ms()
    clock.advance(LONGEST_MS - 1)
    assert retries.try_again(began_ms, lambda: None)
    clock.advance(1)
    assert not retries.try_again(began_ms, lambda: None)


def test_a_step_may_ask_for_another_try(clock: MovableClock, retries: Retries) -> None:
    tries: list[int] = []
    began_ms = clock.ticks_ms()

    def step() -> None:
        tries.append(clock.ticks_ms() - began_ms)
        retries.try_again(began_ms, step)

    step()
    clock.advance(10 * LONGEST_MS)
    assert tries == [0, 20, 40, 60, 80, 100]
    assert len(retries) == 0


def test_a_step_that_fails_does_not_keep_the_others_from_their_turn(clock: MovableClock, retries: Retries) -> None:
    called: list[str] = []

    def fail() -> None:
        raise RuntimeError("on purpose")

    retries.try_again(clock.ticks_ms(), fail)
    retries.try_again(clock.ticks_ms(), lambda: called.append("b"))
    with pytest.raises(RuntimeError):
        clock.advance(DELAY_MS)
    clock.advance(1)
    assert called == ["b"]
