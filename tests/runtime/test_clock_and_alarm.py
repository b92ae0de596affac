"""The movable clock, and one wake-up for many wheels."""

from __future__ import annotations

import pytest

from muster.core.replies import HeartbeatReply
from muster.runtime.alarm import Alarm
from muster.runtime.wheel import NEVER, TimerWheel
from muster.wire.errors import NONE, UNKNOWN_MEMBER_ID
from tests.movable_clock import MovableClock
from tests.runtime.test_coordinator import stable_group
from tests.runtime.world import World, beat


def test_a_movable_clock_wakes_in_the_order_of_deadlines_each_at_its_own_time() -> None:
    clock = MovableClock(1_000)
    woken: list[tuple[str, int]] = []
    clock.wake_at(1_300, lambda: woken.append(("late", clock.now_ms())))
    clock.wake_at(1_100, lambda: woken.append(("early", clock.now_ms())))
    clock.wake_at(1_200, lambda: woken.append(("never", clock.now_ms()))).cancel()
    clock.advance(500)
    assert woken == [("early", 1_100), ("late", 1_300)]
    assert clock.now_ms() == 1_500


def test_what_a_wake_asks_for_within_the_same_move_is_done_within_it() -> None:
    clock = MovableClock(0)
    woken: list[int] = []

    def at_ten() -> None:
        woken.append(clock.now_ms())
        clock.wake_at(20, lambda: woken.append(clock.now_ms()))

    clock.wake_at(10, at_ten)
    clock.advance(30)
    assert woken == [10, 20]


def test_an_alarm_rings_at_the_earliest_of_all_wheels_and_goes_on_with_the_next() -> None:
    clock = MovableClock(0)
    alarm = Alarm(clock)
    fired: list[tuple[str, int]] = []

    def sleeper(wheel: TimerWheel[str]) -> None:
        def ask(now_ms: int) -> int:
            fired.extend((key, now_ms) for key in wheel.due(now_ms))
            return wheel.next_slot_ms()

        alarm.join(ask)

    one: TimerWheel[str] = TimerWheel()
    two: TimerWheel[str] = TimerWheel()
    sleeper(one)
    sleeper(two)
    one.set("a", 300)
    alarm.not_later_than(300)
    two.set("b", 100)
    alarm.not_later_than(100)
    two.set("b", 200)
    clock.advance(1_000)
    assert fired == [("b", 200), ("a", 300)]
    assert alarm.wakes_at_ms == NEVER


def test_a_stopped_alarm_wakes_nobody() -> None:
    clock = MovableClock(0)
    alarm = Alarm(clock)
    calls: list[int] = []

    def count(now_ms: int) -> int:
        calls.append(now_ms)
        return NEVER

    alarm.join(count)
    alarm.not_later_than(10)
    alarm.stop()
    clock.advance(100)
    assert calls == []


def test_a_sleeper_that_fails_does_not_leave_the_others_asleep() -> None:
    clock = MovableClock(0)
    alarm = Alarm(clock)
    asked: list[int] = []

    def failing(now_ms: int) -> int:
        alarm.leave(failing)
        raise OSError("disk gone")

    def sound(now_ms: int) -> int:
        asked.append(now_ms)
        return NEVER

    alarm.join(failing)
    alarm.join(sound)
    alarm.not_later_than(10)
    with pytest.raises(OSError, match="disk gone"):
        clock.advance(10)
    clock.advance(1_000)
    assert asked == [1_010]


class SetClock(MovableClock):
    """A wall clock that somebody sets, beside ticks that nobody can."""

    def __init__(self) -> None:
        super().__init__(0)
        self.set_by_ms = 0

    def now_ms(self) -> int:
        return super().now_ms() + self.set_by_ms


def test_setting_the_wall_clock_expels_nobody_and_spares_nobody() -> None:
    world = World()
    clock = SetClock()
    world.clock = world.alarm._clock = world.coordinator._clock = clock
    world.start()
    (member,) = stable_group(world)
    clock.set_by_ms = 3_600_000
    world.advance(9_000)
    assert world.ask(beat(member, 1)).as_(HeartbeatReply).error == NONE
    clock.set_by_ms = -3_600_000
    world.advance(10_000)
    assert world.ask(beat(member, 1)).as_(HeartbeatReply).error == UNKNOWN_MEMBER_ID
