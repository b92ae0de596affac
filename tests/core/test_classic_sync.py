"""SyncGroup (spec 3.10; scenarios 11.6)."""

from __future__ import annotations

import pytest

from muster.core.classic.states import COMPLETING_REBALANCE, EMPTY, PREPARING_REBALANCE, STABLE
from muster.core.records import GroupStored, StoredMember
from muster.core.replies import SyncReply
from muster.wire import errors
from tests.core.world import REBALANCE_MS, SESSION_MS, World, numbered

RIP = SyncReply(errors.REBALANCE_IN_PROGRESS)


def good(assignment: bytes) -> SyncReply:
    return SyncReply(errors.NONE, "consumer", "range", assignment)


def test_unknown_group_is_unknown_member() -> None:
    """T094."""
    assert World().sync("m", 1).reply == SyncReply(errors.UNKNOWN_MEMBER_ID)


def test_empty_group_is_unknown_member() -> None:
    """Spec 3.10 row 1."""
    world = World()
    world.join(known=True)
    assert world.sync("m", 0).reply == SyncReply(errors.UNKNOWN_MEMBER_ID)


def test_dead_group_is_not_available() -> None:
    """Spec 3.10 row 3."""
    world = World()
    (a,) = world.stable(None)
    world.apply(world.shard.on_unload(world.now_ms))
    assert world.sync(a, 1).reply == SyncReply(errors.COORDINATOR_NOT_AVAILABLE)


@pytest.mark.parametrize(("type_", "name"), [("connect", None), (None, "sticky"), ("connect", "range")])
def test_other_protocol_is_inconsistent(type_: str | None, name: str | None) -> None:
    """T096."""
    world = World()
    (a,) = world.completing(None)
    assert world.sync(a, 1, type_=type_, name=name).reply == SyncReply(errors.INCONSISTENT_GROUP_PROTOCOL)
    assert list(world.group.pending_syncs) == [a]


def test_the_right_protocol_or_none_is_accepted() -> None:
    """T096: clients below v5 say nothing."""
    world = World()
    (a,) = world.completing(None)
    assert world.sync(a, 1, type_="consumer", name="range").reply.error == errors.NONE
    assert world.sync(a, 1).reply.error == errors.NONE


def test_membership_is_checked_before_the_generation() -> None:
    """T097."""
    world = World()
    (a,) = world.completing("i")
    assert world.sync(a, 2).reply == SyncReply(errors.ILLEGAL_GENERATION)
    assert world.sync("nobody", 2).reply == SyncReply(errors.UNKNOWN_MEMBER_ID)
    assert world.sync(a, 2, instance="other").reply == SyncReply(errors.UNKNOWN_MEMBER_ID)
    assert world.sync("nobody", 2, instance="i").reply == SyncReply(errors.FENCED_INSTANCE_ID)


def test_join_phase_answers_rebalance_in_progress() -> None:
    """T098."""
    world = World()
    a, b = world.stable(None, None)
    world.join(a)
    assert world.sync(b, 1).reply == RIP


def test_follower_waits_for_the_leader() -> None:
    """T099: the leader's sync answers both, once the assignment is durable; both sessions begin anew."""
    world = World()
    a, b = world.completing(None, None)
    world.hold()
    world.advance(1_000)
    follower, leader = world.sync(b, 1), world.sync(a, 1, {a: b"one", b: b"two"})
    assert follower.waiting
    assert leader.waiting
    assert world.state() is COMPLETING_REBALANCE
    world.advance(1_000)
    world.release()
    assert (leader.reply, follower.reply) == (good(b"one"), good(b"two"))
    assert world.state() is STABLE
    assert world.remaining("session", "g", a) == world.remaining("session", "g", b) == SESSION_MS
    assert world.shard.counters.completed_rebalances == 1


def test_record_of_an_assignment_has_all_of_the_generation() -> None:
    """Spec 5.3 (c): the timestamp is that of the entry into CompletingRebalance."""
    world = World()
    a, b = world.completing("one", None)
    joined_ms = world.now_ms
    world.advance(500)
    world.sync(a, 1, {a: b"one"})
    metadata = b"range metadata"
    assert world.log[-1] == GroupStored(
        "g",
        "consumer",
        1,
        "range",
        a,
        joined_ms,
        (
            StoredMember(a, "one", "client", "/127.0.0.1", REBALANCE_MS, SESSION_MS, metadata, b"one"),
            StoredMember(b, None, "client", "/127.0.0.1", REBALANCE_MS, SESSION_MS, metadata, b""),
        ),
    )


