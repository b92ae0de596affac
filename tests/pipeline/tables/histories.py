"""Scripts of what happens to groups: each a history played by the real coordinator, named by what it shows."""

from __future__ import annotations

from collections.abc import Callable

from tests.core.world import REBALANCE_MS, SESSION_MS
from tests.pipeline.tables.scripted import Script


def somebody_joins() -> Script:
    script = Script("join")
    (a,) = script.found(None)
    newcomer = script.enter(client="late", reason="scaled up")
    script.advance(500)
    script.complete(script.enter(a), newcomer)
    script.work(*script.owned)
    return script


def somebody_leaves() -> Script:
    script = Script("leave")
    a, b = script.found(None, None)
    script.leave(b)
    script.advance(200)
    script.complete(script.enter(a))
    script.work(a)
    return script


def somebody_dies() -> Script:
    """Its partitions see no commit until its session has expired."""
    script = Script("kill")
    a, _ = script.found(None, None)
    script.work(a, rounds=SESSION_MS // 1_000)
    script.complete(script.enter(a))
    script.work(a)
    return script


def somebody_stalls() -> Script:
    """It heartbeats, but does not join again when a newcomer asks everybody to."""
    script = Script("stall")
    a, b = script.found(None, None)
    newcomer = script.enter(client="other")
    again = script.enter(a)
    script.work(b, rounds=REBALANCE_MS // 1_000, commits=False)
    script.complete(again, newcomer)
    return script


def static_member_restarts() -> Script:
    """Same subscription, same place: the generation stays."""
    script = Script("static restart")
    script.found("one", "two")
    (returned,) = (script.enter(instance="two").reply.member_id,)
    script.advance(100)
    assert script.group.generation == 1
    assert returned in script.group.members
    return script


def subscription_changes() -> Script:
    script = Script("metadata")
    a, b = script.found(None, None)
    leader = script.group.leader
    follower = b if leader == a else a
    changed = script.enter(follower, topics=("t", "u"))
    script.advance(100)
    assert leader is not None
    script.complete(script.enter(leader), changed)
    return script


def topic_grows() -> Script:
    """The leader sees new partitions and asks for a round; to the coordinator it is just a leader that joins again."""
    script = Script("grown")
    ids = script.found(None, None)
    script.partitions = 8
    leader = script.group.leader
    assert leader is not None
    script.complete(script.enter(leader), *(script.enter(member_id) for member_id in ids if member_id != leader))
    return script


def leader_asks_for_nothing() -> Script:
    script = Script("spurious")
    ids = script.found(None, None)
    leader = script.group.leader
    assert leader is not None
    script.complete(script.enter(leader), *(script.enter(member_id) for member_id in ids if member_id != leader))
    return script


def everybody_leaves_and_the_group_is_deleted() -> Script:
    """Empty, then somebody again, then deleted and made anew."""
    script = Script("lives")
    (a,) = script.found(None)
    script.leave(a)
    script.advance(120_000)
    (b,) = script.found(None)
    script.leave(b)
    assert script.delete().reply.error == 0
    script.advance(120_000)
    script.found(None)
    return script


def group_is_deleted_and_made_anew_at_once() -> Script:
    """Two generations of the same number within the time in which record and journal event are taken for one."""
    script = Script("quick lives")
    (a,) = script.found(None)
    script.leave(a)
    assert script.delete().reply.error == 0
    script.advance(1_000)
    script.found(None)
    return script


def round_is_cut_short() -> Script:
    """A newcomer comes in the middle of the sync phase of another newcomer."""
    script = Script("cut short")
    (a,) = script.found(None)
    first = script.enter(client="first")
    again = script.enter(a)
    while again.waiting:
        script.advance(script.timers["join", "g"] - script.now_ms)
    script.advance(300)
    second = script.enter(client="second")
    script.complete(script.enter(a), script.enter(first.reply.member_id), second)
    return script


def fleet_is_restarted() -> Script:
    """One after the other leaves and comes back as somebody else."""
    script = Script("rolling")
    here = script.found(None, None, None)
    for leaving in list(here):
        script.leave(leaving)
        here.remove(leaving)
        script.advance(1_000)
        script.complete(*(script.enter(member_id) for member_id in here))
        script.work(*here, rounds=3)
        newcomer = script.enter()
        again = [script.enter(member_id) for member_id in here]
        here = script.complete(*again, newcomer)
        script.work(*here, rounds=3)
    return script


def member_flaps() -> Script:
    script = Script("storm")
    here = script.found(None, None)
    a = here[0]
    for _ in range(4):
        script.leave(*(member_id for member_id in script.group.members if member_id != a))
        script.complete(script.enter(a))
        script.advance(2_000)
        newcomer = script.enter()
        script.complete(script.enter(a), newcomer)
        script.advance(2_000)
    return script


def cooperative_rounds() -> Script:
    script = Script("cooperative")
    (a,) = script.found(None, protocol="cooperative-sticky")
    newcomer = script.enter(protocol="cooperative-sticky")
    ids = script.complete(script.enter(a, protocol="cooperative-sticky"), newcomer)
    script.advance(500)
    leader = script.group.leader
    assert leader is not None
    others = [member_id for member_id in ids if member_id != leader]
    script.complete(*(script.enter(member_id, protocol="cooperative-sticky") for member_id in [leader, *others]))
    return script


ALL: tuple[Callable[[], Script], ...] = (
    somebody_joins,
    somebody_leaves,
    somebody_dies,
    somebody_stalls,
    static_member_restarts,
    subscription_changes,
    topic_grows,
    leader_asks_for_nothing,
    everybody_leaves_and_the_group_is_deleted,
    group_is_deleted_and_made_anew_at_once,
    round_is_cut_short,
    fleet_is_restarted,
    member_flaps,
    cooperative_rounds,
)
