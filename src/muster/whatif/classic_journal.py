"""The journal of a classic group, read: what its clients did of their own accord, and how quickly they reacted. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from muster.explain.assignments import raw_assignments
from muster.explain.event import Event
from muster.whatif.leader import is_cooperative
from muster.whatif.recorded import DEFAULT_DELAY_MS, Asks, JoinPhases, Life, OwnJoin, Recorded, Rejoin
from muster.whatif.stretch import Standing, Stretch

_ID_SUFFIX: Final = 37
"""Characters that a coordinator appends to a client id for a member id: a dash and a UUID."""
_OF_MEMBERS: Final = (
    "member_id_given",
    "member_joined",
    "member_rejoined",
    "member_left",
    "member_expelled",
    "pending_id_dropped",
    "static_replaced",
)


def read_classic(group: str, stretch: Stretch) -> Recorded:
    standing = stretch.standing
    delay = _initial_delay(stretch.events, from_empty=standing is None or not standing.assignments)
    return Recorded(
        group,
        list(stretch.events),
        _lives_of(stretch),
        standing,
        JoinPhases(
            frozenset(event.at_ms for event in stretch.events if event.kind == "rebalance_started"),
            _syncs(stretch.events),
            DEFAULT_DELAY_MS if delay is None else delay,
            delay is not None,
        ),
    )


def _lives_of(stretch: Stretch) -> list[Life]:
    standing, begin = stretch.standing, len(stretch.before)
    if standing is None:
        found = _lives(stretch.events)
    else:
        every = _lives([*stretch.before, *stretch.events])
        found = [kept for life in every if (kept := _from(life, standing, begin)) is not None]
    return sorted((life for life in found if life.has_come), key=lambda life: (life.came_ms, life.order))


def _from(life: Life, standing: Standing, begin: int) -> Life | None:
    """This life as it goes on from there. None: it was over before. `begin`: the number of the first event that counts."""
    if life.member_id in standing.assignments:
        own_joins = [each for each in life.own_joins if each.order >= begin]
        order = list(standing.assignments).index(life.member_id) - len(standing.assignments)
        return replace(
            life, asked_id_ms=None, joined_ms=standing.at_ms, own_joins=own_joins, is_seated=True, order=order
        )
    if life.order >= begin:
        return life
    has_yet_to_join = (
        life.joined_ms is not None and life.joined_ms > standing.at_ms
    )  # with the id that it was given before
    return replace(life, asked_id_ms=None) if has_yet_to_join else None


def _lives(events: Sequence[Event]) -> list[Life]:
    known = _introductions(events)
    found: dict[str, Life] = {}
    usual = _first_settings(events)
    started_ms, protocol = 0, ""

    def life_of(member_id: str, order: int) -> Life:
        if member_id not in found:
            who = known.get(member_id, (member_id[:-_ID_SUFFIX], "", None))
            found[member_id] = Life(member_id, *who, order, asks=usual)
        return found[member_id]

    for order, event in enumerate(events):
        if event.kind == "rebalance_started":
            started_ms = event.at_ms
        elif event.kind == "join_completed":
            protocol = event.text("protocol") or ""
            for member_id, asks in _settings(event):
                life_of(member_id, order).asks = asks
        elif event.member is not None and event.kind == "member_rejoined":
            _rejoin(life_of(event.member, order), event, order, started_ms, protocol)
        elif event.member is not None and event.kind in _OF_MEMBERS:
            _take(life_of(event.member, order), event, started_ms, found)
    return list(found.values())


def _first_settings(events: Iterable[Event]) -> Asks:
    """Of any member: what those asked for whose join phase did not end, or who came back as static members without one."""
    completed = (event for event in events if event.kind == "join_completed")
    return next((asks for event in completed for _, asks in _settings(event)), Asks())


def _introductions(events: Iterable[Event]) -> dict[str, tuple[str, str, str | None]]:
    """By member id: client id, host and instance id. A journal that begins in the middle may tell them late, or never."""
    known: dict[str, tuple[str, str, str | None]] = {}
    for event in events:
        if event.member is not None and event.kind in _OF_MEMBERS:
            said = (event.client or "", event.host or "", event.instance)
            known.setdefault(event.member, said)
            if event.kind == "static_replaced":
                known.setdefault(event.text("old_member_id") or "", said)
    return known


def _rejoin(life: Life, event: Event, order: int, started_ms: int, protocol: str) -> None:
    if event.cause == "rejoined":
        life.rejoins.setdefault(started_ms, []).append(Rejoin(event.at_ms - started_ms, order, event.reason))
    else:
        is_changed = event.cause == "metadata_changed"
        life.own_joins.append(OwnJoin(event.at_ms, order, is_changed, is_cooperative(protocol), event.reason))


def _take(life: Life, event: Event, started_ms: int, others: dict[str, Life]) -> None:
    match event.kind:
        case "member_id_given":
            life.asked_id_ms, life.join_reason = event.at_ms, event.reason
        case "member_joined" | "static_replaced":
            life.joined_ms, life.join_reason = event.at_ms, event.reason
            old = others.get(event.text("old_member_id") or "")
            if old is not None and old.silent_ms is None:
                old.silent_ms = event.at_ms
        case "member_left" | "pending_id_dropped" if event.cause in ("member_left", "pending_id_left"):
            life.left_ms, life.leave_reason = event.at_ms, event.reason
        case "member_expelled":
            session_ms = event.number("session_timeout_ms") or life.asks.session_timeout_ms
            rebalance_ms = event.number("rebalance_timeout_ms") or life.asks.rebalance_timeout_ms
            life.asks = Asks(session_ms, rebalance_ms, life.asks.protocols, life.asks.topics)
            if event.cause == "session_expired":
                life.silent_ms = event.at_ms - session_ms
            elif event.cause == "rejoin_missed":
                life.missed_ms = started_ms
        case _:
            pass


def _settings(completed: Event) -> Iterator[tuple[str, Asks]]:
    """By member id."""
    said = completed.detail.get("settings")
    for each in said if isinstance(said, list) else ():
        topics = each.get("topics")
        asks = Asks(
            each["session_timeout_ms"],
            each["rebalance_timeout_ms"],
            tuple(each["protocols"]),
            None if topics is None else tuple(topics),
        )
        yield from ((member_id, asks) for member_id in each["members"])


def _initial_delay(events: Sequence[Event], *, from_empty: bool) -> int | None:
    """A first join phase ends, or goes on, exactly after the delay."""
    started_ms = 0
    for event in events:
        if event.kind == "rebalance_started":
            started_ms = event.at_ms
        elif event.kind == "state_changed" and event.text("from") == "Empty":
            from_empty = True
        elif event.kind == "join_extended" and event.cause == "newcomer_in_window":
            return event.at_ms - started_ms
        elif event.kind == "join_completed":
            if event.cause == "initial_delay_over" and from_empty:
                return event.at_ms - started_ms
            from_empty = False
    return None


def _syncs(events: Sequence[Event]) -> dict[tuple[int, int], tuple[int, dict[str, bytes]] | None]:
    found: dict[tuple[int, int], tuple[int, dict[str, bytes]] | None] = {}
    key: tuple[int, int] | None = None
    for event in events:
        if event.kind == "join_completed":
            key = (event.generation, event.at_ms)
            found[key] = None
        elif event.kind == "rebalance_ended" and key is not None and event.text("result") == "stable":
            found[key] = (event.at_ms - key[1], raw_assignments(event.detail.get("assignments")) or {})
    return found