def test_follower_that_syncs_in_stable_is_answered_at_once() -> None:
    """T100: its session does not begin anew (spec 13.6)."""
    world = World()
    a, b = world.completing(None, None)
    world.sync(a, 1, {b: b"two"})
    world.advance(1_000)
    assert world.sync(b, 1).reply == good(b"two")
    assert world.remaining("session", "g", b) == SESSION_MS - 1_000


def test_members_that_the_leader_left_out_get_nothing() -> None:
    """T101."""
    world = World()
    a, b = world.completing(None, None)
    follower = world.sync(b, 1)
    world.sync(a, 1, {a: b"all"})
    assert follower.reply == good(b"")


def test_assignments_of_unknown_members_are_dropped() -> None:
    """T102."""
    world = World()
    (a,) = world.completing(None)
    assert world.sync(a, 1, {"nobody": b"x", a: b"y"}).reply == good(b"y")
    fact = world.shard.facts["g"]
    assert [member.member_id for member in fact.members] == [a]


def test_late_completion_of_a_write_changes_nothing() -> None:
    """T103: a newcomer came before the write was done; whoever waited already knows."""
    world = World()
    a, b = world.completing(None, None)
    world.hold()
    syncs = [world.sync(b, 1), world.sync(a, 1, {a: b"one"})]
    world.join()
    assert [sync.reply for sync in syncs] == [RIP, RIP]
    world.release()
    assert world.state() is PREPARING_REBALANCE
    assert [member.assignment for member in world.group.members.values()] == [b"", b"", b""]


def test_completion_that_belongs_to_the_generation_before_changes_nothing() -> None:
    """T103: the group is in CompletingRebalance again, but not in the same one."""
    world = World()
    (a,) = world.completing(None)
    world.hold()
    world.sync(a, 1, {a: b"old"})
    world.join(a, protocols=(("range", b"changed"),))
    assert world.group.generation == 2
    parked = world.sync(a, 2, {a: b"new"})
    world.settle()
    assert parked.waiting
    assert world.state() is COMPLETING_REBALANCE
    world.release()
    assert parked.reply == good(b"new")


def test_late_failure_of_a_write_changes_nothing() -> None:
    """T103, the other way round."""
    world = World()
    (a,) = world.completing(None)
    world.hold()
    sync = world.sync(a, 1, {a: b"one"})
    world.join()
    started = world.shard.counters.started_rebalances
    world.fail(errors.NOT_ENOUGH_REPLICAS)
    assert sync.reply == RIP
    assert world.shard.counters.started_rebalances == started


@pytest.mark.parametrize(
    ("log_error", "code"),
    [(errors.NOT_ENOUGH_REPLICAS, errors.COORDINATOR_NOT_AVAILABLE), (errors.MESSAGE_TOO_LARGE, -1)],
)
def test_write_that_fails_is_told_to_all_who_wait_and_starts_anew(log_error: int, code: int) -> None:
    """T104, T105: assignments are reset, the sessions of those who were answered begin anew."""
    world = World()
    a, b = world.stable(None, None)
    world.join(a)
    world.join(b)
    assert world.group.members[a].assignment == b"\0"
    world.hold()
    world.advance(1_000)
    syncs = [world.sync(b, 2), world.sync(a, 2, {a: b"one"})]
    world.fail(log_error)
    assert [sync.reply for sync in syncs] == [SyncReply(code)] * 2
    assert [member.assignment for member in world.group.members.values()] == [b"", b""]
    assert world.state() is PREPARING_REBALANCE
    assert world.remaining("session", "g", a) == SESSION_MS
    assert world.shard.facts["g"].generation == 1


def test_follower_that_never_syncs_is_put_out_of_a_stable_group() -> None:
    """T106: when the rebalance timeout has passed since the join phase."""
    world = World()
    a, b = world.completing(*numbered(2), session=60_000, rebalance=5_000)
    world.sync(a, 1, {})
    assert world.state() is STABLE
    world.advance(4_999)
    assert b in world.group.members
    world.advance(1)
    assert list(world.group.members) == [a]
    assert world.state() is PREPARING_REBALANCE
    assert world.heartbeat(a, 1).reply.error == errors.REBALANCE_IN_PROGRESS
    assert world.remaining("session", "g", b) is None


