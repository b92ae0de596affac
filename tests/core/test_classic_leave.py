"""LeaveGroup (spec 3.12; scenarios 11.8)."""

from __future__ import annotations

from muster.core.classic.states import COMPLETING_REBALANCE, EMPTY, PREPARING_REBALANCE, STABLE
from muster.core.records import GroupStored
from muster.core.replies import JoinReply, LeaveReply
from muster.wire import errors
from tests.core.world import World, numbered

UNKNOWN = errors.UNKNOWN_MEMBER_ID


def test_unknown_member_is_an_error_of_its_entry() -> None:
    """T122: the handler lifts it to the top for old clients."""
    world = World()
    world.stable(None)
    assert world.leave("nobody").reply == LeaveReply(errors.NONE, (("nobody", None, UNKNOWN),))
    assert world.state() is STABLE


def test_unknown_group_makes_every_entry_unknown() -> None:
    """T123."""
    reply = World().leave("a", ("", "i")).reply
    assert reply == LeaveReply(errors.NONE, (("a", None, UNKNOWN), ("", "i", UNKNOWN)))


def test_last_member_that_leaves_a_stable_group_empties_it_at_once() -> None:
    """T124: answered when the record without members is durable."""
    world = World()
    (a,) = world.stable(None)
    world.hold()
    call = world.leave(a)
    assert call.waiting
    assert (world.state(), world.group.generation) == (EMPTY, 2)
    world.release()
    assert call.reply == LeaveReply(errors.NONE, ((a, None, errors.NONE),))
    assert world.log[-1] == GroupStored("g", "consumer", 2, None, None, world.now_ms, ())


def test_record_of_an_emptied_group_that_fails_is_told_to_who_left_last() -> None:
    """Spec 3.7 step 5, seen on a running 4.3.1: in memory the group is Empty all the same."""
    world = World()
    (a,) = world.stable(None)
    world.hold()
    call = world.leave(a)
    world.fail(errors.NOT_ENOUGH_REPLICAS)
    assert call.reply == LeaveReply(errors.COORDINATOR_NOT_AVAILABLE)
    assert world.state() is EMPTY
    assert len(world.shard.facts["g"].members) == 1


def test_several_that_leave_cause_one_rebalance() -> None:
    """T125."""
    world = World()
    a, b, c, d, e = world.stable(*numbered(5))
    started = world.shard.counters.started_rebalances
    reply = world.leave(a, "nobody", c, e).reply
    assert [error for _, _, error in reply.members] == [0, UNKNOWN, 0, 0]
    assert world.shard.counters.started_rebalances == started + 1
    assert list(world.group.members) == [b, d]
    assert world.state() is PREPARING_REBALANCE
    assert world.remaining("session", "g", a) is None


def test_static_member_is_removed_by_its_instance_id() -> None:
    """T126: the answer repeats the empty member id."""
    world = World()
    _, b = world.stable("one", "two")
    assert world.leave(("", "one")).reply.members == (("", "one", errors.NONE),)
    assert list(world.group.members) == [b]


def test_wrong_member_id_of_an_instance_is_fenced_alone() -> None:
    """T127."""
    world = World()
    _, b, c = world.stable("one", "two", None)
    reply = world.leave((b, "one"), c, (c, "three")).reply
    assert reply.members == ((b, "one", errors.FENCED_INSTANCE_ID), (c, None, errors.NONE), (c, "three", UNKNOWN))


def test_entry_without_any_id_is_unknown() -> None:
    """T128."""
    world = World()
    world.stable("one")
    reply = world.leave(("", None), ("", "two")).reply
    assert [error for _, _, error in reply.members] == [UNKNOWN, UNKNOWN]


def test_pending_id_that_leaves_shakes_the_group() -> None:
    """T129: a Stable group rebalances although no member is gone; an Empty one does nothing."""
    world = World()
    world.stable(None)
    pending = world.join(known=True).reply.member_id
    assert world.leave((pending, "whatever")).reply.members == ((pending, "whatever", errors.NONE),)
    assert world.state() is PREPARING_REBALANCE
    assert world.remaining("session", "g", pending) is None


def test_pending_id_that_leaves_shakes_the_sync_phase_too() -> None:
    """T129."""
    world = World()
    world.completing(None)
    world.leave(world.join(known=True).reply.member_id)
    assert world.state() is PREPARING_REBALANCE


def test_pending_id_that_leaves_an_empty_group_changes_nothing() -> None:
    """Spec 3.12."""
    world = World()
    pending = world.join(known=True).reply.member_id
    assert world.leave(pending).reply.error == errors.NONE
    assert (world.state(), world.group.generation) == (EMPTY, 0)


def test_parked_join_of_a_member_that_leaves_is_answered() -> None:
    """T130."""
    world = World()
    a, b = world.stable(None, None)
    parked = world.join(a)
    world.leave(a)
    assert parked.reply == JoinReply(UNKNOWN, "")
    world.join(b)
    assert world.state() is COMPLETING_REBALANCE


def test_leaving_does_not_end_the_initial_window() -> None:
    """T131: not even the leave of a pending id."""
    world = World()
    first, second = world.join(), world.join()
    pending = world.join(known=True).reply.member_id
    a, _ = world.group.members
    world.leave(a, pending)
    assert first.reply.error == UNKNOWN
    assert second.waiting


def test_nobody_leaves() -> None:
    """Spec 3.12, seen on a running 4.3.1."""
    world = World()
    world.stable(None)
    assert world.leave().reply == LeaveReply(errors.NONE)
    assert world.state() is STABLE


def test_second_entry_for_the_same_member_is_unknown() -> None:
    """Spec 3.12, seen on a running 4.3.1."""
    world = World()
    a, _ = world.stable(None, None)
    assert [error for _, _, error in world.leave(a, a).reply.members] == [errors.NONE, UNKNOWN]


def test_dead_group_is_not_available() -> None:
    """Spec 3.12: at the top, without entries."""
    world = World()
    (a,) = world.stable(None)
    world.apply(world.shard.on_unload(world.now_ms))
    assert world.leave(a).reply == LeaveReply(errors.COORDINATOR_NOT_AVAILABLE)


def test_member_that_leaves_while_others_remain_writes_nothing() -> None:
    """Spec 5.3."""
    world = World()
    a, _ = world.stable(None, None)
    written = len(world.log)
    world.leave(a)
    assert len(world.log) == written
