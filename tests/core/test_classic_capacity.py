"""JoinGroup: how many may be in a group (spec 3.4.1; scenarios 11.3)."""

from __future__ import annotations

from muster.core.classic.states import COMPLETING_REBALANCE, PREPARING_REBALANCE
from muster.core.config import GroupConfig
from muster.core.replies import JoinReply
from muster.wire import errors
from tests.core.world import World

FULL = JoinReply(errors.GROUP_MAX_SIZE_REACHED, "")


def test_full_stable_group_refuses_a_newcomer() -> None:
    """T057."""
    world = World(GroupConfig(max_size=2))
    world.stable(None, None)
    assert world.join().reply == FULL
    assert len(world.group.members) == 2


def test_ids_are_handed_out_beyond_the_size_and_the_surplus_is_refused_on_return() -> None:
    """T058: pending ids take no room."""
    world = World(GroupConfig(max_size=10))
    ids = [world.join(known=True).reply.member_id for _ in range(11)]
    calls = [world.join(member_id, known=True) for member_id in ids]
    assert [call.waiting for call in calls] == [True] * 10 + [False]
    assert calls[10].reply == FULL
    assert not world.group.pending_joins
    assert world.remaining("session", "g", ids[10]) is None


def test_full_group_in_completing_rebalance_takes_back_its_own() -> None:
    """T059."""
    world = World(GroupConfig(max_size=2))
    _, b = world.completing(None, None)
    assert world.join(b).reply.error == errors.NONE
    assert world.join().reply == FULL
    assert world.join("somebody").reply == FULL


def test_group_that_became_too_large_keeps_the_first_ones_back() -> None:
    """T020, T060: the size was lowered while the node was down; later ones are put out, static ones too."""
    before = World()
    ids = before.stable(None, "i", None, None)
    before.shard.config = GroupConfig(max_size=2)
    world = before.restart()
    assert world.state() is PREPARING_REBALANCE
    kept = [world.join(ids[0]), world.join(ids[2])]
    assert world.join(ids[1], instance="i").reply == FULL
    assert kept[0].waiting
    assert world.join(ids[3]).reply == FULL
    assert [call.reply.generation for call in kept] == [2, 2], "nobody else is missing (spec 13.16)"
    assert list(world.group.members) == [ids[0], ids[2]]
    assert not world.group.static_members


def test_newcomer_takes_a_place_while_few_are_parked() -> None:
    """Spec 3.4.1, seen on a running 4.3.1: parked joins are counted, so an old member may come back too late."""
    world = World(GroupConfig(max_size=2))
    a, b = world.stable(None, None)
    world.join(a)
    newcomer = world.join()
    assert newcomer.waiting
    assert len(world.group.members) == 3
    assert world.join(b).reply == FULL
    assert newcomer.reply.generation == 2


def test_static_member_of_a_full_group_cannot_return_without_its_id() -> None:
    """T061: capacity goes by the id of the request, before instances are looked up."""
    world = World(GroupConfig(max_size=2))
    world.stable("one", "two")
    assert world.join(instance="one").reply == FULL


def test_parked_member_of_a_full_join_phase_may_ask_again() -> None:
    """T062."""
    world = World(GroupConfig(max_size=2))
    a, _, _ = _three_of_two(world)
    again = world.join(a)
    assert again.waiting
    assert world.group.awaiting_joins == 2


def _three_of_two(world: World) -> list[str]:
    """Two old members and a newcomer; one old member and the newcomer are parked."""
    a, b = world.stable(None, None)
    world.join(a)
    world.join()
    return [a, b, list(world.group.members)[2]]


def test_member_put_out_for_want_of_room_leads_no_more() -> None:
    """Spec 3.4 step 10: whoever is put out is gone from the group, also as its leader."""
    world = World(GroupConfig(max_size=2))
    a, b = world.stable(None, None)
    parked = [world.join(b, protocols=(("range", b"new"),)), world.join()]
    assert world.join(a).reply == FULL
    assert world.state() is COMPLETING_REBALANCE
    assert [call.reply.leader for call in parked] == [b, b]
