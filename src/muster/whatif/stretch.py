"""Which part of a journal can be replayed, and how the group stood where that part begins. Pure.

A replay needs to know the whole group when it begins: at its creation nobody is in it, and the end of a rebalance names every
member with its assignment. So a journal that was cut by its retention, or that a lake has only in part, is replayed from its first
finished rebalance on. A change that no client made ends a stretch, and the next finished rebalance begins another: the longest is
taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from muster.explain.assignments import raw_assignments
from muster.explain.event import Event

_BREAKS: Final = ("group_upgraded", "group_downgraded", "static_restored", "regex_resolved")
_CLASSIC: Final = ("rebalance_started", "join_completed", "rebalance_ended")
_CONSUMER: Final = ("epoch_raised", "target_assigned", "member_reconciled")
_NOT_OF_CLIENTS: Final = (
    "unloaded",
    "taken_over",
    "append_failed",
    "forced",
    "group_full",
    "group_too_large",
    "deleted",
    "topics_changed",
    "subscription_changed",
    "regex_resolved",
)


class CannotReplay(Exception):
    """The journal of this group cannot be replayed; the text says why."""


@dataclass(frozen=True, slots=True)
class GroupSnapshot:
    """A group at rest in the middle of its life, as a coordinator would load it from its log."""

    at_ms: int
    generation: int
    protocol: str | None = None
    leader: str | None = None
    assignments: Mapping[str, bytes] = field(default_factory=dict)
    """By member id. Without any, nobody is in the group."""


@dataclass(frozen=True, slots=True)
class Stretch:
    before: Sequence[Event]
    """Of the time before it begins: they still tell who its members are and how quickly they react."""
    events: Sequence[Event]
    snapshot: GroupSnapshot | None
    """None: the group is created by the first of its events."""
    is_consumer: bool = False
    """Of the new protocol (KIP-848)."""


def longest_stretch(events: Sequence[Event]) -> Stretch:
    """The last of equals. CannotReplay if there is none."""
    found = [stretch for piece in _pieces(events) if (stretch := _stretch(piece)) is not None]
    if found:
        return max(reversed(found), key=lambda stretch: len(stretch.events))
    if any(event.kind in _CONSUMER for event in events):
        raise CannotReplay("the journal of this consumer group (KIP-848) does not go back to a time when it was empty")
    raise CannotReplay("the journal has neither the beginning of the group nor a rebalance that was finished")


def _pieces(events: Sequence[Event]) -> Iterator[Sequence[Event]]:
    """Between changes that no client made; each of one protocol."""
    begin = 0
    kinds: tuple[str, ...] = ()
    for number, event in enumerate(events):
        own = next((each for each in (_CLASSIC, _CONSUMER) if event.kind in each), kinds)
        if event.kind in _BREAKS or event.cause in _NOT_OF_CLIENTS:
            yield events[begin:number]
            begin, kinds = number + 1, ()
        elif kinds and own != kinds:
            yield events[begin:number]
            begin, kinds = number, own
        else:
            kinds = own
    yield events[begin:]


def _stretch(piece: Sequence[Event]) -> Stretch | None:
    if any(event.kind in _CONSUMER for event in piece):
        return _consumer_stretch(piece)
    members: set[str] | None = None
    for number, event in enumerate(piece):
        if event.kind == "group_created":
            return Stretch(piece[:number], piece[number:], None)
        if event.kind == "join_completed":
            members = _members(event)
        elif event.kind == "rebalance_ended":
            snapshot = _snapshot(event, members)
            if snapshot is not None:
                return Stretch(piece[: number + 1], piece[number + 1 :], snapshot)
    return None


def _consumer_stretch(piece: Sequence[Event]) -> Stretch | None:
    """No event of such a group names all of its members: it has to begin with none."""
    for number, event in enumerate(piece):
        if event.kind == "group_created":
            return Stretch(piece[:number], piece[number:], None, is_consumer=True)
        if event.kind == "state_changed" and event.text("to") == "Empty":
            snapshot = GroupSnapshot(event.at_ms, event.generation)
            return Stretch(piece[: number + 1], piece[number + 1 :], snapshot, is_consumer=True)
    return None


def _members(completed: Event) -> set[str]:
    said = completed.detail.get("settings")
    return {str(member_id) for each in (said if isinstance(said, list) else ()) for member_id in each["members"]}


def _snapshot(ended: Event, members: set[str] | None) -> GroupSnapshot | None:
    """None if the event does not say all, or the rebalance was cut short. `members`: whose settings are known."""
    if ended.text("result") == "empty":
        return GroupSnapshot(ended.at_ms, ended.generation)
    assignments = raw_assignments(ended.detail.get("assignments"))
    if ended.text("result") != "stable" or not assignments or members != set(assignments):
        return None
    return GroupSnapshot(ended.at_ms, ended.generation, ended.text("protocol"), ended.text("leader"), assignments)
