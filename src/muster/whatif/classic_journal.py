"""The journal of a classic group, read: what its clients did of their own accord, and how quickly they reacted. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from muster.explain.assignments import raw_assignments
from muster.explain.event import Event
from muster.whatif.leader import is_cooperative
from muster.whatif.recorded import (
    DEFAULT_DELAY_MS,
    JoinPhases,
    MemberSettings,
    OwnJoin,
    Recorded,
    RecordedMember,
    Rejoin,
)
from muster.whatif.stretch import GroupSnapshot, Stretch

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
    snapshot = stretch.snapshot
    delay = _initial_delay(stretch.events, from_empty=snapshot is None or not snapshot.assignments)
    return Recorded(
        group,
        list(stretch.events),
        _members_of(stretch),
        snapshot,
        JoinPhases(
            frozenset(event.at_ms for event in stretch.events if event.kind == "rebalance_started"),
            _syncs(stretch.events),
            _cuts(stretch.events),
            DEFAULT_DELAY_MS if delay is None else delay,
            delay is not None,
        ),
    )


def _members_of(stretch: Stretch) -> list[RecordedMember]:
    snapshot, begin = stretch.snapshot, len(stretch.before)
    if snapshot is None:
        found = _all_members(stretch.events)
    else:
        every = _all_members([*stretch.before, *stretch.events])
        found = [kept for member in every if (kept := _from(member, snapshot, begin)) is not None]
    return sorted((member for member in found if member.has_come), key=lambda member: (member.came_ms, member.order))


def _from(member: RecordedMember, snapshot: GroupSnapshot, begin: int) -> RecordedMember | None:
    """This member as it goes on from there. None: it was over before. `begin`: the number of the first event that counts."""
    if member.member_id in snapshot.assignments:
        own_joins = [each for each in member.own_joins if each.order >= begin]
        order = list(snapshot.assignments).index(member.member_id) - len(snapshot.assignments)
        return replace(
            member, asked_id_ms=None, joined_ms=snapshot.at_ms, own_joins=own_joins, is_initial=True, order=order
        )
    if member.order >= begin:
        return member
    has_yet_to_join = (
        member.joined_ms is not None and member.joined_ms > snapshot.at_ms
    )  # with the id that it was given before
    return replace(member, asked_id_ms=None) if has_yet_to_join else None


def _all_members(events: Sequence[Event]) -> list[RecordedMember]:
    known = _introductions(events)
    found: dict[str, RecordedMember] = {}
    usual = _first_settings(events)
    started_ms, protocol = 0, ""

    def member_of(member_id: str, order: int) -> RecordedMember:
        if member_id not in found:
            who = known.get(member_id, (member_id[:-_ID_SUFFIX], "", None))
            found[member_id] = RecordedMember(member_id, *who, order, settings=usual)
        return found[member_id]

    for order, event in enumerate(events):
        if event.kind == "rebalance_started":
            started_ms = event.at_ms
        elif event.kind == "join_completed":
            protocol = event.text("protocol") or ""
            for member_id, settings in _settings(event):
                member_of(member_id, order).settings = settings
        elif event.member is not None and event.kind == "member_rejoined":
            _rejoin(member_of(event.member, order), event, order, started_ms, protocol)
        elif event.member is not None and event.kind in _OF_MEMBERS:
            _take(member_of(event.member, order), event, started_ms, found)
    return list(found.values())


def _first_settings(events: Iterable[Event]) -> MemberSettings:
    """Of any member: what those asked for whose join phase did not end, or who came back as static members without one."""
    completed = (event for event in events if event.kind == "join_completed")
    return next((settings for event in completed for _, settings in _settings(event)), MemberSettings())


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


def _rejoin(member: RecordedMember, event: Event, order: int, started_ms: int, protocol: str) -> None:
    if event.cause == "rejoined":
        member.rejoins.setdefault(started_ms, []).append(Rejoin(event.at_ms - started_ms, order, event.reason))
    else:
        is_changed = event.cause == "metadata_changed"
        member.own_joins.append(OwnJoin(event.at_ms, order, is_changed, is_cooperative(protocol), event.reason))


def _take(member: RecordedMember, event: Event, started_ms: int, others: dict[str, RecordedMember]) -> None:
    match event.kind:
        case "member_id_given":
            member.asked_id_ms, member.join_reason = event.at_ms, event.reason
        case "member_joined" | "static_replaced":
            member.joined_ms, member.join_reason = event.at_ms, event.reason
            old = others.get(event.text("old_member_id") or "")
            if old is not None and old.silent_ms is None:
                old.silent_ms = event.at_ms
        case "member_left" | "pending_id_dropped" if event.cause in ("member_left", "pending_id_left"):
            member.left_ms, member.leave_reason = event.at_ms, event.reason
        case "member_expelled":
            member.is_late = event.cause != "session_expired"
            session_ms = event.number("session_timeout_ms") or member.settings.session_timeout_ms
            rebalance_ms = event.number("rebalance_timeout_ms") or member.settings.rebalance_timeout_ms
            member.settings = MemberSettings(
                session_ms, rebalance_ms, member.settings.protocols, member.settings.topics
            )
            if event.cause == "session_expired":
                _fall_silent(member, event.at_ms - session_ms)
            elif event.cause == "rejoin_missed":
                member.missed_ms = started_ms
        case _:
            pass


def _fall_silent(member: RecordedMember, from_ms: int) -> None:
    """`from_ms`: where the session began that ended. A join that changed nothing may have come after that: it renews no session."""
    last_ms = max([from_ms, *(own.at_ms for own in member.own_joins)])
    member.silent_ms = last_ms
    if last_ms > from_ms:
        member.session_from_ms = from_ms


def _settings(completed: Event) -> Iterator[tuple[str, MemberSettings]]:
    """By member id."""
    said = completed.detail.get("settings")
    for each in said if isinstance(said, list) else ():
        topics = each.get("topics")
        settings = MemberSettings(
            each["session_timeout_ms"],
            each["rebalance_timeout_ms"],
            tuple(each["protocols"]),
            None if topics is None else tuple(topics),
        )
        yield from ((member_id, settings) for member_id in each["members"])


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


def _cuts(events: Sequence[Event]) -> dict[tuple[int, int], int]:
    found: dict[tuple[int, int], int] = {}
    key: tuple[int, int] | None = None
    for event in events:
        if event.kind == "rebalance_ended" and key is not None:
            if event.text("result") != "stable":
                found[key] = event.at_ms - key[1]
            key = None
        elif event.kind == "join_completed":
            if key is not None:
                found[key] = event.at_ms - key[1]
            key = (event.generation, event.at_ms)
    if key is not None:
        found[key] = events[-1].at_ms - key[1]
    return found
