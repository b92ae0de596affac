"""Heartbeats that are all the same: only their timer is moved, as long as nothing else would come of them."""

from __future__ import annotations

from muster.core.replies import HeartbeatReply, JoinReply
from muster.runtime.pulse import Pulse
from muster.wire.errors import NONE, NOT_COORDINATOR, REBALANCE_IN_PROGRESS, UNKNOWN_MEMBER_ID
from tests.runtime.test_coordinator import stable_group
from tests.runtime.world import World, beat, join, sync

SESSION_MS = 10_000


def pulse_of(world: World, member_id: str, generation: int = 1) -> Pulse:
    request = beat(member_id, generation)
    assert world.ask(request).as_(HeartbeatReply).error == NONE
    pulse = world.coordinator.pulse_of(request)
    assert pulse is not None
    return pulse


def error_of_beat(world: World, member_id: str, generation: int = 1) -> int:
    return world.ask(beat(member_id, generation)).as_(HeartbeatReply).error


def test_a_pulse_keeps_a_session_alive_and_its_end_ends_it() -> None:
    world = World().start()
    (a,) = stable_group(world)
    pulse = pulse_of(world, a)
    for _ in range(20):
        world.advance(SESSION_MS - 1)
        assert pulse.beat()
    world.advance(SESSION_MS - 1)
    assert error_of_beat(world, a) == NONE
    world.advance(SESSION_MS)
    assert not pulse.beat()
    assert error_of_beat(world, a) == UNKNOWN_MEMBER_ID


def test_a_pulse_stops_for_a_rebalance_and_another_one_begins_after_it() -> None:
    world = World().start()
    (a,) = stable_group(world)
    pulse = pulse_of(world, a)
    newcomer = world.ask(join())
    assert not pulse.beat()
    assert world.coordinator.pulse_of(beat(a, 1)) is None
    assert error_of_beat(world, a) == REBALANCE_IN_PROGRESS
    world.ask(join(a))
    assert newcomer.as_(JoinReply).generation == 2
    world.ask(sync(a, 2))
    assert not pulse.beat()
    assert pulse_of(world, a, 2).beat()


def test_a_pulse_waits_with_everybody_else_for_records_of_groups() -> None:
    """A heartbeat behind a change of its group is judged after that change, so it has to be submitted."""
    world = World().start()
    (a,) = stable_group(world)
    pulse = pulse_of(world, a)
    joined = world.ask(join(group="other"))
    world.advance(1)
    other = joined.as_(JoinReply)
    stored = world.send(sync(other.member_id, 1, (other.member_id, b""), group="other"))
    beats = [(stored.answered, pulse.beat())]
    world.settle()
    beats.append((stored.answered, pulse.beat()))
    assert beats == [(False, False), (True, True)]


def test_a_pulse_ends_with_the_shard() -> None:
    world = World().start()
    (a,) = stable_group(world)
    pulse = pulse_of(world, a)
    world.coordinator.resign(0)
    assert not pulse.beat()
    assert world.coordinator.pulse_of(beat(a, 1)) is None
    assert error_of_beat(world, a) == NOT_COORDINATOR
    world.coordinator.elect(0, 1)
    world.settle()
    assert not pulse.beat()
    assert pulse_of(world, a).beat()


def test_a_pulse_is_silent_while_the_node_may_not_speak() -> None:
    world = World().start()
    (a,) = stable_group(world)
    lease = [True]
    world.coordinator.may_speak = lambda: lease[0]
    pulse = pulse_of(world, a)
    assert pulse.beat()
    lease[0] = False
    assert not pulse.beat()
    lease[0] = True
    assert pulse.beat()


def test_who_is_refused_has_no_pulse() -> None:
    world = World().start()
    (a,) = stable_group(world)
    assert error_of_beat(world, "nobody") == UNKNOWN_MEMBER_ID
    assert world.coordinator.pulse_of(beat("nobody", 1)) is None
    assert world.coordinator.pulse_of(beat(a, 2)) is None
    assert world.coordinator.pulse_of(beat(a, 1, group="never heard of")) is None
