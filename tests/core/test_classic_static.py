"""Static members and their replacement (KIP-345, KIP-814; spec 3.9; scenarios 11.5)."""

from __future__ import annotations

import pytest

from muster.core.classic.states import COMPLETING_REBALANCE, EMPTY, PREPARING_REBALANCE, STABLE
from muster.core.records import GroupStored
from muster.core.replies import JoinReply, SyncReply
from muster.wire import errors
from tests.core.world import RANGE, SESSION_MS, World, numbered


def test_static_follower_that_restarts_keeps_its_place_without_a_rebalance() -> None:
    """T081: answered when the group is stored with the new id and the old assignments."""
    world = World()
    a, b = world.stable("one", "two")
    world.hold()
    call = world.join(instance="two")
    assert call.waiting, "nobody is told an id that could be lost"
    world.release()
    new_id = call.reply.member_id
    assert new_id != b
    assert call.reply == JoinReply(errors.NONE, new_id, 1, "consumer", "range", a)
    assert world.state() is STABLE
    fact = world.log[-1]
    assert isinstance(fact, GroupStored)
    assert (fact.generation, fact.leader) == (1, a)
    assert [(m.member_id, m.assignment) for m in fact.members] == [(a, b"\0"), (new_id, b"\1")]
    assert world.sync(new_id, 1, instance="two").reply.assignment == b"\1"


def test_static_leader_that_restarts_with_v9_hears_of_all_and_must_not_assign() -> None:
    """T082."""
    world = World()
    _, b = world.stable("one", "two")
    reply = world.join(instance="one", skip=True).reply
    assert (reply.leader, reply.skip_assignment) == (reply.member_id, True)
    assert [member.member_id for member in reply.members] == [reply.member_id, b]
    fact = world.log[-1]
    assert isinstance(fact, GroupStored)
    assert fact.leader == reply.member_id


def test_static_follower_that_restarts_with_v9_is_told_the_leader_only() -> None:
    """Spec 3.9."""
    world = World()
    a, _ = world.stable("one", "two")
    reply = world.join(instance="two", skip=True).reply
    assert (reply.leader, reply.skip_assignment, reply.members) == (a, False, ())


def test_static_leader_that_restarts_with_v8_is_told_its_old_id_as_leader() -> None:
    """T083: so that it does not believe to lead, and does not assign."""
    world = World()
    a, _ = world.stable("one", "two")
    reply = world.join(instance="one").reply
    assert (reply.leader, reply.skip_assignment, reply.members) == (a, False, ())
    assert world.group.leader == reply.member_id


def test_old_process_is_fenced_everywhere() -> None:
    """T084."""
    world = World()
    (a,) = world.stable("one")
    world.join(instance="one")
    assert world.heartbeat(a, 1, instance="one").reply.error == errors.FENCED_INSTANCE_ID
    assert world.sync(a, 1, instance="one").reply.error == errors.FENCED_INSTANCE_ID
    assert world.commit(member_id=a, generation=1, instance="one").reply.errors == [errors.FENCED_INSTANCE_ID]
    assert world.join(a, instance="one").reply == JoinReply(errors.FENCED_INSTANCE_ID, a)
    assert world.leave((a, "one")).reply.members == ((a, "one", errors.FENCED_INSTANCE_ID),)


def test_parked_join_of_the_old_id_is_fenced() -> None:
    """T085: with the old id, no leader, no protocol."""
    world = World()
    old = world.join(instance="one")
    old_id = next(iter(world.group.members))
    new = world.join(instance="one")
    assert old.reply == JoinReply(errors.FENCED_INSTANCE_ID, old_id)
    assert new.waiting
    assert world.group.awaiting_joins == 1


def test_replacement_of_a_new_member_does_not_expire_while_parked() -> None:
    """Spec 3.9 step 1, seen on a running 4.3.1: the new entry counts as not new."""
    world = World()
    world.stable(*numbered(1), rebalance=60_000)
    world.join(instance="one")
    call = world.join(instance="one")
    leader = next(iter(world.group.members))
    for _ in range(4):
        world.advance(5_000)
        world.heartbeat(leader, 1)
    assert call.waiting
    assert len(world.group.members) == 2


def test_parked_sync_of_the_old_id_is_fenced_and_the_group_rebalances() -> None:
    """T086: the leader may already be assigning to the old id."""
    world = World()
    _, b = world.completing("one", "two")
    parked = world.sync(b, 1, instance="two")
    call = world.join(instance="two")
    assert parked.reply == SyncReply(errors.FENCED_INSTANCE_ID)
    assert call.waiting
    assert world.state() is PREPARING_REBALANCE


def test_replacement_that_changes_the_selected_protocol_rebalances() -> None:
    """T087."""
    world = World()
    both = (("range", b"r"), ("roundrobin", b"rr"))
    joins = [world.join(instance=instance, protocols=both) for instance in ("one", "two")]
    world.advance(6_000)
    for join in reversed(joins):
        world.sync(join.reply.member_id, 1)
    assert world.group.protocol_name == "range"
    assert world.join(instance="two", protocols=(("roundrobin", b"rr"),)).waiting
    assert world.state() is PREPARING_REBALANCE


