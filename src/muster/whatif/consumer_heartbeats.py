"""Which heartbeats of a consumer group's members its journal shows, and when it shows that none came. Pure.

A heartbeat that changed something is an event. And a member that has to give up partitions hears of it with its first heartbeat
after the target was made, just as any heartbeat makes a target that is due: until then none came. Clients keep their interval only
roughly, on a busy machine and after they have given something up: without both, a replay of real clients soon is elsewhere.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from muster.explain.event import Event
from muster.whatif.recorded import ConsumerTimes, RecordedMember

_SHOWN: Final = ("target_assigned", "revocation_started", "partitions_awaited", "member_reconciled", "state_changed")
_LEAVES: Final = ("member_left", "static_left", "member_expelled")
NEWS: Final = ("epoch_raised", "target_assigned", "revocation_completed", "member_left", "member_expelled")
"""Events after which members may have something to hear of."""


class Heartbeats:
    """Is told the events of the group in their order, and fills in the members that they are about."""

    def __init__(self, times: ConsumerTimes) -> None:
        self.silences: list[tuple[int, int]] = []
        """When nobody's heartbeat came, without the moments themselves."""
        self._times = times
        self._own_ms: dict[str, int] = {}
        """By member id: when it came or said that it has given something up, last. These are not at its interval."""
        self._to_tell_ms: dict[str, int] = {}
        """By member id: since when there is something that it has to give up, and that it was not told of."""
        self._to_hear: dict[str, tuple[int, bool]] = {}
        """By member id: since when its next heartbeat is an event, since the target gives it something or (true) takes it."""
        self._awaiting: set[str] = set()
        """Members that wait for what others have not given up."""
        self._raised_ms: int | None = None
        self._target_ms: int | None = None
        self._news_ms = 0

    def came(self, member_id: str, at_ms: int) -> None:
        self._own_ms[member_id] = at_ms
        self._to_tell_ms.pop(member_id, None)
        self._to_hear.pop(member_id, None)

    def gave_up(self, member_id: str, at_ms: int) -> None:
        self.came(member_id, at_ms)

    def show(self, member: RecordedMember, event: Event, order: int) -> None:
        """An event of this member."""
        if event.kind in _SHOWN:
            self._to_hear.pop(member.member_id, None)
            (self._awaiting.add if event.kind == "partitions_awaited" else self._awaiting.discard)(member.member_id)
        if event.kind not in _SHOWN or self._own_ms.get(member.member_id) == event.at_ms:
            return
        if not member.heartbeats or member.heartbeats[-1][0] != event.at_ms:
            member.heartbeats.append((event.at_ms, order))
        since_ms = None
        if event.kind == "revocation_started":
            since_ms = self._to_tell_ms.pop(member.member_id, None)
        elif event.detail.get("given") and event.kind != "target_assigned":
            since_ms = self._news_ms
        if since_ms is not None and since_ms < event.at_ms:
            member.silences.append((since_ms, event.at_ms))

    def ended(self, member: RecordedMember, event: Event) -> None:
        """Who leaves, or is expelled, with something to hear of was not heard of since."""
        if event.kind in _LEAVES:
            self._silent_until(member, event.at_ms)

    def end(self, members: Mapping[str, RecordedMember], end_ms: int) -> None:
        """The journal ends there: who has yet to hear of something then was not heard of since."""
        for member_id in self._to_hear.keys() & members.keys():
            self._silent_until(members[member_id], end_ms + 1)

    def _silent_until(self, member: RecordedMember, at_ms: int) -> None:
        since_ms, _ = self._to_hear.pop(member.member_id, (at_ms, False))
        if since_ms < at_ms:
            member.silences.append((since_ms, at_ms))

    def pass_by(self, event: Event, revoking: Iterable[str]) -> None:
        """Any event of the group. `revoking`: who has been told to give something up, and has not."""
        if event.kind == "epoch_raised" and self._raised_ms is None:
            self._raised_ms = event.at_ms
        elif event.kind == "target_assigned":
            self._make_target(event, frozenset(revoking))
        if event.kind in NEWS:
            self._news_ms = event.at_ms

    def _make_target(self, event: Event, revoking: frozenset[str]) -> None:
        if self._raised_ms is not None:
            due_ms = self._raised_ms
            if self._target_ms is not None:
                due_ms = max(due_ms, self._target_ms + self._times.assignment_interval_ms)
            if due_ms < event.at_ms:
                self.silences.append((due_ms, event.at_ms))
        self._raised_ms, self._target_ms = None, event.at_ms
        given, taken = event.detail.get("given"), event.detail.get("taken")
        takes = set(taken) - revoking if isinstance(taken, Mapping) else set()
        for member_id in takes:
            self._to_tell_ms.setdefault(member_id, event.at_ms)
        gives = set(given) if isinstance(given, Mapping) else set()
        for member_id in gives - takes:
            self._to_tell_ms.pop(member_id, None)
        for member_id in (gives | takes) - revoking:
            self._has_to_hear(member_id, member_id in takes, event.at_ms)

    def _has_to_hear(self, member_id: str, is_taken: bool, at_ms: int) -> None:
        """What is taken may be what it was given and never got, and the other way round: then it may have nothing to hear of."""
        _, was_taken = self._to_hear.get(member_id, (at_ms, is_taken))
        if was_taken != is_taken or (is_taken and member_id in self._awaiting):
            self._to_hear.pop(member_id, None)
        else:  # in that very millisecond an earlier heartbeat of its own would have made the target
            self._to_hear.setdefault(member_id, (at_ms - 1, is_taken))


def add_unseen(events: Sequence[Event], members: Sequence[RecordedMember], interval_ms: int) -> None:
    """A member that had nothing to give or to take is no event. But when the group is stable it has been heard of since the target
    was made: at its interval, or then at the latest."""
    since_ms: int | None = None
    for event in events:
        if event.kind == "target_assigned":
            since_ms = event.at_ms
        elif event.kind == "state_changed" and event.text("to") == "Stable" and since_ms is not None:
            for member in members:
                if member.came_ms < since_ms and _is_there(member, event.at_ms):
                    _add(member, since_ms, event.at_ms, interval_ms)
            since_ms = None


def _is_there(member: RecordedMember, at_ms: int) -> bool:
    return all(ended_ms is None or ended_ms > at_ms for ended_ms in (member.left_ms, member.silent_ms))


def _add(member: RecordedMember, since_ms: int, until_ms: int, interval_ms: int) -> None:
    place = bisect_left(member.heartbeats, (since_ms, -1))
    if place < len(member.heartbeats) and member.heartbeats[place][0] <= until_ms:
        return
    last_ms = member.heartbeats[place - 1][0] if place else member.came_ms
    at_ms = last_ms + ((since_ms - last_ms) // interval_ms + 1) * interval_ms
    insort(member.heartbeats, (min(at_ms, until_ms), member.order))


def silence_end(silences: Sequence[tuple[int, int]], at_ms: int) -> int:
    """This moment, or the end of the silence that it lies in. They are in their order, and none lies in another."""
    place = bisect_left(silences, (at_ms, -1)) - 1
    return silences[place][1] if place >= 0 and at_ms < silences[place][1] else at_ms