def test_leader_that_never_syncs_is_put_out() -> None:
    """T107: static or not; parked followers hear of it and the oldest of them leads next."""
    world = World()
    a, b, c = world.completing("one", None, None, session=60_000, rebalance=5_000)
    follower = world.sync(b, 1)
    world.advance(5_000)
    assert follower.reply == RIP
    assert (world.group.leader, list(world.group.members)) == (b, [b])
    assert a not in world.group.members
    assert c not in world.group.members
    assert world.join(b).reply.leader == b


def test_nobody_syncs_and_the_group_is_empty() -> None:
    """Spec 3.10, 5.3 (b): also if the generation was never synced."""
    world = World()
    world.completing(*numbered(2), session=60_000, rebalance=5_000)
    world.advance(5_000)
    assert (world.state(), world.group.generation) == (EMPTY, 2)
    assert world.log[-1] == GroupStored("g", "consumer", 2, None, None, world.now_ms, ())


def test_sync_timer_is_cancelled_when_everybody_has_synced() -> None:
    """T108."""
    world = World()
    a, b = world.completing(None, None)
    assert world.remaining("sync", "g") == REBALANCE_MS
    world.sync(a, 1, {})
    assert world.remaining("sync", "g") == REBALANCE_MS
    world.sync(b, 1)
    assert world.remaining("sync", "g") is None
    world.apply(world.shard.on_timer(("sync", "g"), world.now_ms))
    assert world.state() is STABLE


def test_assignments_of_a_follower_are_ignored() -> None:
    """T109."""
    world = World()
    a, b = world.completing(None, None)
    follower = world.sync(b, 1, {b: b"mine", a: b"yours"})
    assert follower.waiting
    assert not world.appended[1:]
    world.sync(a, 1, {b: b"given"})
    assert follower.reply == good(b"given")


def test_member_with_a_parked_sync_does_not_expire() -> None:
    """T110: its session begins anew with the answer."""
    world = World()
    a, b = world.completing(None, None, session=6_000)
    follower = world.sync(b, 1)
    world.advance(4_000)
    world.heartbeat(a, 1)
    world.advance(4_000)
    assert b in world.group.members
    world.sync(a, 1, {b: b"x"})
    assert follower.reply == good(b"x")
    assert world.remaining("session", "g", b) == 6_000


def test_parked_sync_of_a_member_that_leaves_is_answered() -> None:
    """T111 and spec 13.10."""
    world = World()
    _, b = world.completing(None, None)
    parked = world.sync(b, 1)
    world.leave(b)
    assert parked.reply == SyncReply(errors.UNKNOWN_MEMBER_ID)


def test_second_sync_of_a_follower_replaces_the_first() -> None:
    """Spec 3.10: the first is never answered, as in Kafka."""
    world = World()
    a, b = world.completing(None, None)
    first, second = world.sync(b, 1), world.sync(b, 1)
    world.sync(a, 1, {b: b"x"})
    assert first.waiting
    assert second.reply == good(b"x")


def test_second_sync_of_the_leader_writes_again() -> None:
    """Spec 3.10: only without the runtime's order; the first write to finish counts, the rest is late."""
    world = World()
    (a,) = world.completing(None)
    world.hold()
    first, second = world.sync(a, 1, {a: b"1"}), world.sync(a, 1, {a: b"2"})
    world.release()
    assert first.waiting
    assert second.reply == good(b"1")


def test_leader_that_syncs_again_in_stable_gets_what_is_stored() -> None:
    """Spec 3.10: its new plan is ignored and nothing is written."""
    world = World()
    (a,) = world.stable(None)
    written = len(world.log)
    assert world.sync(a, 1, {a: b"other"}).reply == good(b"\0")
    assert len(world.log) == written


def test_repeated_assignment_of_a_new_generation_is_written_again() -> None:
    """Spec 5.3."""
    world = World()
    (a,) = world.stable(None)
    world.join(a)
    written = len(world.log)
    world.sync(a, 2, {a: b"\0"})
    assert len(world.log) == written + 1


def test_last_of_several_entries_for_a_member_counts() -> None:
    """Spec 3.10, seen on a running 4.3.1."""
    from muster.core.requests import SyncGroup

    world = World()
    (a,) = world.completing(None)
    call = world.ask(SyncGroup("g", 1, a, None, None, None, ((a, b"1"), (a, b"2"))))
    assert call.reply == good(b"2")
