"""Who has rejoined, who is missing and how long it can take: a rebalance that is under way. Pure: from a group's history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from muster.explain.facts import History, Rebalance
from muster.explain.names import Names
from muster.explain.words import partitions

PHASE_WORDS: Final[Mapping[str, str]] = {
    "join": "Rebalancing: waiting for members to rejoin",
    "sync": "Rebalancing: waiting for the leader's assignment",
    "reconciling": "Moving to a new target assignment",
}
"""By `Progress.phase`."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Somebody who is waited for."""

    name: str
    what: str
    """What it has to do."""
    since_ms: int | None = None
    until_ms: int | None = None
    """When its time is over."""


@dataclass(frozen=True, slots=True)
class Progress:
    phase: str
    began_ms: int
    arrived: tuple[tuple[str, int], ...]
    """Who has joined again, and how long after the beginning."""
    missing: tuple[Waiting, ...]
    until_ms: int | None
    """When the phase ends without those who are missing; None: not known."""


def progress_of(history: History) -> Progress | None:
    """None if the group is not rebalancing, as far as is known."""
    now = history.rebalances[-1] if history.rebalances else None
    if now is None or now.result != "running" or not now.rounds:
        return None
    names = Names(history)
    if now.is_consumer:
        return _reconciling(now, names)
    last, timeout_ms = now.rounds[-1], _rebalance_timeout_ms(history)
    if last.join_ended_ms is not None:
        leader = names.full(now.leader) if now.leader is not None else "the leader"
        # The journal tells of no SyncGroup. Only the leader's is waited for: it gives all of them their assignment.
        until_ms = None if timeout_ms is None else last.join_ended_ms + max(timeout_ms, 0)
        return Progress("sync", last.join_ended_ms, (), (Waiting(leader, "has to assign"),), until_ms)
    arrived = {each.who.member_id for each in now.arrivals}
    missing = [Waiting(names.full(who), "has not rejoined") for who in history.members if who.member_id not in arrived]
    return Progress(
        "join",
        last.began_ms,
        tuple((names.short(each.who), each.waited_ms) for each in now.arrivals),
        tuple(missing),
        last.began_ms + timeout_ms if timeout_ms is not None and missing else None,
    )


def _reconciling(now: Rebalance, names: Names) -> Progress:
    waiting = [
        Waiting(
            names.full(each.who),
            f"has to give up {partitions(each.partitions)}",
            each.began_ms,
            None if each.rebalance_timeout_ms is None else each.began_ms + each.rebalance_timeout_ms,
        )
        for each in now.pending
    ]
    return Progress("reconciling", now.began_ms, (), tuple(waiting), None)


def _rebalance_timeout_ms(history: History) -> int | None:
    """The longest that anybody asked for in the last generation: so long coordinators wait."""
    asked = next((each.asked for each in reversed(history.rebalances) if each.asked), ())
    return max((each.rebalance_timeout_ms for each in asked), default=None)
