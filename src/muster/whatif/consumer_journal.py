"""The journal of a consumer group (KIP-848), read: when its clients came, left and fell silent. Pure.

Its members react with their heartbeats, which a replay sends at their interval; how long each takes to give partitions up is in the
journal. What its members subscribe to is not: all are taken to want every topic that any of them was given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median_low
from typing import Final

from muster.explain.epochs import partitions_of
from muster.explain.event import Event
from muster.whatif.partition_counts import count_partitions
from muster.whatif.recorded import DEFAULT_DELAY_MS, Asks, ConsumerTimes, Life, Recorded
from muster.whatif.stretch import Stretch

_DEFAULT_ASSIGNOR: Final = "uniform"
_OF_HEARTBEATS: Final = ("revocation_started", "revocation_completed", "partitions_awaited", "member_reconciled")
_STEP_MS: Final = 50


def read_consumer(group: str, stretch: Stretch) -> Recorded:
    events = stretch.events
    counts = _counts(events)
    topics = tuple(sorted(counts))
    lives = [replace(life, asks=replace(life.asks, topics=topics)) for life in _lives(events)]
    return Recorded(
        group,
        list(events),
        sorted(lives, key=lambda life: (life.came_ms, life.order)),
        DEFAULT_DELAY_MS,
        False,
        set(),
        {},
        stretch.standing,
        _assignor(events),
        counts,
        _times(events),
    )


def _times(events: Sequence[Event]) -> ConsumerTimes:
    usual = ConsumerTimes()
    sessions = [ms for event in events if (ms := event.number("session_timeout_ms")) is not None]
    targets = [event.at_ms for event in events if event.kind == "target_assigned"]
    gaps = [later - before for before, later in pairwise(targets)]
    return ConsumerTimes(
        sessions[-1] if sessions else usual.session_timeout_ms,
        usual.heartbeat_interval_ms,
        min([usual.assignment_interval_ms, *gaps]),
        _shown_interval_ms(events),
    )


def _shown_interval_ms(events: Sequence[Event]) -> int | None:
    """From the heartbeats of members that wait for partitions, or have given some up: the next one that tells anything comes an
    interval later, or several. Who was given something says so in between. None: nobody shows it."""
    waiting: dict[str, int] = {}
    gaps: list[int] = []
    for event in events:
        if event.member is None or event.kind not in _OF_HEARTBEATS:
            continue
        since_ms = waiting.pop(event.member, None)
        if since_ms is not None and event.kind != "revocation_completed":
            gaps.append(event.at_ms - since_ms)
        if event.kind in ("partitions_awaited", "member_reconciled") and not event.detail.get("given"):
            waiting[event.member] = event.at_ms
    if not gaps:
        return None
    shortest = sorted(gaps)[len(gaps) // 4]  # rather than the very first, which a newer target may have cut short
    return max(1, round(shortest / _STEP_MS)) * _STEP_MS


def _assignor(events: Sequence[Event]) -> str:
    named = [name for event in events if event.kind == "target_assigned" and (name := event.text("assignor"))]
    return named[-1] if named else _DEFAULT_ASSIGNOR


def _counts(events: Sequence[Event]) -> dict[str, int]:
    told = [event.detail.get("given") for event in events if event.kind == "target_assigned"]
    members = (member for given in told if isinstance(given, Mapping) for member in given.values())
    return count_partitions(place for member in members for place in partitions_of(member))


def _lives(events: Sequence[Event]) -> list[Life]:
    """A member that comes back keeps its id in this protocol: each time is a life of its own."""
    found: list[Life] = []
    current: dict[str, Life] = {}
    refused: set[str] = set()
    waits: dict[str, list[int]] = {}
    for order, event in enumerate(events):
        if event.member is None:
            continue
        if event.kind in ("member_joined", "static_replaced") or _is_refused_join(event):
            if event.member not in refused:
                current[event.member] = Life(event.member, event.client or "", event.host or "", event.instance, order)
                current[event.member].joined_ms = event.at_ms
                found.append(current[event.member])
            (refused.add if event.kind == "member_fenced" else refused.discard)(event.member)
            _end_replaced(current.get(event.text("old_member_id") or ""), event.at_ms)
        elif event.member in current:
            _take(current[event.member], event)
            if event.kind == "revocation_completed":
                waits.setdefault(event.member, []).append(event.number("waited_ms") or 0)
    for life in found:
        life.gives_up_ms = median_low(waits.get(life.member_id, [0]))
    return [life for life in found if life.member_id not in refused]


def _is_refused_join(event: Event) -> bool:
    """Its crashed predecessor still has the instance id: it came, and tries again until it may join."""
    return event.kind == "member_fenced" and event.text("error") == "UNRELEASED_INSTANCE_ID"


def _end_replaced(old: Life | None, at_ms: int) -> None:
    if old is not None and old.silent_ms is None:
        old.silent_ms = at_ms


def _take(life: Life, event: Event) -> None:
    rebalance_ms = event.number("rebalance_timeout_ms")
    if rebalance_ms is not None:
        life.asks = replace(life.asks, rebalance_timeout_ms=rebalance_ms)
    match event.kind:
        case "member_left":
            life.left_ms = event.at_ms
        case "static_left":
            life.silent_ms, life.is_away = event.at_ms, True
        case "member_expelled" if event.cause == "session_expired" and not life.is_away:
            life.silent_ms = event.at_ms - (event.number("session_timeout_ms") or Asks().session_timeout_ms)
        case "member_expelled" if event.cause == "revocation_missed":
            life.gives_up_ms = event.number("waited_ms") or 0
        case _:
            pass
