"""JoinGroup: validation and membership (spec 3.3, 3.4; scenarios 11.2)."""

from __future__ import annotations

import pytest

from muster.core.classic.states import COMPLETING_REBALANCE, EMPTY, PREPARING_REBALANCE, STABLE
from muster.core.records import GroupStored
from muster.core.replies import JoinReply
from muster.wire import errors
from tests.core.world import RANGE, REBALANCE_MS, SESSION_MS, World, numbered

OTHER_METADATA = (("range", b"other metadata"),)
ROUND_ROBIN = (("roundrobin", b"rr"),)
BOTH = (("range", b"r"), ("roundrobin", b"rr"))
CREATION_RECORD = GroupStored("g", "", 0, None, None, 1_000_000, ())


def test_unknown_group_with_a_member_id_is_unknown_member() -> None:
    """T028: the id is echoed and no group is created."""
    world = World()
    assert world.join("x").reply == JoinReply(errors.UNKNOWN_MEMBER_ID, "x")
    assert not world.shard.groups
    assert not world.log


@pytest.mark.parametrize(("type_", "protocols"), [("", RANGE), ("consumer", ())])
def test_join_without_protocols_is_refused_but_creates_the_group(
    type_: str, protocols: tuple[tuple[str, bytes], ...]
) -> None:
    """T032 and spec 5.3 (a): the group is there, Empty, and stored."""
    world = World()
    assert world.join(type_=type_, protocols=protocols).reply == JoinReply(errors.INCONSISTENT_GROUP_PROTOCOL, "")
    assert world.state() is EMPTY
    assert world.log == [CREATION_RECORD]
    assert world.join(type_=type_, protocols=protocols).reply.error == errors.INCONSISTENT_GROUP_PROTOCOL
    assert len(world.log) == 1


def test_other_protocol_type_is_refused() -> None:
    """T033."""
    world = World()
    world.stable(None)
    assert world.join(type_="connect").reply == JoinReply(errors.INCONSISTENT_GROUP_PROTOCOL, "")


def test_lone_member_with_a_disjoint_protocol_list_is_refused() -> None:
    """T034: its own old list still counts; it stays in the group and may try again."""
    world = World()
    (a,) = world.stable(None)
    assert world.join(a, protocols=ROUND_ROBIN).reply == JoinReply(errors.INCONSISTENT_GROUP_PROTOCOL, a)
    assert list(world.group.members) == [a]
    assert world.join(a).reply.generation == 2


def test_newcomer_must_know_what_all_members_know() -> None:
    """T035."""
    world = World()
    world.join(protocols=BOTH)
    world.join(protocols=ROUND_ROBIN)
    assert world.join(protocols=RANGE).reply == JoinReply(errors.INCONSISTENT_GROUP_PROTOCOL, "")


def test_unfit_protocols_are_reported_before_unknown_ids() -> None:
    """Spec 3.3, seen on a running 4.3.1: also for a known instance."""
    world = World()
    world.stable("i")
    assert world.join("nobody", protocols=ROUND_ROBIN).reply.error == errors.INCONSISTENT_GROUP_PROTOCOL
    assert world.join(instance="i", protocols=ROUND_ROBIN).reply == JoinReply(errors.INCONSISTENT_GROUP_PROTOCOL, "")


def test_name_listed_twice_counts_once() -> None:
    """Spec 13.15."""
    world = World()
    twice = (("range", b"1"), ("range", b"2"))
    first, second = world.join(protocols=twice), world.join(protocols=RANGE)
    world.advance(6_000)
    assert (first.reply.protocol_name, second.reply.protocol_name) == ("range", "range")
    assert first.reply.members[0].metadata == b"1"


def test_new_dynamic_member_first_gets_an_id() -> None:
    """T036: MEMBER_ID_REQUIRED, nothing parked, the group stays Empty; the group's record does not delay the answer."""
    world = World()
    world.hold()
    call = world.join(known=True, client="app")
    assert call.reply == JoinReply(errors.MEMBER_ID_REQUIRED, "app-uuid1")
    assert world.appended == [[CREATION_RECORD]]
    world.release()
    assert world.state() is EMPTY
    assert list(world.group.pending_joins) == ["app-uuid1"]
    assert world.remaining("session", "g", "app-uuid1") == SESSION_MS


