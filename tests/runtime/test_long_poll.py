"""A parked fetch fires exactly once: when enough is there, at its deadline, or never if its client went away."""

from __future__ import annotations

from muster.log.contract import LogConfig, PartitionLog
from muster.log.memory import MemoryStore
from muster.runtime.alarm import Alarm
from muster.runtime.long_poll import LongPolls, ParkedPoll
from tests.movable_clock import MovableClock


class World:
    def __init__(self) -> None:
        self.clock = MovableClock(0)
        self.polls = LongPolls(Alarm(self.clock))
        self.store = MemoryStore()
        self.ready = False
        self.fired: list[int] = []

    def log(self, topic: str) -> PartitionLog:
        return self.store.open(topic, 0, bytes(16), LogConfig())

    def park(self, *logs: PartitionLog, deadline_ms: int = 500) -> ParkedPoll:
        return self.polls.park(logs, deadline_ms, lambda: self.ready, lambda: self.fired.append(self.clock.now_ms()))


def test_a_poll_fires_at_its_deadline_when_nothing_came() -> None:
    world = World()
    world.park(world.log("t"))
    world.clock.advance(499)
    assert world.fired == []
    world.clock.advance(1)
    assert world.fired == [500]
    assert len(world.polls) == 0


def test_a_poll_fires_once_when_enough_came_to_any_of_its_logs() -> None:
    world = World()
    one, two = world.log("one"), world.log("two")
    world.park(one, two)
    world.polls.on_advance(one)
    assert world.fired == [], "not enough yet"
    world.ready = True
    world.polls.on_advance(two)
    world.polls.on_advance(one)
    world.clock.advance(1_000)
    assert world.fired == [0]


def test_a_poll_does_not_look_at_other_logs() -> None:
    world = World()
    world.park(world.log("t"))
    world.ready = True
    world.polls.on_advance(world.log("other"))
    assert world.fired == []


def test_a_cancelled_poll_never_fires() -> None:
    world = World()
    log = world.log("t")
    poll = world.park(log)
    poll.cancel()
    poll.cancel()
    world.ready = True
    world.polls.on_advance(log)
    world.clock.advance(1_000)
    assert world.fired == []


def test_at_a_stop_everybody_is_answered_with_what_there_is() -> None:
    world = World()
    world.park(world.log("one"), world.log("two"))
    world.park(world.log("two"))
    world.polls.fire_all()
    assert world.fired == [0, 0]
    assert len(world.polls) == 0


def test_a_poll_without_logs_waits_for_its_deadline_alone() -> None:
    world = World()
    world.park(deadline_ms=300)
    world.clock.advance(300)
    assert world.fired == [300]
