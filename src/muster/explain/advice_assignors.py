"""Advice about assignors and subscriptions, from what moved, what stayed, and what members offer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from muster.explain.advice import Advice, Case
from muster.explain.facts import Asked, Move, Rebalance, Who
from muster.explain.words import duration, listed, plain, plural

COOPERATIVE: Final = "cooperative-sticky"
EAGER: Final = frozenset({"range", "roundrobin", "sticky"})
STOOD_STILL_MS: Final = 1_000
"""In sum; shorter pauses are not worth a change of the assignor."""
NEEDLESS_MOVES: Final = 2


def keep_partitions(case: Case) -> Advice | None:
    """Partitions that came back to their owner had no need to stand still: cooperative members keep them (KIP-429)."""
    paused = [
        (each, pause_ms)
        for each in case.shown
        if each.protocol in EAGER
        and not (each.from_empty or each.is_consumer)
        and (pause_ms := _pause_of_stayed(each)) > 0
    ]
    total_ms = sum(pause_ms for _, pause_ms in paused)
    if total_ms < STOOD_STILL_MS:
        return None
    stayed = sum(len(each.stayed) for each, _ in paused)
    moved = sum(len(each.moves or ()) for each, _ in paused)
    longest_ms = max(pause_ms for _, pause_ms in paused)
    return Advice(
        "keep_partitions",
        ("partition.assignment.strategy",),
        _how_to_cooperate(case),
        f"In {plural(len(paused), 'rebalance')} {stayed} of {plural(stayed + moved, 'partition')} stayed with their owner, yet"
        f" stood still with the rest: for up to {duration(longest_ms)}, {duration(total_ms)} in all.",
        tuple(each.generation for each, _ in paused),
    )


def needless_moves(case: Case) -> Advice | None:
    """From one member that stayed to another that was there before: the work of range and round robin."""
    found = [
        (each, moves)
        for each in case.shown
        if each.protocol in ("range", "roundrobin") and not each.is_consumer and (moves := _between_lasting(each))
    ]
    count = sum(len(moves) for _, moves in found)
    if count < NEEDLESS_MOVES:
        return None
    of = sum(len(each.moves or ()) for each, _ in found)
    return Advice(
        "needless_moves",
        ("partition.assignment.strategy",),
        f"A sticky assignor ({COOPERATIVE}, or sticky) moves no more partitions than an even share takes.",
        f"In {plural(len(found), 'rebalance')} {count} of {plural(of, 'move')} went from one member to another though both"
        " were there before and after.",
        tuple(each.generation for each, _ in found),
    )


def half_done_upgrade(case: Case) -> Advice | None:
    """Members that offer different assignors: the group speaks one that all know, which is seldom the wanted one."""
    latest = case.latest
    lists = _by_answer(latest.asked, lambda asked: asked.protocols) if latest is not None else {}
    if latest is None or len(lists) < 2:
        return None
    told = [f"{_members(case, members)}: {', '.join(map(plain, names or ()))}" for names, members in lists.items()]
    return Advice(
        "half_done_upgrade",
        ("partition.assignment.strategy",),
        "Give all members the same list. To change the assignor take two rolling restarts: first add the new one before the old"
        " one everywhere, then remove the old one.",
        f"Members offer different assignors, so the group speaks {plain(latest.protocol or 'none')} ({'; '.join(told)}).",
        (latest.generation,),
    )


def other_subscriptions(case: Case) -> Advice | None:
    latest = case.latest
    wanted = _by_answer(latest.asked, lambda asked: asked.topics) if latest is not None else {}
    if latest is None or len(wanted) < 2 or None in wanted:
        return None
    told = [
        f"{_members(case, members)} {'reads' if len(members) == 1 else 'read'} {', '.join(map(plain, topics or ())) or 'nothing'}"
        for topics, members in wanted.items()
    ]
    return Advice(
        "other_subscriptions",
        ("group.id",),
        "If that is not meant to be, give all members the same topics; if it is, a group for each kind of reader keeps the ones"
        " from rebalancing for the others.",
        f"Members of this group subscribe to different topics: {'; '.join(told)}.",
        (latest.generation,),
    )


def _how_to_cooperate(case: Case) -> str:
    latest = case.latest
    lists = [asked.protocols for asked in latest.asked] if latest is not None else []
    if lists and all(COOPERATIVE in names for names in lists):
        return (
            f"Every member already offers {COOPERATIVE}: take the other assignors out of partition.assignment.strategy, in a"
            " rolling restart."
        )
    return (
        f"Use {COOPERATIVE} (partition.assignment.strategy; two rolling restarts: add it first, then remove the old one):"
        " partitions that stay are then read on during a rebalance."
    )


def _pause_of_stayed(rebalance: Rebalance) -> int:
    stayed = set(rebalance.stayed)
    return max((gap.length_ms for gap in rebalance.gaps if gap.partition in stayed), default=0)


def _between_lasting(rebalance: Rebalance) -> list[Move]:
    new = {who.member_id for who in rebalance.newcomers}
    gone = {each.who.member_id for each in rebalance.departures}
    return [
        move
        for move in rebalance.moves or ()
        if move.source is not None
        and move.target is not None
        and move.source.member_id not in gone
        and move.target.member_id not in new
    ]


def _by_answer(
    asked: Iterable[Asked], answer: Callable[[Asked], tuple[str, ...] | None]
) -> dict[tuple[str, ...] | None, list[Who]]:
    found: dict[tuple[str, ...] | None, list[Who]] = {}
    for each in asked:
        found.setdefault(answer(each), []).extend(each.members)
    return found


def _members(case: Case, members: list[Who]) -> str:
    names = [case.names.short(who) for who in members]
    shown = names if len(names) <= 3 else [*names[:3], f"{len(names) - 3} more"]
    return listed(shown)