def test_id_handed_out_in_an_existing_group_writes_nothing() -> None:
    """Spec 5.3: also in a simple group, which has no record of its own."""
    world = World()
    world.commit()
    world.join(known=True)
    assert not any(isinstance(record, GroupStored) for record in world.log)


def test_old_client_is_added_at_once() -> None:
    """T037."""
    world = World()
    call = world.join(client="app")
    assert call.waiting
    assert list(world.group.members) == ["app-uuid1"]
    assert world.state() is PREPARING_REBALANCE


def test_empty_client_id_leaves_nothing_before_the_dash() -> None:
    """Spec 3.1."""
    assert World().join(client="", known=True).reply.member_id == "-uuid1"


@pytest.mark.parametrize("instance", ["i", "", "a/b c"])
def test_static_member_never_gets_member_id_required(instance: str) -> None:
    """T038; instance ids are not validated."""
    world = World()
    assert world.join(instance=instance, known=True).waiting
    assert world.group.static_members == {instance: f"{instance}-uuid1"}


def test_pending_id_that_returns_becomes_a_member() -> None:
    """T039: only the id is kept from the first request."""
    world = World()
    member_id = world.join(known=True, session=8_000, client="one").reply.member_id
    call = world.join(member_id, known=True, session=20_000, client="two", protocols=ROUND_ROBIN)
    assert not world.group.pending_joins
    member = world.group.members[member_id]
    assert (member.session_timeout_ms, member.client_id, member.protocols) == (20_000, "two", ROUND_ROBIN)
    assert world.remaining("session", "g", member_id) == 300_000
    world.advance(3_000)
    assert call.reply.generation == 1


def test_pending_id_that_does_not_return_is_forgotten() -> None:
    """T040."""
    world = World()
    member_id = world.join(known=True).reply.member_id
    world.advance(SESSION_MS)
    assert not world.group.pending_joins
    assert world.join(member_id).reply == JoinReply(errors.UNKNOWN_MEMBER_ID, member_id)


def waiting_for_pending_id() -> tuple[World, str, str]:
    """A group that has gathered everybody but one handed-out id."""
    world = World()
    (a,) = world.stable(None)
    pending = world.join(known=True).reply.member_id
    assert world.join(a).waiting
    return world, a, pending


def test_pending_id_delays_the_join_phase_until_it_returns() -> None:
    """T041."""
    world, _, pending = waiting_for_pending_id()
    world.join(pending, known=True)
    assert world.state() is COMPLETING_REBALANCE


def test_pending_id_delays_the_join_phase_until_it_leaves() -> None:
    """T041, T129."""
    world, _, pending = waiting_for_pending_id()
    world.leave(pending)
    assert world.state() is COMPLETING_REBALANCE


def test_pending_id_delays_the_join_phase_until_it_expires() -> None:
    """T041."""
    world, a, _ = waiting_for_pending_id()
    world.advance(SESSION_MS)
    assert world.state() is COMPLETING_REBALANCE
    assert list(world.group.members) == [a]


def test_pending_id_delays_the_join_phase_until_the_timer_fires_and_stays_pending() -> None:
    """T041, spec 3.5."""
    world = World()
    (a,) = world.stable(None, rebalance=5_000)
    pending = world.join(known=True).reply.member_id
    world.join(a, rebalance=5_000)
    world.advance(5_000)
    assert world.state() is COMPLETING_REBALANCE
    assert world.join(pending, known=True).waiting


def test_pending_id_with_an_instance_id_is_an_internal_error() -> None:
    """T042: the id can still join without one."""
    world = World()
    member_id = world.join(known=True).reply.member_id
    assert world.join(member_id, instance="i").reply == JoinReply(errors.UNKNOWN_SERVER_ERROR, "")
    assert world.join(member_id).waiting


def test_pending_id_is_nobody_to_the_other_apis() -> None:
    """T043."""
    world = World()
    world.stable(None)
    pending = world.join(known=True).reply.member_id
    assert world.heartbeat(pending, 1).reply.error == errors.UNKNOWN_MEMBER_ID
    assert world.sync(pending, 1).reply.error == errors.UNKNOWN_MEMBER_ID
    assert world.commit(member_id=pending, generation=1).reply.errors == [errors.UNKNOWN_MEMBER_ID]


