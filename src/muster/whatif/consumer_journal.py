"""The journal of a consumer group (KIP-848), read: when its clients came, left and fell silent, and which heartbeats are known of.

Its members react with their heartbeats. Of those the journal has the ones that changed something; a replay sends the others in
between. Journals of 0.2 say neither how the group is set nor what its members subscribe to: the defaults are taken, and
every topic that anybody was given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median_low
from typing import Final

from muster.explain.epochs import partitions_of
from muster.explain.event import Event, texts_of
from muster.whatif.consumer_heartbeats import Heartbeats, add_unseen
from muster.whatif.partition_counts import count_partitions
from muster.whatif.recorded import ConsumerTimes, Coordinated, MemberSettings, Recorded, RecordedMember
from muster.whatif.stretch import Stretch

_DEFAULT_ASSIGNOR: Final = "uniform"


def read_consumer(group: str, stretch: Stretch) -> Recorded:
    events = stretch.events
    counts = _counts(events)
    topics = tuple(sorted(counts))
    times = _times(events)
    heartbeats = Heartbeats(times)
    members = _Members(events, heartbeats).found()
    members = [
        replace(member, settings=replace(member.settings, topics=member.settings.topics or topics))
        for member in members
    ]
    add_unseen(events, members, times.heartbeat_interval_ms)
    return Recorded(
        group,
        list(events),
        sorted(members, key=lambda member: (member.came_ms, member.order)),
        stretch.snapshot,
        coordinated=Coordinated(_assignor(events), counts, times, heartbeats.silences),
    )


def _times(events: Sequence[Event]) -> ConsumerTimes:
    targets = [event for event in events if event.kind == "target_assigned"]
    sessions = [event for event in events if event.kind == "member_expelled"]
    usual = ConsumerTimes()
    gaps = [later.at_ms - before.at_ms for before, later in pairwise(targets)]
    shown_ms = min([usual.assignment_interval_ms, *gaps])
    return ConsumerTimes(
        _last(targets, "session_timeout_ms", _last(sessions, "session_timeout_ms", usual.session_timeout_ms)),
        _last(targets, "heartbeat_interval_ms", usual.heartbeat_interval_ms),
        _last(targets, "assignment_interval_ms", shown_ms),
        any("heartbeat_interval_ms" in event.detail for event in targets),
    )


def _last(events: Sequence[Event], name: str, default: int) -> int:
    said = [number for event in events if (number := event.number(name)) is not None]
    return said[-1] if said else default


def _assignor(events: Sequence[Event]) -> str:
    named = [name for event in events if event.kind == "target_assigned" and (name := event.text("assignor"))]
    return named[-1] if named else _DEFAULT_ASSIGNOR


def _counts(events: Sequence[Event]) -> dict[str, int]:
    told = [event.detail.get("given") for event in events if event.kind == "target_assigned"]
    members = (member for given in told if isinstance(given, Mapping) for member in given.values())
    return count_partitions(place for member in members for place in partitions_of(member))


class _Members:
    """A member that comes back keeps its id in this protocol: each time is a member of its own, unless it was only slow to give
    partitions up."""

    def __init__(self, events: Sequence[Event], heartbeats: Heartbeats) -> None:
        self._heartbeats = heartbeats
        self._members: list[RecordedMember] = []
        self._current: dict[str, RecordedMember] = {}
        self._refused: set[str] = set()
        self._waits: dict[str, list[int]] = {}
        self._told_ms: dict[str, int] = {}
        """By member id: when it was told to give up what it has yet to give up."""
        self._late: set[str] = set()
        """Who was expelled for that."""
        self._end_ms = events[-1].at_ms if events else 0
        for order, event in enumerate(events):
            if event.member is not None:
                self._take(event, event.member, order)
            heartbeats.pass_by(event, self._told_ms)
        heartbeats.end(self._current, self._end_ms)

    def found(self) -> list[RecordedMember]:
        for member_id, told_ms in self._told_ms.items():
            self._current[member_id].pauses.append((told_ms, self._end_ms + 1))
        for member in self._members:
            member.gives_up_ms = median_low(self._waits.get(member.member_id, [0]))
        return [member for member in self._members if member.member_id not in self._refused]

    def _take(self, event: Event, member_id: str, order: int) -> None:
        if event.kind in ("member_joined", "static_replaced") or _is_refused_join(event):
            self._come(event, member_id, order)
        elif member_id in self._current:
            member = self._current[member_id]
            self._react(member, event)
            self._heartbeats.show(member, event, order)
            _end(member, event)
            self._heartbeats.ended(member, event)
            self._take_settings(member, event)

    def _come(self, event: Event, member_id: str, order: int) -> None:
        self._heartbeats.came(member_id, event.at_ms)
        if member_id in self._late:
            self._late.remove(member_id)
            self._current[member_id].pauses.append((self._told_ms.pop(member_id), event.at_ms))
            return
        if member_id not in self._refused:
            member = RecordedMember(member_id, event.client or "", event.host or "", event.instance, order)
            member.joined_ms = event.at_ms
            self._current[member_id] = member
            self._members.append(member)
        (self._refused.add if event.kind == "member_fenced" else self._refused.discard)(member_id)
        self._take_settings(self._current[member_id], event)
        replaced = self._current.get(event.text("old_member_id") or "")
        if replaced is not None and replaced.silent_ms is None:
            replaced.silent_ms = event.at_ms

    def _take_settings(self, member: RecordedMember, event: Event) -> None:
        rebalance_ms = event.number("rebalance_timeout_ms")
        if rebalance_ms is not None:
            member.settings = replace(member.settings, rebalance_timeout_ms=rebalance_ms)
        topics = texts_of(event.detail.get("topics"))
        if topics and "regex" not in event.detail:
            member.settings = replace(member.settings, topics=topics)

    def _react(self, member: RecordedMember, event: Event) -> None:
        member_id, at_ms = member.member_id, event.at_ms
        if event.kind == "revocation_completed":
            waited_ms = event.number("waited_ms") or 0
            self._told_ms.pop(member_id, None)
            member.pauses.append((at_ms - waited_ms, at_ms))
            self._waits.setdefault(member_id, []).append(waited_ms)
            self._heartbeats.gave_up(member_id, at_ms)
        elif event.kind == "revocation_started":
            self._told_ms[member_id] = at_ms
        elif event.kind == "member_expelled" and event.cause == "revocation_missed" and member_id in self._told_ms:
            self._late.add(member_id)


def _is_refused_join(event: Event) -> bool:
    """Its crashed predecessor still has the instance id: it came, and tries again until it may join."""
    return event.kind == "member_fenced" and event.text("error") == "UNRELEASED_INSTANCE_ID"


def _end(member: RecordedMember, event: Event) -> None:
    match event.kind:
        case "member_left":
            member.left_ms = event.at_ms
        case "static_left":
            member.silent_ms, member.is_away = event.at_ms, True
        case "member_expelled" if event.cause == "session_expired":
            heard_ms = event.at_ms - (event.number("session_timeout_ms") or MemberSettings().session_timeout_ms)
            if member.is_away:
                member.session_from_ms = heard_ms
            else:
                member.silent_ms = heard_ms
        case _:
            pass
