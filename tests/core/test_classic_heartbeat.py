"""Heartbeat, sessions and their end (spec 3.11; scenarios 11.7)."""

from __future__ import annotations

from muster.core.classic.heartbeat import StableMember, stable_member
from muster.core.classic.states import COMPLETING_REBALANCE, EMPTY, PREPARING_REBALANCE
from muster.core.config import GroupConfig
from muster.core.replies import JoinReply
from muster.core.requests import Heartbeat
from muster.wire import errors
from tests.core.world import SESSION_MS, World, numbered


def test_unknown_group_is_unknown_member() -> None:
    """Spec 3.11 row 2."""
    assert World().heartbeat("m", 1).reply.error == errors.UNKNOWN_MEMBER_ID


def test_stable_answers_none_and_moves_the_deadline() -> None:
    """T112."""
    world = World()
    (a,) = world.stable(None)
    world.advance(4_000)
    assert world.heartbeat(a, 1).reply.error == errors.NONE
    assert world.remaining("session", "g", a) == SESSION_MS


def test_join_phase_answers_rebalance_in_progress_and_moves_the_deadline() -> None:
    """T113: the member does not expire while it still works on giving up its partitions."""
    world = World()
    a, b = world.stable(None, None)
    world.join(a)
    world.advance(4_000)
    assert world.heartbeat(b, 1).reply.error == errors.REBALANCE_IN_PROGRESS
    assert world.remaining("session", "g", b) == SESSION_MS


def test_sync_phase_answers_none() -> None:
    """T114: the member has joined, there is nothing to tell it."""
    world = World()
    a, _ = world.completing(None, None)
    world.advance(4_000)
    assert world.heartbeat(a, 1).reply.error == errors.NONE
    assert world.remaining("session", "g", a) == SESSION_MS


def test_empty_group_is_unknown_member() -> None:
    """T115."""
    world = World()
    pending = world.join(known=True).reply.member_id
    assert world.heartbeat("m", 0).reply.error == errors.UNKNOWN_MEMBER_ID
    assert world.heartbeat(pending, 0).reply.error == errors.UNKNOWN_MEMBER_ID


def test_membership_is_checked_before_the_generation() -> None:
    """T116, T117; refused heartbeats keep nobody alive."""
    world = World()
    a, _ = world.stable("one", "two")
    world.advance(1_000)
    assert world.heartbeat("nobody", 7).reply.error == errors.UNKNOWN_MEMBER_ID
    assert world.heartbeat(a, 7).reply.error == errors.ILLEGAL_GENERATION
    assert world.heartbeat(a, 7, instance="two").reply.error == errors.FENCED_INSTANCE_ID
    assert world.heartbeat(a, 7, instance="three").reply.error == errors.UNKNOWN_MEMBER_ID
    assert world.remaining("session", "g", a) == SESSION_MS - 1_000


def test_dead_group_is_not_available() -> None:
    """Spec 3.11 row 4: before anything about the member."""
    world = World()
    world.stable(None)
    world.apply(world.shard.on_unload(world.now_ms))
    assert world.heartbeat("nobody", 9).reply.error == errors.COORDINATOR_NOT_AVAILABLE


def test_silent_member_is_expelled_and_the_group_rebalances() -> None:
    """T118."""
    world = World()
    a, b = world.stable(None, None)
    world.advance(5_000)
    world.heartbeat(a, 1)
    world.advance(5_000)
    assert list(world.group.members) == [a]
    assert world.state() is PREPARING_REBALANCE
    assert world.heartbeat(b, 1).reply.error == errors.UNKNOWN_MEMBER_ID
    assert world.shard.counters.expired_members == 1


def test_heartbeat_in_the_instant_of_expiry_saves_the_member() -> None:
    """T119: the deadline has moved when the timer's turn comes."""
    world = World()
    (a,) = world.stable(None)
    world.now_ms += SESSION_MS
    assert world.heartbeat(a, 1).reply.error == errors.NONE
    world.advance(0)
    assert a in world.group.members


def test_commit_is_a_sign_of_life_and_fetch_is_not() -> None:
    """T120: in Stable and in the join phase."""
    world = World()
    a, b = world.stable(None, None)
    world.advance(4_000)
    assert world.commit(member_id=b, generation=1).reply.errors == [errors.NONE]
    assert world.remaining("session", "g", b) == SESSION_MS
    world.join(a)
    world.advance(4_000)
    assert world.commit(member_id=b, generation=1).reply.errors == [errors.NONE]
    assert world.remaining("session", "g", b) == SESSION_MS
    world.advance(1_000)
    world.fetch()
    assert world.remaining("session", "g", b) == SESSION_MS - 1_000


