"""Advice about members that are slow to join again. In most clients the rebalance timeout is max.poll.interval.ms."""

from __future__ import annotations

from typing import Final

from muster.explain.advice import Advice, Case
from muster.explain.facts import Arrival, Departure, Rebalance
from muster.explain.words import duration, listed, plural, times

SLOW_MS: Final = 5_000
"""A member hears of a rebalance with its next heartbeat, 3 s apart by default: more than that is the member's own time."""
SLOW_TIMES: Final = 2


def rejoin_in_time(case: Case) -> Advice | None:
    """Members that missed a rebalance but live: they were busy with records, not dead."""
    missed = [
        (gone, each)
        for each in case.shown
        for gone in each.departures
        if gone.cause == "rejoin_missed" and case.came_back(gone) is not None
    ]
    polls = [each for each in case.shown if each.why.cause == "poll_timeout"]
    if not missed and not polls:
        return None
    evidence: list[str] = []
    if missed:
        evidence.append(_missed_words(case, [gone for gone, _ in missed]))
    if polls:
        names = dict.fromkeys(case.names.process(each.why.who) for each in polls if each.why.who is not None)
        evidence.append(f"{listed(list(names))} left {times(len(polls))} because the application did not poll in time")
    return Advice(
        "rejoin_in_time",
        ("max.poll.interval.ms", "max.poll.records"),
        "Let it do less between two polls (max.poll.records), or raise max.poll.interval.ms above the longest time that one"
        " batch takes.",
        "; ".join(evidence) + ".",
        tuple(dict.fromkeys([each.generation for _, each in missed] + [each.generation for each in polls])),
    )


def shorter_rebalance_timeout(case: Case) -> Advice | None:
    """Members that never came made everybody wait for the whole rebalance timeout."""
    waits = [
        (gone, each)
        for each in case.shown
        for gone in each.never_came
        if case.came_back(gone) is None and (each.join_ms or 0) >= SLOW_MS
    ]
    if not waits:
        return None
    _, worst = max(waits, key=lambda pair: pair[1].join_ms or 0)
    others = worst.slowest
    came = f"; everybody else had joined after {duration(others.waited_ms)}" if others is not None else ""
    return Advice(
        "shorter_rebalance_timeout",
        ("max.poll.interval.ms", "rebalance.timeout.ms"),
        "Lower max.poll.interval.ms (the rebalance timeout of most clients) towards what the living members need.",
        f"{plural(len({each.generation for _, each in waits}), 'rebalance')} waited for the whole rebalance timeout, up to"
        f" {duration(worst.join_ms or 0)}, for members that never came: {_names(case, [gone for gone, _ in waits])}{came}.",
        tuple(dict.fromkeys(each.generation for _, each in waits)),
    )


def slow_to_join(case: Case) -> Advice | None:
    """The same member keeps the others waiting time and again."""
    late: dict[str, list[tuple[Arrival, Rebalance]]] = {}
    for each in case.shown:
        slowest = each.slowest
        if slowest is not None and slowest.waited_ms > SLOW_MS and not slowest.is_new and not each.never_came:
            late.setdefault(slowest.who.identity, []).append((slowest, each))
    often = max(late.values(), key=len, default=[])
    if len(often) < SLOW_TIMES:
        return None
    longest = max(arrival.waited_ms for arrival, _ in often)
    return Advice(
        "slow_to_join",
        ("max.poll.records", "heartbeat.interval.ms"),
        "See what it does between two polls: members can only join again there. Fewer records a poll (max.poll.records) or"
        " handing them to a worker thread lets it come sooner.",
        f"{case.names.process(often[0][0].who)} was the last to join in {len(often)} of {plural(len(case.shown), 'rebalance')}"
        f" and kept the others waiting for up to {duration(longest)}.",
        tuple(each.generation for _, each in often),
    )


def _missed_words(case: Case, missed: list[Departure]) -> str:
    timeout_ms = max(gone.rebalance_timeout_ms or 0 for gone in missed)
    away = max(back.away_ms for gone in missed if (back := case.came_back(gone)) is not None)
    within = f" of {duration(timeout_ms)}" if timeout_ms else ""
    was = "was" if len({gone.who.identity for gone in missed}) == 1 else "were"
    return (
        f"{_names(case, missed)} did not join again within the rebalance timeout{within},"
        f" {was} dropped, and came back {duration(away)} later"
    )


def _names(case: Case, gone: list[Departure]) -> str:
    return listed(list(dict.fromkeys(case.names.process(each.who) for each in gone)))