def test_rebalance_timeout_is_the_longest_of_all_members() -> None:
    """T044, T045: the handler puts the session timeout into v0 requests."""
    world = World()
    first, _ = world.join(rebalance=5_000), world.join(rebalance=9_000)
    world.advance(6_000)
    ids = list(world.group.members)
    world.sync(ids[0], 1, {})
    world.sync(ids[1], 1)
    assert first.reply.leader == ids[0]
    world.join(ids[0], rebalance=5_000)
    assert world.remaining("join", "g") == 9_000


def test_running_join_timer_does_not_move_for_longer_timeouts() -> None:
    """T046."""
    world = World()
    a, b, _ = world.stable(*numbered(3), rebalance=5_000)
    world.join(a, rebalance=5_000)
    world.join(b, rebalance=60_000)
    assert world.remaining("join", "g") == 5_000
    world.advance(5_000)
    assert world.state() is COMPLETING_REBALANCE


def test_join_that_starts_the_phase_counts_with_its_new_timeout() -> None:
    """Spec 3.5."""
    world = World()
    a, _ = world.stable(*numbered(2), rebalance=5_000)
    world.join(a, rebalance=60_000)
    assert world.remaining("join", "g") == 60_000


@pytest.mark.parametrize("timeout_ms", [0, -1])
def test_lone_member_without_rebalance_time_is_out_before_it_can_sync(timeout_ms: int) -> None:
    """Spec 3.5, seen on a running 4.3.1: the group ends Empty with generation 2."""
    world = World()
    call = world.join(rebalance=timeout_ms)
    world.advance(3_000)
    assert call.reply.generation == 1
    world.advance(0)
    assert (world.state(), world.group.generation) == (EMPTY, 2)


def test_unchanged_follower_in_completing_rebalance_is_answered_at_once() -> None:
    """T047."""
    world = World()
    a, b = world.completing(None, None)
    assert world.join(b).reply == JoinReply(errors.NONE, b, 1, "consumer", "range", a)
    assert world.state() is COMPLETING_REBALANCE


def test_unchanged_leader_in_completing_rebalance_gets_the_members() -> None:
    """T048."""
    world = World()
    a, b = world.completing(None, None)
    reply = world.join(a).reply
    assert (reply.generation, reply.leader, reply.skip_assignment) == (1, a, False)
    assert [member.member_id for member in reply.members] == [a, b]


def test_unchanged_rejoin_leaves_parked_sync_session_and_timeouts_alone() -> None:
    """Spec 3.1, 3.4.3, seen on a running 4.3.1."""
    world = World()
    _, b = world.completing(None, None)
    parked = world.sync(b, 1)
    world.advance(1_000)
    world.join(b, session=20_000, rebalance=1)
    assert parked.waiting
    assert world.remaining("session", "g", b) == SESSION_MS - 1_000
    assert world.group.members[b].session_timeout_ms == SESSION_MS
    assert world.group.members[b].rebalance_timeout_ms == REBALANCE_MS


def test_changed_metadata_in_completing_rebalance_starts_anew() -> None:
    """T049: parked SyncGroups hear of it, with a fresh session."""
    world = World()
    a, b = world.completing(None, None)
    parked = world.sync(a, 99)
    assert parked.reply.error == errors.ILLEGAL_GENERATION
    follower = world.sync(b, 1)
    world.advance(1_000)
    world.join(a, protocols=OTHER_METADATA)
    assert (follower.reply.error, follower.reply.assignment) == (errors.REBALANCE_IN_PROGRESS, b"")
    assert (follower.reply.protocol_type, follower.reply.protocol_name) == (None, None)
    assert world.state() is PREPARING_REBALANCE
    assert world.remaining("session", "g", b) == SESSION_MS


def test_unchanged_follower_in_stable_is_answered_at_once() -> None:
    """T050: no rebalance, no timer change."""
    world = World()
    a, b = world.stable(None, None)
    world.advance(1_000)
    assert world.join(b).reply == JoinReply(errors.NONE, b, 1, "consumer", "range", a)
    assert world.state() is STABLE
    assert world.remaining("session", "g", b) == SESSION_MS - 1_000


def test_leader_that_joins_again_in_stable_starts_a_rebalance() -> None:
    """T051."""
    world = World()
    a, _ = world.stable(None, None)
    assert world.join(a).waiting
    assert world.state() is PREPARING_REBALANCE


