"""One classic group, as it lives in memory: who is in it, who is waited for, which generation it is in.

Durable facts are not here but in the shard's `facts`; what a group knows beyond them (who has joined, who has synced, the
next generation) is lost on failover on purpose. Answers questions and keeps its sums; decisions are in the other files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from muster.core.classic.member import Member, Protocols
from muster.core.classic.states import (
    EMPTY,
    PREPARING_REBALANCE,
    GroupState,
    check_transition,
)
from muster.core.contract import TimerKey
from muster.wire.value import Value

if TYPE_CHECKING:
    from muster.core.classic.description import Description

CONSUMER_PROTOCOL_TYPE = "consumer"


class InitialWindow(Value):
    """The first join phase of an Empty group waits for company, a window at a time (spec 3.6)."""

    __match_args__ = ("delay_ms", "remaining_ms", "newcomer")
    __slots__ = __match_args__

    def __init__(self, delay_ms: int, remaining_ms: int, newcomer: bool = False) -> None:
        self.delay_ms = delay_ms
        self.remaining_ms = remaining_ms
        self.newcomer = newcomer
        """Somebody new came in this window, so another one follows if time remains."""


class RebalanceTrace(Value):
    """What the journal tells about a rebalance when it ends."""

    __match_args__ = ("started_ms", "cause", "last_joiner", "last_join_ms", "join_ended_ms", "dropped")
    __slots__ = __match_args__

    def __init__(
        self,
        started_ms: int,
        cause: str,
        last_joiner: str = "",
        last_join_ms: int = 0,
        join_ended_ms: int = 0,
        dropped: tuple[str, ...] = (),
    ) -> None:
        self.started_ms = started_ms
        self.cause = cause
        self.last_joiner = last_joiner
        self.last_join_ms = last_join_ms
        self.join_ended_ms = join_ended_ms
        self.dropped = dropped


class PendingId(Value):
    """A member id that was handed out with MEMBER_ID_REQUIRED and has not come back (KIP-394)."""

    __match_args__ = ("client_id", "client_host")
    __slots__ = __match_args__

    def __init__(self, client_id: str, client_host: str) -> None:
        self.client_id = client_id
        self.client_host = client_host


class Group:
    """Iteration over members, pending ids and pending syncs is in insertion order, always (law 7).

    Deviates: Kafka iterates in hash order (spec 13.1). No client may depend on it.
    """

    __slots__ = (
        "awaiting_joins",
        "described",
        "generation",
        "generation_leader",
        "group_id",
        "is_committed",
        "leader",
        "members",
        "pending_joins",
        "pending_syncs",
        "protocol_counts",
        "protocol_name",
        "protocol_type",
        "state",
        "state_timestamp_ms",
        "static_members",
        "subscribed_topics",
        "trace",
        "window",
    )

    def __init__(self, group_id: str, state_timestamp_ms: int, state: GroupState = EMPTY) -> None:
        self.group_id = group_id
        self.state = state
        self.state_timestamp_ms = state_timestamp_ms
        """When it entered its state; -1 if that is unknown (loaded from an old record)."""
        self.generation = 0
        self.protocol_type: str | None = None
        """None: a simple group, known by its offsets only, or one that nobody ever joined. Kept when it becomes Empty."""
        self.protocol_name: str | None = None
        self.leader: str | None = None
        self.generation_leader: str | None = None
        """Who led when the current generation began: the journal tells when that changes."""
        self.members: dict[str, Member] = {}
        self.static_members: dict[str, str] = {}
        """Instance id -> member id."""
        self.pending_joins: dict[str, PendingId] = {}
        self.pending_syncs: dict[str, None] = {}
        self.awaiting_joins = 0
        """How many members have a parked JoinGroup."""
        self.protocol_counts: dict[str, int] = {}
        self.subscribed_topics: frozenset[str] | None = None
        """None: unknown."""
        self.window: InitialWindow | None = None
        self.trace: RebalanceTrace | None = None
        self.described: Description | None = None
        """For readers who ask again; None if nobody has since something changed."""
        self.is_committed = True
        """False until the record that created it is durable: readers see committed groups only (spec 3.13)."""

    @property
    def join_key(self) -> TimerKey:
        return ("join", self.group_id)

    @property
    def sync_key(self) -> TimerKey:
        return ("sync", self.group_id)

    def move(self, state: GroupState, now_ms: int) -> None:
        check_transition(self.state, state)
        self.state = state
        self.state_timestamp_ms = now_ms
        self.described = None

    @property
    def all_joined(self) -> bool:
        """A pending id counts as somebody who is still on the way (T041)."""
        return self.awaiting_joins == len(self.members) and not self.pending_joins

    @property
    def rebalance_timeout_ms(self) -> int:
        """The longest that any member asked for (spec 3.5)."""
        return max((member.rebalance_timeout_ms for member in self.members.values()), default=0)

    def is_subscribed_to(self, topic: str) -> bool:
        """Unknown subscriptions of a consumer-type group count as all topics (spec 3.16)."""
        if self.subscribed_topics is None:
            return self.protocol_type == CONSUMER_PROTOCOL_TYPE
        return topic in self.subscribed_topics

    def accepts(self, protocol_type: str, protocols: Protocols) -> bool:
        """Whether a join with these protocols fits (spec 3.3). Everybody present must know one of them."""
        if self.state is EMPTY:
            return bool(protocol_type) and bool(protocols)
        if protocol_type != self.protocol_type:
            return False
        count = len(self.members)
        return any(self.protocol_counts.get(name, 0) == count for name, _ in protocols)

    def count_protocols(self, protocols: Protocols, change: int) -> None:
        """Deviates: a name that a member lists twice counts once; in Kafka it becomes unusable (spec 13.15)."""
        counts = self.protocol_counts
        for name in dict.fromkeys([name for name, _ in protocols]):
            count = counts.get(name, 0) + change
            if count:
                counts[name] = count
            else:
                del counts[name]

    def __repr__(self) -> str:
        waiting = ""
        if self.state is PREPARING_REBALANCE:
            waiting = f", {self.awaiting_joins} joined"
        elif self.pending_syncs:
            waiting = f", {len(self.pending_syncs)} to sync"
        pending = f", {len(self.pending_joins)} ids pending" if self.pending_joins else ""
        return (
            f"<Group {self.group_id}: {self.state}, generation {self.generation}, "
            f"{len(self.members)} members{waiting}{pending}, leader {self.leader or 'none'}>"
        )
