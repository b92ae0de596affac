"""What a group's journal says its clients did: when each process came, how quickly it reacted, when it left or fell silent.

Only what clients did of their own accord is kept, with the times of their reactions: what the coordinator answered is what a
replay finds out again. Pure; reads the events of one classic group in log order, from a moment at which it was empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from muster.explain.assignments import raw_assignments
from muster.explain.event import Event

DEFAULT_DELAY_MS: Final = 3_000
"""`group.initial.rebalance.delay.ms` where no first join phase shows it."""
_BREAKS: Final = ("group_upgraded", "group_downgraded", "epoch_raised", "static_restored")
_NOT_OF_CLIENTS: Final = (
    "unloaded",
    "taken_over",
    "append_failed",
    "forced",
    "group_full",
    "group_too_large",
    "deleted",
)


class CannotReplay(Exception):
    """The journal of this group cannot be replayed; the text says why."""


@dataclass(frozen=True, slots=True)
class Asks:
    """What a member asked for when it joined."""

    session_timeout_ms: int = 45_000
    rebalance_timeout_ms: int = 300_000
    protocols: tuple[str, ...] = ("range",)
    topics: tuple[str, ...] | None = ()
    """None: not a consumer's."""


@dataclass(slots=True)
class Life:
    """One process under one member id."""

    member_id: str
    client: str
    host: str
    instance: str | None
    order: int
    """Of the event that tells of it first: who comes first of two at the same millisecond."""
    asked_id_ms: int | None = None
    """Its first JoinGroup, if that was answered by an id to come back with (KIP-394)."""
    joined_ms: int | None = None
    """The JoinGroup that made it a member. None: it never came back with its id."""
    join_reason: str | None = None
    left_ms: int | None = None
    leave_reason: str | None = None
    silent_ms: int | None = None
    """Its last sign of life."""
    rejoins: dict[int, list[tuple[int, str | None]]] = field(default_factory=dict)
    """By the beginning of a join phase: how long after it the member joined again, and its reason."""
    calls: list[tuple[int, bool, str | None]] = field(default_factory=list)
    """Joins of its own accord: when, whether with another subscription than before, and its reason."""
    missed_ms: int | None = None
    """The beginning of the join phase for which it was too late and was expelled."""
    pauses: list[tuple[int, int]] = field(default_factory=list)
    """From when to when its application did not poll, and stayed a member."""
    is_as_recorded: bool = True
    """False: it is there at times of which nothing is recorded of it, and reacts as it usually does."""
    is_away: bool = False
    """A static member that was stopped, not one that crashed: of the new protocol it says so."""
    asks: Asks = Asks()

    @property
    def came_ms(self) -> int:
        came = self.joined_ms if self.asked_id_ms is None else self.asked_id_ms
        assert came is not None
        return came

    def polls_at(self, at_ms: int) -> int:
        """This moment, or the end of the pause that it is in."""
        return max([at_ms, *(until_ms for since_ms, until_ms in self.pauses if since_ms <= at_ms < until_ms)])


@dataclass(slots=True)
class Recorded:
    """The events, and what clients did in them."""

    group: str
    events: list[Event]
    lives: list[Life]
    initial_delay_ms: int
    is_delay_known: bool
    starts: set[int]
    """When join phases began."""
    syncs: dict[tuple[int, int], tuple[int, dict[str, bytes]] | None]
    """By generation and the end of its join phase: how long the leader took to assign, and what. None: it was cut short."""

    @property
    def begin_ms(self) -> int:
        return self.events[0].at_ms

    @property
    def end_ms(self) -> int:
        return self.events[-1].at_ms


def read_recorded(events: Sequence[Event]) -> Recorded:
    """CannotReplay if there is nothing to begin with. What comes after a change that no client made is left out."""
    usable = _whole(events)
    if not usable:
        raise CannotReplay("the journal does not go back to a time when the group was empty")
    lives = _lives(usable)
    delay = _initial_delay(usable)
    return Recorded(
        usable[0].group,
        usable,
        lives,
        DEFAULT_DELAY_MS if delay is None else delay,
        delay is not None,
        {event.at_ms for event in usable if event.kind == "rebalance_started"},
        _syncs(usable),
    )


def _whole(events: Sequence[Event]) -> list[Event]:
    """From the first event of the group's life, or the first after it was empty, to the first that no client caused."""
    begin = next((number for number, event in enumerate(events) if event.kind == "group_created"), None)
    if begin is None:
        raise CannotReplay("the journal does not go back to the beginning of the group")
    found: list[Event] = []
    for event in events[begin:]:
        if event.kind in _BREAKS or event.cause in _NOT_OF_CLIENTS:
            break
        found.append(event)
    return found


def _lives(events: Iterable[Event]) -> list[Life]:
    found: dict[str, Life] = {}
    started_ms = 0
    for order, event in enumerate(events):
        if event.kind == "rebalance_started":
            started_ms = event.at_ms
        if event.kind == "join_completed":
            _take_settings(event, found)
        if event.member is None or event.kind in ("leader_elected", "rebalance_started"):
            continue
        life = found.get(event.member)
        if life is None:
            life = found[event.member] = Life(event.member, event.client or "", event.host or "", event.instance, order)
        _take(life, event, started_ms, found)
    return sorted(found.values(), key=lambda life: (life.came_ms, life.order))


def _take(life: Life, event: Event, started_ms: int, others: dict[str, Life]) -> None:
    match event.kind:
        case "member_id_given":
            life.asked_id_ms, life.join_reason = event.at_ms, event.reason
        case "member_joined" | "static_replaced":
            life.joined_ms, life.join_reason = event.at_ms, event.reason
            old = others.get(event.text("old_member_id") or "")
            if old is not None and old.silent_ms is None:
                old.silent_ms = event.at_ms
        case "member_rejoined" if event.cause == "rejoined":
            life.rejoins.setdefault(started_ms, []).append((event.at_ms - started_ms, event.reason))
        case "member_rejoined":
            life.calls.append((event.at_ms, event.cause == "metadata_changed", event.reason))
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


def _take_settings(event: Event, lives: dict[str, Life]) -> None:
    said = event.detail.get("settings")
    for each in said if isinstance(said, list) else ():
        topics = each.get("topics")
        asks = Asks(
            each["session_timeout_ms"],
            each["rebalance_timeout_ms"],
            tuple(each["protocols"]),
            None if topics is None else tuple(topics),
        )
        for member_id in each["members"]:
            if member_id in lives:
                lives[member_id].asks = asks


def _initial_delay(events: Sequence[Event]) -> int | None:
    """A first join phase ends, or goes on, exactly after the delay."""
    from_empty, started_ms = True, 0
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