def test_expiry_of_the_last_missing_member_ends_the_join_phase() -> None:
    """T121."""
    world = World()
    a, _ = world.stable(None, None)
    call = world.join(a)
    world.advance(SESSION_MS)
    assert call.reply.generation == 2
    assert world.state() is COMPLETING_REBALANCE


def test_new_member_may_heartbeat_with_the_groups_generation() -> None:
    """Spec 3.11, seen on a running 4.3.1: from then on its session timeout counts, and it can expire while parked."""
    world = World(GroupConfig(initial_rebalance_delay_ms=60_000))
    call = world.join(rebalance=60_000)
    member_id = next(iter(world.group.members))
    assert world.heartbeat(member_id, 1).reply.error == errors.ILLEGAL_GENERATION
    assert world.remaining("session", "g", member_id) == 300_000
    assert world.heartbeat(member_id, 0).reply.error == errors.REBALANCE_IN_PROGRESS
    assert world.remaining("session", "g", member_id) == SESSION_MS
    world.advance(SESSION_MS)
    assert call.reply == JoinReply(errors.UNKNOWN_MEMBER_ID, "")
    assert not world.group.members


def test_all_sessions_end_and_the_group_is_empty() -> None:
    """Spec 5.3 (b)."""
    world = World()
    world.stable(*numbered(3), rebalance=20_000)
    world.advance(SESSION_MS)
    assert (world.state(), world.group.generation) == (EMPTY, 2)
    assert world.shard.facts["g"].members == ()


def test_timers_of_groups_and_members_that_are_gone_do_nothing() -> None:
    """Spec 3.11, 6.1."""
    world = World()
    world.stable(None)
    before = len(world.journal)
    for key in [("session", "gone", "m"), ("join", "gone"), ("sync", "gone"), ("session", "g", "gone"), ("join", "g")]:
        world.apply(world.shard.on_timer(key, world.now_ms))
    assert len(world.journal) == before
    world.apply(world.shard.on_unload(world.now_ms))
    before = len(world.journal)
    world.apply(world.shard.on_timer(("session", "g", next(iter(world.group.members))), world.now_ms))
    assert len(world.journal) == before


# ---- heartbeats like the one before


class Accepted:
    """A heartbeat that was accepted in a Stable group."""

    def __init__(self, world: World, member_id: str, instance: str | None = None) -> None:
        member = found(world, member_id, instance=instance)
        assert member is not None
        self._member = member
        assert member.session_key == ("session", "g", member_id)
        assert self.is_still

    @property
    def is_still(self) -> bool:
        return self._member.holds()


def found(world: World, member_id: str, generation: int = 1, instance: str | None = None) -> StableMember | None:
    return stable_member(world.shard.groups, Heartbeat("g", generation, member_id, instance))


def test_a_heartbeat_stays_accepted_while_the_group_stays_stable() -> None:
    world = World()
    a, b = world.stable(None, None)
    accepted = Accepted(world, a)
    world.heartbeat(b, 1)
    world.commit(5, member_id=a, generation=1)
    world.join(b)  # an unchanged follower is given what it has
    assert accepted.is_still


def test_a_heartbeat_has_to_be_checked_again_when_somebody_comes_goes_or_joins_again() -> None:
    for change in (
        lambda world, b: world.join(),
        lambda world, b: world.leave(b),
        lambda world, b: world.join(b, protocols=(("range", b"other"),)),
        lambda world, b: world.advance(SESSION_MS),
    ):
        world = World()
        a, b = world.stable(None, None)
        accepted = Accepted(world, a)
        change(world, b)
        assert not accepted.is_still


def test_a_heartbeat_of_the_generation_before_is_never_accepted_again() -> None:
    world = World()
    (a,) = world.stable(None)
    accepted = Accepted(world, a)
    world.join(a)
    world.sync(a, 2, {a: b""})
    assert world.heartbeat(a, 2).reply.error == errors.NONE
    assert not accepted.is_still


def test_a_static_member_that_is_replaced_without_a_rebalance_is_not_accepted_under_its_old_id() -> None:
    """The group is Stable before and after, in the same generation."""
    world = World()
    a, b = world.stable("one", "two")
    named, nameless, other = Accepted(world, a, "one"), Accepted(world, a), Accepted(world, b, "two")
    world.join(instance="one")
    assert (named.is_still, nameless.is_still, other.is_still) == (False, False, True)


def test_there_is_no_stable_member_where_a_heartbeat_is_refused_or_will_be_soon() -> None:
    world = World()
    a, b = world.stable("one", None)
    assert found(world, "nobody") is None
    assert found(world, a, generation=2) is None
    assert found(world, b, instance="one") is None
    world.join(b, protocols=(("range", b"other"),))
    assert world.group.state is PREPARING_REBALANCE
    assert found(world, a) is None
