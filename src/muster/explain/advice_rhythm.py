"""Advice about how often a group rebalances: its start, members that come and go, a crowd that does not fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from muster.core.time_units import HOUR_MS
from muster.explain.advice import Advice, Case
from muster.explain.cause_words import phrase
from muster.explain.facts import Rebalance
from muster.explain.words import duration, listed, plural

MANY_AN_HOUR: Final = 10
FLAPS: Final = 3
START_MS: Final = 30_000
"""Newcomers within this time of a group's first generation belong to its start."""
LATE_STARTERS: Final = 2
WORTH_SAVING_MS: Final = 1_000
"""In sum: a start that costs less is quick enough."""


def many_in_an_hour(case: Case) -> Advice | None:
    """Second rounds of a cooperative rebalance belong to the first."""
    own = [each for each in case.shown if each.why.cause != "cooperative_round"]
    busiest = _busiest_hour(own)
    if len(busiest) < MANY_AN_HOUR:
        return None
    causes: dict[str, int] = {}
    for each in busiest:
        causes[each.why.cause] = causes.get(each.why.cause, 0) + 1
    cause, count = max(causes.items(), key=lambda pair: pair[1])
    paused = sum(gap.length_ms for each in busiest if (gap := each.longest_gap) is not None)
    return Advice(
        "many_in_an_hour",
        (),
        f"A group at rest does not rebalance: begin with the most frequent cause: {phrase(cause)}.",
        f"{len(busiest)} rebalances within {duration(max(busiest[-1].began_ms - busiest[0].began_ms, 1))}, {count} of them by"
        f" that cause; something stood still for {duration(paused)} of that time.",
        tuple(each.generation for each in busiest),
    )


def flapping_members(case: Case) -> Advice | None:
    went: dict[str, list[tuple[int, int]]] = {}
    names: dict[str, str] = {}
    for each in case.shown:
        for gone in each.departures:
            went.setdefault(gone.who.identity, []).append((gone.at_ms, each.generation))
            names[gone.who.identity] = case.names.short(gone.who)
    flappers = {who: times for who, times in went.items() if _most_within(HOUR_MS, [at for at, _ in times]) >= FLAPS}
    shared = case.history.shared_identities
    flappers = {who: times for who, times in flappers.items() if who not in shared}
    if not flappers:
        return None
    told = [f"{names[who]} went {len(times)} times in {_span(times)}" for who, times in flappers.items()]
    return Advice(
        "flapping_members",
        (),
        "Look at the log of that process around these times: something ends or stops it again and again.",
        f"{listed(told)}.",
        tuple(sorted({generation for times in flappers.values() for _, generation in times})),
    )


def longer_initial_delay(case: Case) -> Advice | None:
    """Members that come just after the first generation of an empty group, each for a rebalance of its own."""
    for index, first in enumerate(case.shown):
        if not first.from_empty or first.is_consumer or first.ended_ms is None or first.result != "stable":
            continue
        late = _just_after(first, case.shown[index + 1 :])
        if len(late) >= LATE_STARTERS and sum(each.took_ms or 0 for each in late) >= WORTH_SAVING_MS:
            needed_ms = late[-1].began_ms - first.began_ms
            return Advice(
                "longer_initial_delay",
                ("group.initial.rebalance.delay.ms",),
                f"Raise group.initial.rebalance.delay.ms of the broker to about {duration(needed_ms)}, or start the members"
                " closer together: the group then starts once, with everybody.",
                f"The group waited {duration(first.join_ms or 0)} for company when it started; {len(late)} more members came"
                f" within {duration(late[-1].began_ms - first.ended_ms)} after that, each for a rebalance of its own.",
                tuple(each.generation for each in (first, *late)),
            )
    return None


def full_group(case: Case) -> Advice | None:
    refused = [each for each in case.history.quiet if each.kind == "refused"]
    expelled = [gone for gone in case.departures if gone.cause in ("group_full", "group_too_large")]
    count = len(refused) + len(expelled)
    if not count:
        return None
    return Advice(
        "full_group",
        ("group.max.size",),
        "Raise group.max.size of the broker, or run fewer members.",
        f"{plural(count, 'member')} found no room in the group.",
    )


def _just_after(first: Rebalance, following: Sequence[Rebalance]) -> list[Rebalance]:
    assert first.ended_ms is not None
    late: list[Rebalance] = []
    for each in following:
        if each.began_ms - first.ended_ms > START_MS:
            break
        if each.why.cause not in ("new_member", "cooperative_round") or each.departures:
            break  # somebody went: that is no start any more
        if each.why.cause == "new_member":
            late.append(each)
    return late


def _busiest_hour(rebalances: Sequence[Rebalance]) -> Sequence[Rebalance]:
    busiest: Sequence[Rebalance] = ()
    first = 0
    for last, each in enumerate(rebalances):
        while each.began_ms - rebalances[first].began_ms > HOUR_MS:
            first += 1
        if last + 1 - first > len(busiest):
            busiest = rebalances[first : last + 1]
    return busiest


def _most_within(span_ms: int, times: Sequence[int]) -> int:
    return max(sum(at <= other < at + span_ms for other in times) for at in times)


def _span(times: Sequence[tuple[int, int]]) -> str:
    return duration(max(times[-1][0] - times[0][0], 1))
