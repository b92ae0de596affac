"""What is known of a group's rebalances: plain values, filled in by `fold` or `inferred`, read by everybody else here.

A rebalance goes from the first event that shook the group until it is stable or empty again. Rounds that were cut short on
the way belong to it: its cause is that of the first round, its phases are those of the last.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from muster.core.offsets.tracked_query import TrackedQuery

Partition: TypeAlias = tuple[str, int]
Result: TypeAlias = Literal["stable", "empty", "running", "lost"]
"""`lost`: no end was told, since the coordinator stopped or moved in the middle."""
QuietKind: TypeAlias = Literal[
    "static_restart",
    "static_restored",
    "id_never_used",
    "refused",
    "denied",
    "group_removed",
    "coordinator_moved",
    "coordinator_taken_over",
    "offsets_awaited",
    "offsets_released",
    "query_tracked",
    "static_left",
    "fenced",
    "regex_resolved",
    "upgraded",
    "downgraded",
]


@dataclass(frozen=True, slots=True)
class Who:
    """A member as it introduced itself."""

    member_id: str
    instance_id: str | None = None
    client_id: str | None = None
    host: str | None = None

    @property
    def is_static(self) -> bool:
        return self.instance_id is not None

    @property
    def identity(self) -> str:
        """What stays the same when the process comes back: the instance id, else client id and host."""
        if self.instance_id is not None:
            return f"instance {self.instance_id}"
        if self.client_id:
            return f"{self.client_id} at {self.host or '?'}"
        return self.member_id


@dataclass(slots=True)
class Round:
    """One join phase and the sync phase after it."""

    began_ms: int
    cause: str
    trigger: Who | None = None
    reason: str | None = None
    join_ended_ms: int | None = None
    join_ended_by: str | None = None
    """all_joined, join_timeout, initial_delay_over."""
    ended_ms: int | None = None
    cut_short_by: str | None = None


@dataclass(frozen=True, slots=True)
class Arrival:
    """A member's JoinGroup in the join phase, so long after it began."""

    who: Who
    waited_ms: int
    is_new: bool


@dataclass(frozen=True, slots=True)
class Departure:
    who: Who
    at_ms: int
    cause: str
    """The journal's: member_left, session_expired, rejoin_missed and others; `gone` where only the absence shows."""
    reason: str | None = None
    session_timeout_ms: int | None = None
    rebalance_timeout_ms: int | None = None

    @property
    def silent_ms(self) -> int:
        """How long the coordinator had heard nothing of it. An expired session says so to the millisecond."""
        return self.session_timeout_ms or 0 if self.cause == "session_expired" else 0


@dataclass(frozen=True, slots=True)
class Return:
    """A process that went and came back: the same instance id, or the same client id on the same host.

    Who was restarted sooner than its old session ended came back before the coordinator knew that it had gone: it was away for
    less than nothing.
    """

    departure: Departure
    who: Who
    at_ms: int

    @property
    def away_ms(self) -> int:
        return self.at_ms - self.departure.at_ms


@dataclass(frozen=True, slots=True)
class Move:
    partition: Partition
    source: Who | None
    """None: it was not assigned before."""
    target: Who | None
    """None: nobody has it now."""


@dataclass(frozen=True, slots=True)
class Revocation:
    """A member of a consumer group was told to give partitions up: nobody else gets them until it says that it has."""

    who: Who
    partitions: tuple[Partition, ...]
    began_ms: int
    rebalance_timeout_ms: int | None = None
    """How long it has for that, before it is expelled."""
    ended_ms: int | None = None
    is_missed: bool = False
    """Its time ran out, and it was expelled."""

    def waited_ms(self, now_ms: int) -> int:
        return (now_ms if self.ended_ms is None else self.ended_ms) - self.began_ms


@dataclass(frozen=True, slots=True)
class Gap:
    """A time in which nobody owned a partition."""

    partition: Partition
    from_ms: int
    to_ms: int

    @property
    def length_ms(self) -> int:
        return self.to_ms - self.from_ms


@dataclass(frozen=True, slots=True)
class Asked:
    """What these members ask of the group."""

    session_timeout_ms: int
    rebalance_timeout_ms: int
    protocols: tuple[str, ...]
    topics: tuple[str, ...] | None
    members: tuple[Who, ...]


@dataclass(frozen=True, slots=True)
class Why:
    """The cause as a word (docs/explain.md lists them), and what is known about it."""

    cause: str
    who: Who | None = None
    reason: str | None = None
    figures: dict[str, object] = field(default_factory=dict)


