"""The initial delay and the end of the join phase (spec 3.5 to 3.8; scenarios 11.4)."""

from __future__ import annotations

import pytest

from muster.core.classic.states import COMPLETING_REBALANCE, EMPTY, PREPARING_REBALANCE, STABLE
from muster.core.config import GroupConfig
from muster.core.records import GroupStored
from muster.core.replies import JoinReply
from muster.wire import errors
from tests.core.world import SESSION_MS, START_MS, Call, World, numbered


def after(call: Call[JoinReply]) -> int:
    assert call.answered_ms is not None
    return call.answered_ms - START_MS


def test_lone_member_is_answered_when_the_initial_delay_is_over() -> None:
    """T063."""
    world = World()
    call = world.join()
    world.advance(2_999)
    assert call.waiting
    world.advance(1)
    member_id = call.reply.member_id
    assert (call.reply.generation, call.reply.leader) == (1, member_id)
    assert [member.member_id for member in call.reply.members] == [member_id]


def test_newcomers_extend_the_window_up_to_the_rebalance_timeout() -> None:
    """T064: windows end at 3, 6, 9 and 10 seconds."""
    world = World()
    calls = [world.join(rebalance=10_000)]
    for _ in range(3):
        world.advance(2_999)
        calls.append(world.join())
        world.advance(1)
    world.advance(5_000)
    assert [after(call) for call in calls] == [10_000] * 4


def test_window_without_newcomer_is_the_last() -> None:
    """T064: with one newcomer in the first window, it ends at 6 seconds."""
    world = World()
    calls = [world.join(rebalance=10_000), world.join()]
    world.advance(20_000)
    assert [after(call) for call in calls] == [6_000, 6_000]


@pytest.mark.parametrize(
    ("delay_ms", "rebalance_ms", "expected_ms"), [(3_000, 1_000, 3_000), (3_000, 3_000, 3_000), (0, 10_000, 0)]
)
def test_initial_delay_is_the_least_wait(delay_ms: int, rebalance_ms: int, expected_ms: int) -> None:
    """T065 and spec 3.6; with no delay the timer still fires by itself."""
    world = World(GroupConfig(initial_rebalance_delay_ms=delay_ms))
    call, late = world.join(rebalance=rebalance_ms), world.join()
    assert call.waiting
    world.advance(10_000)
    assert (after(call), after(late)) == (expected_ms, expected_ms)


def test_initial_window_does_not_end_early_when_everybody_is_there() -> None:
    """T066."""
    world = World()
    calls = [world.join(), world.join()]
    assert world.group.all_joined
    assert all(call.waiting for call in calls)


def test_rejoins_pending_ids_and_replacements_do_not_extend_the_window() -> None:
    """Spec 3.6, seen on a running 4.3.1; nor does a pending id delay the end."""
    world = World()
    world.join(instance="i")
    member_id = next(iter(world.group.members))
    world.join(member_id)
    world.join(instance="i")
    world.join(known=True)
    world.advance(3_000)
    assert world.state() is COMPLETING_REBALANCE


def test_new_static_members_extend_the_window() -> None:
    """Spec 3.6."""
    world = World()
    calls = [world.join(instance="one"), world.join(instance="two")]
    world.advance(10_000)
    assert [after(call) for call in calls] == [6_000, 6_000]


def test_only_member_leaves_in_the_window() -> None:
    """T067: the group stays in the join phase until the window ends, then it is Empty, generation 1, and stored so."""
    world = World()
    world.join()
    world.leave(next(iter(world.group.members)))
    assert world.state() is PREPARING_REBALANCE
    assert world.delete().reply.error == errors.NON_EMPTY_GROUP
    assert world.join(type_="connect").reply.error == errors.INCONSISTENT_GROUP_PROTOCOL
    world.advance(3_000)
    assert (world.state(), world.group.generation) == (EMPTY, 1)
    assert world.log[-1] == GroupStored("g", "consumer", 1, None, None, world.now_ms, ())


def test_any_protocol_name_fits_a_window_without_members() -> None:
    """Spec 3.3: nobody is left who would not know it."""
    world = World()
    world.join()
    world.leave(next(iter(world.group.members)))
    assert world.join(protocols=(("sticky", b""),)).waiting


