"""A member of a consumer group (KIP-848) as a state machine: what to say next, and what an answer means.

Asks nobody, calls nobody back, reads no clock: times are arguments, in milliseconds. `consumer_membership` sends the heartbeats
that it asks for and does the steps that it names, one at a time.

The coordinator says what this member shall hold (the target). The member first gives up what it holds beyond that, then takes
what is new, and reports what it holds with its next heartbeat. Only such a report lets others have what was given up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple, TypeAlias

from muster.client.partitions import TopicPartition

JOIN_EPOCH: Final = 0
LEAVE_EPOCH: Final = -1
STATIC_LEAVE_EPOCH: Final = -2
"""Of a static member that will come back: its partitions wait for it until its session ends."""


class IdPartition(NamedTuple):
    """The coordinator speaks of topics by id."""

    topic_id: bytes
    partition: int


Held: TypeAlias = frozenset[IdPartition]
_NOTHING: Final[Held] = frozenset()


class Stage(Enum):
    JOINING = "wants to join"
    MEMBER = "is a member"
    LOST = "has lost its place, and the program has not been told yet"


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """What the next heartbeat says."""

    epoch: int
    is_full: bool
    """With everything the coordinator should know of this member, and not only with what has changed."""
    owned: Held | None
    """None: as last time."""


@dataclass(frozen=True, slots=True)
class Resolve:
    """Find out the names of these topics."""

    topic_ids: tuple[bytes, ...]
    is_repeated: bool
    """Nobody knew them when they were asked for last."""


@dataclass(frozen=True, slots=True)
class Revoke:
    partitions: Held


@dataclass(frozen=True, slots=True)
class Assign:
    partitions: Held


@dataclass(frozen=True, slots=True)
class Lose:
    partitions: Held


Step: TypeAlias = Resolve | Revoke | Assign | Lose


class ConsumerState:
    """`rebalance_timeout_ms`: the longest that the program may take over one callback, as max.poll.interval.ms in Java."""

    def __init__(self, rebalance_timeout_ms: int) -> None:
        self.stage = Stage.JOINING
        self.epoch = JOIN_EPOCH
        self.owned = _NOTHING
        self.target: Held | None = None
        """What the coordinator said last that this member shall hold."""
        self.join_sent = False
        """The coordinator may know this member, even if no answer has come."""
        self._rebalance_timeout_ms = rebalance_timeout_ms
        self._names: dict[bytes, str] = {}
        self._asked_for: set[bytes] = set()
        self._is_target_taken = False
        self._is_full_due = True
        self._sent: Held | None = None
        self._acknowledged: Held | None = None
        """What the coordinator has heard that this member holds."""
        self._due_ms = 0.0
        self._called_back_at_ms: float | None = None

    def __repr__(self) -> str:
        target = "no" if self.target is None else len(self.target)
        return f"<{self.stage.value}; epoch {self.epoch}, {len(self.owned)} partitions of {target} in the target>"

    # -- heartbeats

    def next_moment_ms(self) -> float | None:
        """When to look again whether a heartbeat or a stall is due. None: not before something else has happened."""
        if self.stage is Stage.LOST:
            return None
        if self._called_back_at_ms is None:
            return self._due_ms
        return min(self._due_ms, self._called_back_at_ms + self._rebalance_timeout_ms)

    def is_due(self, now_ms: float) -> bool:
        return self.stage is not Stage.LOST and now_ms >= self._due_ms

    def hurry(self) -> None:
        """Let the next heartbeat be sent at once."""
        self._due_ms = 0.0

    def heartbeat(self) -> Heartbeat:
        """What to send now; answered by `accepted`, `failed` or `lost`."""
        if self.stage is Stage.JOINING:
            self.join_sent, self._sent = True, _NOTHING
            return Heartbeat(JOIN_EPOCH, True, _NOTHING)
        self._sent = self._reported
        is_told = self._is_full_due or self._sent != self._acknowledged
        return Heartbeat(self.epoch, self._is_full_due, self._sent if is_told else None)

    @property
    def _reported(self) -> Held:
        """All that this member may hold before the next answer: what is in the target may be taken at any moment.

        A report without it would let the coordinator give it to others in the meantime.
        """
        return self.owned | (self.target or _NOTHING)

    def accepted(self, now_ms: float, epoch: int, interval_ms: int, assignment: Iterable[IdPartition] | None) -> None:
        """`assignment` None: as before."""
        assert self.stage is not Stage.LOST
        self.epoch = epoch
        if epoch > JOIN_EPOCH:
            self.stage = Stage.MEMBER
        if assignment is not None:
            target = frozenset(assignment)
            if target != self.target:
                self.target, self._is_target_taken = target, False
                self._asked_for.clear()
        self._is_full_due = False
        self._acknowledged = self._sent
        self._due_ms = now_ms + max(1, interval_ms)

    def failed(self, now_ms: float, pause_ms: float) -> None:
        """No answer, or one that says to ask again: nobody knows what the coordinator has heard, so tell it everything."""
        self._is_full_due = True
        self._due_ms = now_ms + pause_ms

    def lost(self) -> None:
        """The coordinator does not know this member, or not at this epoch: join again, once the program has been told."""
        self.stage = Stage.LOST
        self._due_ms = 0.0

    def has_stalled(self, now_ms: float) -> bool:
        """The program has been at one callback for longer than the group may wait."""
        began = self._called_back_at_ms
        return self.stage is Stage.MEMBER and began is not None and now_ms - began >= self._rebalance_timeout_ms

    # -- steps

    def next_step(self) -> Step | None:
        """What has to be done now to be where the coordinator wants this member. None: it is there."""
        if self.stage is Stage.LOST:
            return Lose(self.owned)
        if self.stage is Stage.JOINING or self.target is None:
            return None
        surplus = self.owned - self.target
        if surplus:
            return Revoke(surplus)
        unknown = sorted({each.topic_id for each in self.target if each.topic_id not in self._names})
        fresh = tuple(each for each in unknown if each not in self._asked_for)
        if fresh:
            return Resolve(fresh, is_repeated=False)
        new = frozenset(each for each in self.target - self.owned if each.topic_id in self._names)
        if new or not self._is_target_taken:
            return Assign(new)
        return Resolve(tuple(unknown), is_repeated=True) if unknown else None

    @property
    def is_settled(self) -> bool:
        """A member that holds what it shall hold, and whose program knows it."""
        return self.stage is Stage.MEMBER and self._called_back_at_ms is None and self.next_step() is None

    def begin(self, step: Revoke | Assign | Lose, now_ms: float) -> None:
        """The program is told of it. What is assigned belongs to this member before that."""
        self._called_back_at_ms = now_ms
        if isinstance(step, Assign):
            self.owned |= step.partitions
            self._is_target_taken = True

    def done(self, step: Revoke | Assign | Lose) -> None:
        """The program has been told of it, and is done with it."""
        self._called_back_at_ms = None
        if isinstance(step, Lose):
            self._join_again()
            return
        if isinstance(step, Revoke):
            self.owned -= step.partitions
        if self.stage is Stage.MEMBER and self._reported != self._acknowledged:
            self.hurry()

    def _join_again(self) -> None:
        self.stage, self.epoch = Stage.JOINING, JOIN_EPOCH
        self.owned, self.target = _NOTHING, None
        self._acknowledged, self._is_full_due = None, True
        self.hurry()

    # -- names

    def resolved(self, topic_ids: Iterable[bytes], names: Mapping[bytes, str]) -> None:
        """What asking for the names of these topics has shown."""
        self._asked_for.update(topic_ids)
        self._names.update(names)

    def named(self, partitions: Held) -> frozenset[TopicPartition]:
        """By name, as programs know them."""
        return frozenset(TopicPartition(self._names[each.topic_id], each.partition) for each in partitions)
