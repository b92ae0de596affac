"""Members of a consumer group do not wait for each other's records; what changes more than one member waits for all of them."""

from __future__ import annotations

from muster.core.consumer.replies import ConsumerHeartbeatReply
from muster.core.consumer.requests import ConsumerHeartbeat
from muster.wire.errors import NONE
from tests.runtime.world import HeldTicket, World


def heartbeat(member_id: str, epoch: int, names: tuple[str, ...] | None = None) -> ConsumerHeartbeat:
    joins = epoch == 0
    return ConsumerHeartbeat(
        "g",
        member_id,
        epoch,
        None,
        None,
        60_000 if joins else -1,
        ("foo",) if joins else names,
        None,
        None,
        {} if joins else None,
        "client",
        "/127.0.0.1",
        True,
    )


def group_of(*member_ids: str) -> World:
    """All but the last one have a newer target to step to."""
    world = World(consumer_assignment_interval_ms=0).start()
    for member_id in member_ids:
        assert world.ask(heartbeat(member_id, 0)).as_(ConsumerHeartbeatReply).error == NONE
    return world


def epoch_of(world: World, member_id: str) -> int:
    runner = world.coordinator.places[0].runner
    assert runner is not None
    return runner.shard.consumer_groups["g"].members[member_id].current.epoch


def told(ticket: HeldTicket) -> int:
    reply = ticket.as_(ConsumerHeartbeatReply)
    assert reply.error == NONE
    return reply.member_epoch


def test_members_that_take_a_step_of_their_own_are_stored_together() -> None:
    world = group_of("a", "b", "c")
    end = world.log().end_offset
    steps = [world.send(heartbeat(each, epoch_of(world, each))) for each in ("a", "b")]
    assert world.log().end_offset == end + 2, "neither waits until the other's record is durable"
    world.settle()
    assert [told(step) for step in steps] == [4, 4]


def test_a_second_step_of_the_same_member_waits_for_the_first() -> None:
    world = group_of("a", "b")
    end = world.log().end_offset
    first, again = (world.send(heartbeat("a", 2)) for _ in range(2))
    assert world.log().end_offset == end + 1
    world.settle()
    assert told(first) == 3
    assert again.as_(ConsumerHeartbeatReply).error != NONE, "its epoch is the one before by now"


def test_a_member_that_joins_waits_for_the_steps_and_is_not_overtaken() -> None:
    world = group_of("a", "b", "c")
    end = world.log().end_offset
    step = world.send(heartbeat("a", 2))
    joining = world.send(heartbeat("d", 0))
    behind = world.send(heartbeat("b", 3))
    assert world.log().end_offset == end + 1
    world.settle()
    assert (told(step), told(joining), told(behind)) == (4, 5, 5)


def test_steps_that_waited_for_a_join_are_stored_together_after_it() -> None:
    world = group_of("a", "b", "c")
    joining = world.send(heartbeat("d", 0))
    steps = [world.send(heartbeat(each, epoch)) for each, epoch in (("a", 2), ("b", 3), ("c", 4))]
    while not joining.answered:
        world.loop.turn()
    runner = world.coordinator.places[0].runner
    assert runner is not None
    assert len(runner._in_flight) == 3
    world.settle()
    assert [told(step) for step in steps] == [5, 5, 5]


def test_a_member_that_changes_its_subscription_waits_for_the_steps_of_others() -> None:
    world = group_of("a", "b", "c")
    end = world.log().end_offset
    world.send(heartbeat("a", 2))
    changing = world.send(heartbeat("b", 3, ("bar", "foo")))
    assert world.log().end_offset == end + 1
    world.settle()
    assert told(changing) == 5


def test_a_timer_that_is_due_meanwhile_is_not_put_off_by_more_and_more_steps() -> None:
    world = group_of("a", "b", "c")
    world.send(heartbeat("a", 2))
    world.advance_in_flight(45_000)
    end = world.log().end_offset
    world.send(heartbeat("b", 3))
    assert world.log().end_offset == end, "sessions have ended, and come first"


def test_a_request_whose_turn_came_just_before_its_time_was_over_is_answered_once() -> None:
    """It had waited for nearly `offsets.commit.timeout.ms`; its own records have as long again."""
    world = group_of("a", "b")
    joining = world.send(heartbeat("c", 0))
    behind = world.send(heartbeat("a", 2))
    world.advance_in_flight(4_999)
    while not joining.answered:
        world.loop.turn()
    world.advance_in_flight(1)
    assert not behind.answered
    world.settle()
    assert told(behind) == 4