def test_group_that_became_empty_waits_for_company_again() -> None:
    """T068: and later joiners extend it, although the generation is not 0."""
    world = World()
    (a,) = world.stable(None)
    world.leave(a)
    assert (world.state(), world.group.generation) == (EMPTY, 2)
    began_ms = world.now_ms
    calls = [world.join(), world.join()]
    world.advance(20_000)
    assert [call.answered_ms for call in calls] == [began_ms + 6_000] * 2
    assert calls[0].reply.generation == 3


def test_last_missing_member_ends_the_join_phase_at_once() -> None:
    """T069."""
    world = World()
    a, b = world.stable(None, None)
    first = world.join(a)
    assert first.waiting
    second = world.join(b)
    assert (first.reply.generation, second.reply.generation) == (2, 2)
    assert world.remaining("join", "g") is None


def test_dynamic_member_that_does_not_join_again_is_dropped() -> None:
    """T070."""
    world = World()
    a, b = world.stable(*numbered(2), rebalance=5_000)
    call = world.join(a, rebalance=5_000)
    world.advance(5_000)
    assert (call.reply.generation, [m.member_id for m in call.reply.members]) == (2, [a])
    assert world.heartbeat(b, 2).reply.error == errors.UNKNOWN_MEMBER_ID
    assert world.remaining("session", "g", b) is None


def test_static_follower_that_does_not_join_again_is_kept() -> None:
    """T071: it shows in the leader's list until its session ends (KIP-345)."""
    world = World()
    a, b = world.stable("one", "two", rebalance=5_000)
    call = world.join(a, rebalance=5_000)
    world.advance(5_000)
    assert [member.member_id for member in call.reply.members] == [a, b]
    assert call.reply.members[1].group_instance_id == "two"
    assert world.remaining("session", "g", b) == SESSION_MS


def test_static_leader_that_is_absent_is_replaced_as_leader() -> None:
    """T072."""
    world = World()
    a, b, c = world.stable("one", "two", "three", rebalance=5_000)
    calls = [world.join(member_id, protocols=(("range", b"x"),), rebalance=5_000) for member_id in (b, c)]
    world.advance(5_000)
    assert [call.reply.leader for call in calls] == [b, b]
    assert [len(call.reply.members) for call in calls] == [3, 0]
    assert a in world.group.members


def test_only_absent_static_members_keep_the_group_waiting() -> None:
    """T073: same generation, the timer is set again; when their sessions are over the group is Empty."""
    world = World()
    a, b = world.stable("one", None, rebalance=4_000)
    world.leave(b)
    assert world.state() is PREPARING_REBALANCE
    world.advance(4_000)
    assert (world.state(), world.group.generation) == (PREPARING_REBALANCE, 1)
    assert world.remaining("join", "g") == 4_000
    assert a in world.group.members
    world.advance(SESSION_MS)
    assert (world.state(), world.group.generation) == (EMPTY, 2)


def test_next_leader_is_the_oldest_that_remains() -> None:
    """T074 and spec 13.3."""
    world = World()
    a, b, c = world.stable(*numbered(3))
    world.leave(a)
    calls = [world.join(c), world.join(b)]
    assert [call.reply.leader for call in calls] == [b, b]
    assert [len(call.reply.members) for call in calls] == [0, 2]


R, S, A, B = ("range", b"r"), ("roundrobin", b"rr"), ("a", b"1"), ("b", b"2")
STICKY = ("sticky", b"s")


@pytest.mark.parametrize(
    ("lists", "selected"),
    [
        ([(R, S), (R, S), (S, R)], "range"),
        ([(S, R), (R, S), (S, R)], "roundrobin"),
        ([(R, S), (S,)], "roundrobin"),
        ([(A, B), (B, A)], "a"),
        ([(B, A), (A, B)], "a"),
        ([(R, STICKY), (STICKY, R)], "sticky"),
        ([(STICKY, R), (R, STICKY)], "sticky"),
    ],
)
def test_protocol_is_voted_for_and_ties_go_by_hash_order(
    lists: list[tuple[tuple[str, bytes], ...]], selected: str
) -> None:
    """T075, T076: whoever leads."""
    world = World()
    calls = [world.join(protocols=protocols) for protocols in lists]
    world.advance(6_000)
    assert [call.reply.protocol_name for call in calls] == [selected] * len(lists)
    metadata = dict(pair for protocols in lists for pair in protocols)[selected]
    assert [member.metadata for member in calls[0].reply.members] == [metadata] * len(lists)


