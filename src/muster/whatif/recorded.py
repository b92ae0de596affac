"""What a group's journal says its clients did: when each process came, how quickly it reacted, when it left or fell silent.

Only what clients did of their own accord is kept, with the times of their reactions: what the coordinator answered is what a
replay finds out again. Plain values; `classic_journal` and `consumer_journal` fill them in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from muster.explain.event import Event
from muster.whatif.stretch import GroupSnapshot

DEFAULT_DELAY_MS: Final = 3_000
"""`group.initial.rebalance.delay.ms` where no first join phase shows it."""


@dataclass(frozen=True, slots=True)
class MemberSettings:
    """What a member asked for when it joined."""

    session_timeout_ms: int = 45_000
    rebalance_timeout_ms: int = 300_000
    protocols: tuple[str, ...] = ("range",)
    topics: tuple[str, ...] | None = ()
    """None: not a consumer's."""


@dataclass(frozen=True, slots=True)
class Rejoin:
    """How a member joined again in a join phase."""

    after_ms: int
    """Since the beginning of the phase."""
    order: int
    """Of its event: who comes first of two at the same millisecond."""
    reason: str | None


@dataclass(frozen=True, slots=True)
class OwnJoin:
    """A JoinGroup of a member that no join phase had asked for."""

    at_ms: int
    order: int
    """Of its event: it comes after what was assigned in the same millisecond."""
    is_changed: bool
    """With another subscription than before."""
    is_cooperative: bool
    """The group's assignor was one: the member has given up what its assignment took from it (KIP-429)."""
    reason: str | None


@dataclass(slots=True)
class RecordedMember:
    """What the journal shows of one member id: a process, from its first JoinGroup or heartbeat to its end."""

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
    rejoins: dict[int, list[Rejoin]] = field(default_factory=dict)
    """By the beginning of a join phase."""
    own_joins: list[OwnJoin] = field(default_factory=list)
    missed_ms: int | None = None
    """The beginning of the join phase for which it was too late and was expelled."""
    is_late: bool = False
    """It was expelled for not joining or not assigning in time. Its process lives on: it joins again as another member of the
    recording."""
    gives_up_ms: int = 0
    """Of a consumer group: how long it mostly takes to give partitions up when it is told to."""
    heartbeats: list[tuple[int, int]] = field(default_factory=list)
    """Of a consumer group: when those came that are known of, and the order of each among what came in that millisecond."""
    silences: list[tuple[int, int]] = field(default_factory=list)
    """Of a consumer group: when it is known that no heartbeat came, without these moments themselves."""
    pauses: list[tuple[int, int]] = field(default_factory=list)
    """From when to when its application did not poll, and stayed a member. Of a consumer group also: had yet to give up what it
    was told to at the beginning."""
    is_as_recorded: bool = True
    """False: it is there at times of which nothing is recorded of it, and reacts as it usually does."""
    is_initial: bool = False
    """It is a member already when the replay begins."""
    is_away: bool = False
    """A static member that was stopped, not one that crashed: of the new protocol it says so."""
    session_from_ms: int | None = None
    """Of one whose session ended: from when that counted, if not from its last sign of life. Who is away was heard of before; and a
    JoinGroup that changes nothing does not renew it."""
    settings: MemberSettings = MemberSettings()

    @property
    def has_come(self) -> bool:
        """False: somebody whom the journal mentions, and who is in nobody's way."""
        return self.asked_id_ms is not None or self.joined_ms is not None

    @property
    def came_ms(self) -> int:
        came = self.joined_ms if self.asked_id_ms is None else self.asked_id_ms
        assert came is not None
        return came

    @property
    def heard_ms(self) -> int | None:
        """The last thing that kept its session, if it fell silent."""
        return self.silent_ms if self.session_from_ms is None else self.session_from_ms

    def polls_at(self, at_ms: int) -> int:
        """This moment, or the end of the pause that it is in."""
        return max([at_ms, *(until_ms for since_ms, until_ms in self.pauses if since_ms <= at_ms < until_ms)])

    def gives_up_at(self, told_ms: int) -> int:
        """Of a consumer group: when it has given up what it is told to at this moment; if it was told then, as it did."""
        ends = [until_ms for since_ms, until_ms in self.pauses if since_ms <= told_ms <= until_ms]
        return max(ends, default=told_ms + self.gives_up_ms)


@dataclass(frozen=True, slots=True)
class ConsumerTimes:
    """What the coordinator of a consumer group was set to, as far as its journal shows it; else the defaults."""

    session_timeout_ms: int = 45_000
    heartbeat_interval_ms: int = 5_000
    assignment_interval_ms: int = 1_000
    is_known: bool = False
    """False: at least some are defaults."""


@dataclass(frozen=True, slots=True)
class JoinPhases:
    """What only a classic group has."""

    starts: frozenset[int] = frozenset()
    """When they began."""
    syncs: Mapping[tuple[int, int], tuple[int, dict[str, bytes]] | None] = field(default_factory=dict)
    """By generation and the end of its join phase: how long the leader took to assign, and what. None: it was cut short."""
    cuts: Mapping[tuple[int, int], int] = field(default_factory=dict)
    """The same of those that were cut short before the leader had assigned: after how long."""
    initial_delay_ms: int = DEFAULT_DELAY_MS
    is_delay_known: bool = False


@dataclass(frozen=True, slots=True)
class Coordinated:
    """What only a consumer group (KIP-848) has."""

    assignor: str
    """That the coordinator used."""
    counts: Mapping[str, int]
    """As many partitions of each topic as were ever assigned."""
    times: ConsumerTimes
    silences: Sequence[tuple[int, int]] = ()
    """When it is known that nobody's heartbeat came, without these moments themselves."""


@dataclass(slots=True)
class Recorded:
    """The events, and what clients did in them."""

    group: str
    events: list[Event]
    members: list[RecordedMember]
    snapshot: GroupSnapshot | None = None
    """The group where the replay begins. None: it is created by the first event."""
    phases: JoinPhases = JoinPhases()
    coordinated: Coordinated | None = None
    """None: a classic group."""

    @property
    def begin_ms(self) -> int:
        return self.events[0].at_ms if self.snapshot is None else self.snapshot.at_ms

    @property
    def end_ms(self) -> int:
        return self.events[-1].at_ms if self.events else self.begin_ms
