"""Advice about sessions and static membership, from members that went silent or went away and came back."""

from __future__ import annotations

from typing import Final

from muster.explain.advice import Advice, Case
from muster.explain.facts import Departure, Rebalance, Return
from muster.explain.words import duration, listed, plural, times

LONG_SILENCE_MS: Final = 10_000
"""Below this a dead member is found soon enough for most; Kafka's own default was 10 s for years."""
RESTARTS_SEEN: Final = 2
"""One process that goes and comes back may be chance."""


def longer_session(case: Case) -> Advice | None:
    """Members that were expelled for their silence and came back soon were alive: their pause was longer than their session."""
    early = [
        each
        for each in case.returns
        if each.departure.cause == "session_expired"
        and (each.who.is_static or 0 <= each.away_ms <= each.departure.silent_ms)
    ]
    if not early:
        return None
    pause_ms = max(each.departure.silent_ms + each.away_ms for each in early)
    asked_ms = max(each.departure.silent_ms for each in early)
    evidence = (
        f"{_who(case, early)} {'was' if _one(early) else 'were'} expelled {times(len(early))} after "
        f"{duration(asked_ms)} without a heartbeat and came back {_within(early)}"
    )
    return Advice(
        "longer_session",
        (case.session_setting,),
        f"Raise {case.session_setting} above {duration(pause_ms)}, the longest such pause, or find out what stops the"
        " process for so long. (If it was restarted meanwhile: a longer session helps static members only.)",
        f"{evidence}.",
        _rebalances(case, early),
    )


def shorter_session(case: Case) -> Advice | None:
    """Members that never came back were dead: everybody waited for their session to end."""
    dead = [
        gone
        for gone in case.departures
        if gone.cause == "session_expired" and gone.silent_ms > LONG_SILENCE_MS and case.came_back(gone) is None
    ]
    held = [(gone, each) for gone in dead if (each := _stood_still(case, gone)) is not None]
    if not held or longer_session(case) is not None:
        return None
    gone, rebalance = max(held, key=lambda pair: pair[0].silent_ms)
    gap = rebalance.longest_gap
    assert gap is not None
    beat = case.session_setting.replace("session.timeout", "heartbeat.interval")
    return Advice(
        "shorter_session",
        (case.session_setting, beat),
        f"If {duration(gap.length_ms)} is too long to find a dead member, lower {case.session_setting} (and"
        f" {beat} to a third of it).",
        f"{case.names.short(gone.who)} did not come back; of the {duration(gap.length_ms)} that its partitions had no owner,"
        f" {duration(gone.silent_ms)} was its session timeout.",
        tuple(each.generation for _, each in held),
    )


def static_membership(case: Case) -> Advice | None:
    """Dynamic members that go and come back cost two rebalances each; static ones that are back in time cost none (KIP-345)."""
    restarts = [
        each
        for each in case.returns
        if not each.who.is_static and each.departure.cause in ("member_left", "session_expired", "gone")
    ]
    caused = _rebalances(case, restarts)
    if len(restarts) < RESTARTS_SEEN or not caused:
        return None
    away_ms = max(each.departure.silent_ms + each.away_ms for each in restarts)
    return Advice(
        "static_membership",
        ("group.instance.id", case.session_setting),
        f"Give each process a group.instance.id of its own and a {case.session_setting} above {duration(away_ms)}: a static"
        " member that is back in time keeps its partitions, without a rebalance. (Its partitions wait for it meanwhile.)",
        f"{_who(case, restarts)} went and came back {times(len(restarts))}, {_within(restarts)}; that made"
        f" {plural(len(caused), 'rebalance')}.",
        caused,
    )


def _stood_still(case: Case, gone: Departure) -> Rebalance | None:
    for each in case.shown:
        gap = each.longest_gap
        if gone in each.departures and gap is not None and gap.length_ms >= gone.silent_ms:
            return each
    return None


def _rebalances(case: Case, returns: list[Return]) -> tuple[int, ...]:
    """Those that the going or the coming of these triggered."""
    gone = {each.departure.who.member_id for each in returns}
    back = {(each.who.member_id, each.at_ms) for each in returns}
    found: list[int] = []
    for each in case.shown:
        trigger = each.why.who.member_id if each.why.who is not None else ""
        left = {departure.who.member_id for departure in each.departures}
        if (trigger in gone and trigger in left) or (trigger, each.began_ms) in back:
            found.append(each.generation)
    return tuple(found)


def _who(case: Case, returns: list[Return]) -> str:
    return listed(list(dict.fromkeys(case.names.process(each.who) for each in returns)))


def _one(returns: list[Return]) -> bool:
    return len({each.who.identity for each in returns}) == 1


def _within(returns: list[Return]) -> str:
    longest_ms = max(each.away_ms for each in returns)
    if longest_ms < 0:
        return "before the old session had ended"
    longest = duration(longest_ms)
    return f"{longest} later" if len(returns) == 1 else f"within {longest}"