def test_replacement_with_other_metadata_but_the_same_protocol_does_not_rebalance() -> None:
    """Spec 3.9: DescribeGroups then shows the new metadata."""
    world = World()
    world.stable("one", "two")
    assert world.join(instance="two", protocols=(("range", b"changed"),)).reply.error == errors.NONE
    assert world.describe().members[1].metadata == b"changed"
    assert world.state() is STABLE


@pytest.mark.parametrize(("log_error", "code"), [(errors.NOT_ENOUGH_REPLICAS, 15), (errors.MESSAGE_TOO_LARGE, -1)])
def test_replacement_that_cannot_be_stored_is_undone(log_error: int, code: int) -> None:
    """T088: the old id counts again with its protocols, timeouts, session and place."""
    world = World()
    a, b = world.stable("one", "two")
    fact = world.shard.facts["g"]
    world.advance(1_000)
    world.hold()
    call = world.join(instance="one", protocols=(("range", b"new"),), session=20_000, rebalance=1, skip=True)
    world.fail(log_error)
    assert call.reply == JoinReply(code, "", 1, "consumer", "range", a)
    assert list(world.group.members) == [a, b]
    assert (world.group.leader, world.group.static_members) == (a, {"one": a, "two": b})
    member = world.group.members[a]
    assert (member.protocols, member.session_timeout_ms, member.rebalance_timeout_ms) == (RANGE, SESSION_MS, 30_000)
    assert world.remaining("session", "g", a) == SESSION_MS
    assert world.remaining("session", "g", "one-uuid3") is None
    assert world.shard.facts["g"] == fact
    assert world.heartbeat(a, 1, instance="one").reply.error == errors.NONE
    assert world.sync(a, 1, instance="one").reply.assignment == b"\0"


def test_two_restarts_leave_only_the_last_id_valid() -> None:
    """T091."""
    world = World()
    world.stable("one")
    first, second = world.join(instance="one").reply.member_id, world.join(instance="one").reply.member_id
    assert first != second
    assert world.heartbeat(first, 1).reply.error == errors.UNKNOWN_MEMBER_ID
    assert world.heartbeat(second, 1).reply.error == errors.NONE


def test_session_timer_of_the_old_id_has_no_effect() -> None:
    """T092: it is cancelled, and would find nobody."""
    world = World()
    (a,) = world.stable("one")
    new_id = world.join(instance="one").reply.member_id
    assert world.remaining("session", "g", a) is None
    world.apply(world.shard.on_timer(("session", "g", a), world.now_ms))
    assert list(world.group.members) == [new_id]


def test_new_session_timeout_counts_from_the_first_heartbeat_on() -> None:
    """Spec 3.9 step 2, seen on a running 4.3.1."""
    world = World()
    world.stable("one")
    new_id = world.join(instance="one", session=20_000).reply.member_id
    assert world.remaining("session", "g", new_id) == SESSION_MS
    world.heartbeat(new_id, 1)
    assert world.remaining("session", "g", new_id) == 20_000


def test_replacement_in_the_join_phase_may_complete_it() -> None:
    """T093."""
    world = World()
    a, _ = world.stable("one", "two")
    first = world.join(a)
    assert first.waiting
    second = world.join(instance="two")
    assert (first.reply.generation, second.reply.generation) == (2, 2)
    assert world.state() is COMPLETING_REBALANCE


def test_replaced_member_that_owed_a_sync_still_owes_it() -> None:
    """The group is Stable but one follower never synced: its heir is the one to sync now, and then nobody is."""
    world = World()
    a, _ = world.completing("one", "two")
    world.sync(a, 1, {a: b"x"})
    new_id = world.join(instance="two").reply.member_id
    assert list(world.group.pending_syncs) == [new_id]
    world.sync(new_id, 1)
    assert world.remaining("sync", "g") is None


def test_client_id_and_host_stay_those_of_the_first_process() -> None:
    """Spec 3.1."""
    world = World()
    world.stable("one")
    new_id = world.join(instance="one", client="other", host="/10.0.0.9").reply.member_id
    assert (world.group.members[new_id].client_id, world.group.members[new_id].client_host) == ("client", "/127.0.0.1")


def test_static_member_whose_group_emptied_is_new_again() -> None:
    """Spec 3.9: the static map of an Empty group is empty."""
    world = World()
    world.stable("one")
    world.advance(SESSION_MS)
    assert world.state() is EMPTY
    assert world.join(instance="one").waiting
    assert world.state() is PREPARING_REBALANCE


def test_failed_replacement_of_a_group_that_is_gone_is_only_answered() -> None:
    """A group may be unloaded while its record is on its way."""
    world = World()
    world.stable("one")
    world.hold()
    call = world.join(instance="one")
    del world.shard.groups["g"]
    world.fail(errors.NOT_LEADER_OR_FOLLOWER)
    assert call.reply == JoinReply(errors.NOT_COORDINATOR, "")


def test_failed_replacement_that_was_replaced_again_is_not_undone() -> None:
    """Only without the runtime's order; the last id stays, whatever became of the one before."""
    world = World()
    world.stable("one")
    world.hold()
    first, second = world.join(instance="one"), world.join(instance="one")
    world.settle(errors.NOT_ENOUGH_REPLICAS)
    world.release()
    assert first.reply.error == errors.COORDINATOR_NOT_AVAILABLE
    assert list(world.group.members) == [second.reply.member_id]