def test_only_the_leader_hears_of_the_others() -> None:
    """T077."""
    world = World()
    calls = [world.join() for _ in range(3)]
    world.advance(6_000)
    assert [len(call.reply.members) for call in calls] == [3, 0, 0]
    assert len({call.reply.leader for call in calls}) == 1
    assert {call.reply.protocol_type for call in calls} == {"consumer"}


def test_new_member_that_waits_for_300_seconds_is_sent_away() -> None:
    """T078."""
    world = World()
    a, _ = world.stable(*numbered(2), rebalance=600_000)
    newcomer = world.join(rebalance=600_000)
    newcomer_id = list(world.group.members)[2]
    for _ in range(60):
        world.advance(5_000)
        for member_id in list(world.group.members)[:2]:
            world.heartbeat(member_id, 1)
    assert newcomer.reply == JoinReply(errors.UNKNOWN_MEMBER_ID, "")
    assert newcomer_id not in world.group.members
    assert a in world.group.members
    assert world.state() is PREPARING_REBALANCE


def test_old_member_does_not_expire_while_its_join_is_parked() -> None:
    """T079."""
    world = World()
    a, b = world.stable(*numbered(2), rebalance=60_000)
    world.join(a)
    for _ in range(11):
        world.advance(5_000)
        world.heartbeat(b, 1)
    assert a in world.group.members


def test_session_of_a_new_member_begins_when_the_join_phase_ends() -> None:
    """T080."""
    world = World()
    call = world.join()
    member_id = next(iter(world.group.members))
    assert world.remaining("session", "g", member_id) == 300_000
    world.advance(3_000)
    assert call.reply.generation == 1
    assert world.remaining("session", "g", member_id) == SESSION_MS
    assert not world.group.members[member_id].is_new


def test_pending_id_that_expires_does_not_end_the_initial_window() -> None:
    """Spec 13.8: unlike 4.3.1."""
    world = World(GroupConfig(initial_rebalance_delay_ms=20_000))
    call = world.join(rebalance=60_000)
    world.join(known=True, session=6_000)
    world.advance(6_000)
    assert not world.group.pending_joins
    assert call.waiting


def test_last_member_with_a_pending_id_around_ends_empty_by_timer() -> None:
    """Spec 3.5: nobody is left to set a rebalance timeout, so the phase is over as soon as the timer can fire."""
    world = World()
    (a,) = world.stable(None)
    pending = world.join(known=True).reply.member_id
    assert world.leave(a).reply.error == errors.NONE
    assert world.state() is PREPARING_REBALANCE
    world.advance(0)
    assert world.state() is EMPTY
    assert list(world.group.pending_joins) == [pending]


def test_subscriptions_are_read_at_the_end_of_the_join_phase() -> None:
    """Spec 2.4: the union, of the selected protocol only; unknown if one cannot be read."""

    def topics(*names: bytes) -> bytes:
        listed = b"".join(len(name).to_bytes(2, "big") + name for name in names)
        return b"\0\0" + len(names).to_bytes(4, "big") + listed + b"\xff\xff\xff\xff"

    world = World()
    a = world.join(protocols=(("range", topics(b"x", b"y")),))
    b = world.join(protocols=(("sticky", topics(b"other")), ("range", topics(b"z"))))
    world.advance(6_000)
    assert world.group.subscribed_topics == frozenset(("x", "y", "z"))
    assert world.group.is_subscribed_to("x")
    assert not world.group.is_subscribed_to("other")
    world.join(b.reply.member_id, protocols=(("range", b"\0"),))
    world.join(a.reply.member_id, protocols=(("range", topics(b"x")),))
    assert world.shard.groups["g"].subscribed_topics is None
    assert world.group.is_subscribed_to("anything")


def test_stable_group_that_is_left_by_all_forgets_subscriptions() -> None:
    """Spec 3.7 step 5."""
    world = World()
    (a,) = world.stable(None)
    assert world.state() is STABLE
    world.leave(a)
    assert world.group.subscribed_topics == frozenset()