@dataclass(slots=True)
class Rebalance:
    group: str
    generation: int
    """The one that it led to, or would have."""
    began_ms: int
    why: Why
    ended_ms: int | None = None
    result: Result = "running"
    rounds: list[Round] = field(default_factory=list)
    from_empty: bool = False
    empty_ms: int | None = None
    """How long the group had been empty before, if the journal tells."""
    members: int | None = None
    protocol: str | None = None
    leader: Who | None = None
    new_leader_because: str | None = None
    arrivals: list[Arrival] = field(default_factory=list)
    """Of the last round, in the order of their coming."""
    newcomers: list[Who] = field(default_factory=list)
    departures: list[Departure] = field(default_factory=list)
    ids_never_used: list[Who] = field(default_factory=list)
    """Ids that were handed out and kept the join phase waiting until they expired."""
    moves: list[Move] | None = None
    """None: unknown, since an assignment cannot be decoded or the one before is not known."""
    stayed: list[Partition] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    asked: tuple[Asked, ...] = ()
    is_inferred: bool = False
    is_consumer: bool = False
    """Of the new protocol (KIP-848): `generation` is the group epoch, and rounds are epochs that were raised on the way."""
    revocations: list[Revocation] = field(default_factory=list)
    """Of a consumer group: in the order of their beginning."""
    last_to_arrive: Who | None = None
    """Of a consumer group: whose arrival at the target made it stable."""
    protocol_before: str | None = None
    """The assignor of the target before, if it is known."""

    @property
    def took_ms(self) -> int | None:
        return None if self.ended_ms is None else self.ended_ms - self.began_ms

    @property
    def join_ms(self) -> int | None:
        last = self.rounds[-1] if self.rounds else None
        return last.join_ended_ms - last.began_ms if last is not None and last.join_ended_ms is not None else None

    @property
    def sync_ms(self) -> int | None:
        last = self.rounds[-1] if self.rounds else None
        if last is None or last.join_ended_ms is None or last.ended_ms is None:
            return None
        return last.ended_ms - last.join_ended_ms

    @property
    def slowest(self) -> Arrival | None:
        """Who came last, if anybody came after the beginning."""
        late = [arrival for arrival in self.arrivals if arrival.waited_ms > 0]
        return max(late, key=lambda arrival: arrival.waited_ms, default=None)

    @property
    def pending(self) -> list[Revocation]:
        """What holds a consumer group back now."""
        return [each for each in self.revocations if each.ended_ms is None]

    @property
    def never_came(self) -> list[Departure]:
        return [gone for gone in self.departures if gone.cause == "rejoin_missed"]

    @property
    def waited_out(self) -> list[Departure]:
        """Whose going let the join phase end: a silent or leaving member that the others had been waiting for until then."""
        if not self.join_ms:
            return []
        end_ms = self.rounds[-1].join_ended_ms
        return [
            gone for gone in self.departures if gone.at_ms == end_ms and gone.cause not in ("rejoin_missed", "gone")
        ]

    @property
    def longest_gap(self) -> Gap | None:
        return max(self.gaps, key=lambda gap: gap.length_ms, default=None)

    @property
    def is_cooperative(self) -> bool:
        return not self.is_consumer and is_cooperative(self.protocol)


@dataclass(frozen=True, slots=True)
class HeldOffsets:
    """Offsets of the group that a transaction held back until it ended, or still does."""

    producer_id: int | None
    transactional_id: str | None
    """None: the coordinator had been loaded since the offsets came."""
    offsets: int
    partitions: tuple[Partition, ...]
    """The first of them."""
    unstable_ms: int
    refusals: int = 0
    """OffsetFetch requests that were refused meanwhile."""
    waited_ms: int = 0
    """Since the first of those."""


@dataclass(frozen=True, slots=True)
class Quiet:
    """Something that happened to a member without a rebalance."""

    kind: QuietKind
    at_ms: int
    generation: int
    cause: str
    who: Who | None = None
    reason: str | None = None
    principal: str | None = None
    """Of somebody who may not do what it tried, and `api` is what that was."""
    api: str | None = None
    held: HeldOffsets | None = None
    """What a transaction held back."""
    figures: dict[str, object] = field(default_factory=dict)
    """Of a regular expression: `regex`, `matches`, `added`, `dropped`. Of a tracked query: `query_id`, `run_id`,
    `batch_id`, `duration_ms`."""


@dataclass(slots=True)
class History:
    """Everything about one group, oldest first."""

    group: str
    rebalances: list[Rebalance] = field(default_factory=list)
    quiet: list[Quiet] = field(default_factory=list)
    returns: list[Return] = field(default_factory=list)
    members: list[Who] = field(default_factory=list)
    """Who is in the group at the end."""
    seen: list[Who] = field(default_factory=list)
    """Everybody who ever was."""
    shared_identities: set[str] = field(default_factory=set)
    """Identities that two members had at the same time: client ids need not be unique."""
    unowned_since: dict[Partition, int] = field(default_factory=dict)
    """At the end: partitions that were assigned once and have no owner."""
    unowned_when_emptied: list[tuple[Partition, int]] = field(default_factory=list)
    """Each time that nobody was left: what had no owner then, and since when."""
    state: str | None = None
    generation: int | None = None
    first_ms: int | None = None
    last_ms: int | None = None
    is_inferred: bool = False
    is_consumer: bool = False
    """It speaks the new protocol (KIP-848) at the end."""
    tracked: TrackedQuery | None = None
    """The last micro-batch of the streaming query that the group stands for."""

    @property
    def departures(self) -> list[Departure]:
        return [gone for rebalance in self.rebalances for gone in rebalance.departures]

    @property
    def latest(self) -> Rebalance | None:
        """The last one that gave the group an assignment."""
        return next((each for each in reversed(self.rebalances) if each.result == "stable"), None)


def is_cooperative(protocol: str | None) -> bool:
    """KIP-429: members of these keep their partitions while they rebalance; all others give them up to join."""
    return protocol is not None and "cooperative" in protocol.lower()