@pytest.mark.parametrize(
    "protocols", [(("roundrobin", b"rr"), ("range", b"r")), (("range", b"x"), ("roundrobin", b"rr"))]
)
def test_follower_with_other_order_or_bytes_starts_a_rebalance(protocols: tuple[tuple[str, bytes], ...]) -> None:
    """T052: equality is list equality."""
    world = World()
    joins = [world.join(protocols=BOTH), world.join(protocols=BOTH)]
    world.advance(6_000)
    a, b = (join.reply.member_id for join in joins)
    world.sync(b, 1)
    world.sync(a, 1)
    assert world.join(b, protocols=BOTH).reply.generation == 1
    assert world.join(b, protocols=protocols).waiting
    assert world.state() is PREPARING_REBALANCE


def test_member_that_joins_twice_counts_once_and_the_last_request_is_answered() -> None:
    """T053: the superseded one never is, as in Kafka (spec 13.9)."""
    world = World()
    a, b = world.stable(None, None)
    first, second = world.join(a), world.join(a)
    assert world.group.awaiting_joins == 1
    world.join(b)
    assert first.waiting
    assert second.reply.generation == 2


@pytest.mark.parametrize("member_id", ["", "m"])
def test_dead_group_is_not_available(member_id: str) -> None:
    """T054: a request that races with the unload; a known id is echoed."""
    world = World()
    world.stable(None)
    world.apply(world.shard.on_unload(world.now_ms))
    assert world.join(member_id).reply == JoinReply(errors.COORDINATOR_NOT_AVAILABLE, member_id)


def test_refusals_have_no_generation_leader_or_protocol() -> None:
    """T055: the handler makes "" of the protocol name below v7."""
    reply = World().join("x").reply
    assert (reply.generation, reply.leader, reply.protocol_name, reply.protocol_type) == (-1, "", None, None)


def test_rejoin_does_not_change_client_id_and_host() -> None:
    """Spec 3.1, seen on a running 4.3.1."""
    world = World()
    (a,) = world.stable(None)
    world.join(a, client="elsewhere", host="/10.0.0.1")
    assert (world.group.members[a].client_id, world.group.members[a].client_host) == ("client", "/127.0.0.1")


def test_instance_checks_come_before_the_member_id() -> None:
    """T089, T090."""
    world = World()
    a, b = world.stable("one", "two")
    assert world.join(a, instance="three").reply == JoinReply(errors.UNKNOWN_MEMBER_ID, a)
    assert world.join(a, instance="two").reply == JoinReply(errors.FENCED_INSTANCE_ID, a)
    assert world.join("nobody").reply == JoinReply(errors.UNKNOWN_MEMBER_ID, "nobody")
    assert world.join(b).reply.error == errors.NONE, "a static member's id without its instance id passes"


def test_creation_record_that_fails_takes_the_group_and_answers_the_parked_join() -> None:
    """Spec 3.4 step 12, seen on a running 4.3.1."""
    world = World()
    world.hold()
    call = world.join(instance="i")
    assert call.waiting
    world.fail(errors.NOT_ENOUGH_REPLICAS)
    assert call.reply == JoinReply(errors.COORDINATOR_NOT_AVAILABLE, "")
    assert not world.shard.groups
    assert list(world.timers) == [("expire",)]
    assert world.join().waiting, "the next join starts from nothing"


def test_creation_record_that_fails_leaves_given_answers_alone() -> None:
    """Spec 3.4 step 12: MEMBER_ID_REQUIRED stands, but the id is unknown."""
    world = World()
    world.hold()
    call = world.join(known=True)
    world.fail(errors.NOT_ENOUGH_REPLICAS)
    assert call.reply.error == errors.MEMBER_ID_REQUIRED
    assert not world.shard.groups
    assert list(world.timers) == [("expire",)]
    assert world.join(call.reply.member_id).reply.error == errors.UNKNOWN_MEMBER_ID


def test_creation_record_that_fails_leaves_a_simple_group_if_offsets_are_durable() -> None:
    """A commit that was on its way when the group was created is acknowledged and must stay visible (law 2)."""
    world = World()
    world.hold()
    world.commit(5)
    call = world.join()
    world.settle()
    world.fail(errors.NOT_ENOUGH_REPLICAS)
    assert call.reply.error == errors.COORDINATOR_NOT_AVAILABLE
    assert world.fetch().listed() == [("t", [(0, 5, -1, "", errors.NONE)])]
    assert world.describe().state == "Empty"
