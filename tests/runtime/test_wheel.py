"""Keyed deadlines (spec 6.2) and the exactly-once guarantees of delayed operations (spec 6.1)."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from muster.runtime import wheel as wheel_module
from muster.runtime.wheel import NEVER, TimerWheel


def due(wheel: TimerWheel[str], now_ms: int) -> list[str]:
    return list(wheel.due(now_ms))


def deadline_of(wheel: TimerWheel[str], key: str) -> int | None:
    timer = wheel.timer_of(key)
    return None if timer is None else timer.deadline_ms


def test_a_deadline_fires_once_and_not_before_its_time() -> None:
    wheel: TimerWheel[str] = TimerWheel()
    wheel.set("a", 100)
    assert due(wheel, 99) == []
    assert due(wheel, 100) == ["a"]
    assert due(wheel, 1_000) == []
    assert len(wheel) == 0


def test_a_deadline_that_was_moved_away_fires_only_at_the_new_time() -> None:
    wheel: TimerWheel[str] = TimerWheel()
    wheel.set("a", 100)
    wheel.set("a", 250)
    assert due(wheel, 249) == []
    assert deadline_of(wheel, "a") == 250
    assert due(wheel, 250) == ["a"]


def test_a_deadline_that_was_moved_closer_fires_at_the_new_time_and_never_again() -> None:
    wheel: TimerWheel[str] = TimerWheel()
    wheel.set("a", 250)
    wheel.set("a", 100)
    assert wheel.next_slot_ms() == 100
    assert due(wheel, 100) == ["a"]
    assert due(wheel, 1_000) == []


def test_moving_a_deadline_away_files_nothing() -> None:
    """Law 8: a heartbeat only writes a number, however often it comes."""
    wheel: TimerWheel[str] = TimerWheel()
    wheel.set("member", 45_000)
    for now_ms in range(0, 40_000, 3):
        wheel.set("member", now_ms + 45_000)
    assert sum(len(keys) for keys in wheel._slots.values()) == 1
    assert len(wheel._order) == 1


def test_a_timer_that_is_put_off_by_itself_fires_at_the_new_time() -> None:
    wheel: TimerWheel[str] = TimerWheel()
    wheel.set("a", 100)
    timer = wheel.timer_of("a")
    assert timer is not None
    assert timer.put_off(250)
    assert deadline_of(wheel, "a") == 250
    assert due(wheel, 249) == []
    assert timer.put_off(400)
    assert due(wheel, 399) == []
    assert due(wheel, 400) == ["a"]


def test_a_timer_cannot_be_put_off_to_before_its_slot_nor_after_its_end() -> None:
    wheel: TimerWheel[str] = TimerWheel()
    for key in ("a", "fires", "cancelled", "cleared"):
        wheel.set(key, 100)
    timers = {key: wheel.timer_of(key) for key in ("a", "fires", "cancelled", "cleared")}
    early = timers["a"]
    assert early is not None
    assert not early.put_off(99)
    assert deadline_of(wheel, "a") == 100
    wheel.cancel("cancelled")
    wheel.set("a", 200)
    wheel.set("cleared", 200)
    assert due(wheel, 100) == ["fires"]
    wheel.clear()
    assert [key for key, timer in timers.items() if timer is not None and timer.put_off(10_000)] == []
    assert wheel.timer_of("a") is None


def test_a_cancelled_deadline_never_fires() -> None:
    wheel: TimerWheel[str] = TimerWheel()
    wheel.set("a", 100)
    wheel.cancel("a")
    wheel.cancel("never set")
    assert due(wheel, 1_000) == []


def test_what_an_expiry_cancels_or_moves_does_not_fire_in_the_same_round() -> None:
    """A timer that is already due but whose turn has not come is judged when it comes (T119)."""
    wheel: TimerWheel[str] = TimerWheel()
    for key in ("a", "b", "c", "d"):
        wheel.set(key, 100)
    fired = []
    for key in wheel.due(100):
        fired.append(key)
        if key == "a":
            wheel.cancel("b")
            wheel.set("c", 300)
    assert fired == ["a", "d"]
    assert due(wheel, 300) == ["c"]


def test_a_timer_that_sets_itself_again_without_delay_waits_for_the_next_round() -> None:
    wheel: TimerWheel[str] = TimerWheel()
    wheel.set("a", 100)
    rounds = 0
    for key in wheel.due(100):
        rounds += 1
        wheel.set(key, 100)
    assert rounds == 1
    assert wheel.next_slot_ms() == 100
    assert due(wheel, 100) == ["a"]


def test_a_key_that_was_cancelled_and_set_again_fires_once() -> None:
    wheel: TimerWheel[str] = TimerWheel()
    wheel.set("a", 100)
    wheel.cancel("a")
    wheel.set("a", 100)
    assert due(wheel, 100) == ["a"]


def test_cancelled_deadlines_that_are_weeks_away_are_not_kept_until_then() -> None:
    """A Fetch may wait for 24 days and be answered at once: what its key holds must go with it."""
    wheel: TimerWheel[str] = TimerWheel()
    wheel.set("alive", 5_000)
    for number in range(20_000):
        wheel.set(f"poll {number}", 2_000_000_000 + number % 7)
        wheel.cancel(f"poll {number}")
    assert sum(len(keys) for keys in wheel._slots.values()) < 2_000
    assert due(wheel, 5_000) == ["alive"]
    assert due(wheel, 3_000_000_000) == []


def test_an_empty_wheel_has_nothing_to_wait_for() -> None:
    wheel: TimerWheel[str] = TimerWheel()
    assert wheel.next_slot_ms() == NEVER
    wheel.set("a", 5)
    wheel.clear()
    assert wheel.next_slot_ms() == NEVER
    assert due(wheel, 10) == []


@given(
    st.lists(
        st.tuples(st.sampled_from(["set", "cancel", "advance"]), st.sampled_from("abcdef"), st.integers(0, 40)),
        max_size=120,
    ),
    st.sampled_from([-100, 1_000]),
)
def test_any_history_fires_what_a_plain_dictionary_of_deadlines_would(
    steps: list[tuple[str, str, int]], dead_keys_kept: int
) -> None:
    """With a negative limit every cancellation files the rest anew."""
    with patch.object(wheel_module, "_DEAD_KEYS_KEPT", dead_keys_kept):
        _check_history(steps)


def _check_history(steps: list[tuple[str, str, int]]) -> None:
    wheel: TimerWheel[str] = TimerWheel()
    deadlines: dict[str, int] = {}
    now_ms = 0
    for action, key, number in steps:
        if action == "set":
            wheel.set(key, now_ms + 1 + number)
            deadlines[key] = now_ms + 1 + number
        elif action == "cancel":
            wheel.cancel(key)
            deadlines.pop(key, None)
        else:
            for _ in range(number):
                now_ms += 1
                fired = due(wheel, now_ms)
                assert sorted(fired) == sorted(k for k, deadline in deadlines.items() if deadline <= now_ms)
                for k in fired:
                    del deadlines[k]
        assert {k: deadline_of(wheel, k) for k in deadlines} == deadlines
        assert wheel.next_slot_ms() <= min(deadlines.values(), default=NEVER)
