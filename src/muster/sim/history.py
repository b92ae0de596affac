"""What was seen, in the order in which it was seen: the only thing that checkers look at.

Members and the world write to it; it also keeps a running digest, so that two runs of one seed can be compared.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from muster.sim.consumers.history import ConsumerHistory
from muster.sim.transactions.history import TransactionHistory


@dataclass(slots=True, frozen=True)
class Joined:
    """A member was told its place in a generation."""

    at_ms: int
    life: int
    """Which life of the server: generations that were never stored may come again after a crash."""
    group: str
    generation: int
    member: str
    leader: str
    protocol: str
    asked_ms: int = 0


@dataclass(slots=True, frozen=True)
class Synced:
    life: int
    group: str
    generation: int
    member: str
    assignment: bytes
    by_leader: bytes | None
    """What the leader of this generation planned for the member; None if its plan was never sent."""
    at_ms: int = 0


@dataclass(slots=True, frozen=True)
class Acked:
    """A commit was acknowledged. Values of a partition only ever grow."""

    at_ms: int
    group: str
    partition: int
    value: int
    node: int = 0
    epoch: int = 0
    """In a cluster: who acknowledged it, and since which epoch it leads the group's partition."""


@dataclass(slots=True, frozen=True)
class Fetched:
    asked_ms: int
    group: str
    partition: int
    value: int


@dataclass(slots=True, frozen=True)
class Expelled:
    """The coordinator dropped a silent member."""

    group: str
    member: str
    silence_ms: int
    """Since it was last heard, on the coordinator's clock or in truth, whichever is longer: clocks may be set back."""
    session_timeout_ms: int


@dataclass(slots=True, frozen=True)
class Appended:
    """A batch that the shared database took."""

    slot: tuple[str, int]
    epoch: int
    """As the batch says."""
    node: int
    row_epoch: int
    row_owner: int
    """What the database knew at that moment."""
    base_offset: int


@dataclass(slots=True)
class History:
    joined: list[Joined] = field(default_factory=list)
    synced: list[Synced] = field(default_factory=list)
    acked: list[Acked] = field(default_factory=list)
    fetched: list[Fetched] = field(default_factory=list)
    expelled: list[Expelled] = field(default_factory=list)
    stored_generations: list[tuple[str, int]] = field(default_factory=list)
    """(group, generation) of every group record in the final log, in log order; -1 for a tombstone."""
    stored_offsets: list[tuple[str, int, int]] = field(default_factory=list)
    """(group, partition, value) of every offset record in the final log, in log order; -1 for a tombstone."""
    answers: dict[int, int] = field(default_factory=dict)
    """How many replies each request got, by its number."""
    replay_differences: list[str] = field(default_factory=list)
    unstable_groups: list[str] = field(default_factory=list)
    """Groups with live members that were not Stable long after the last fault."""
    appended: list[Appended] = field(default_factory=list)
    """In a cluster: everything that the database took, in this order."""
    transactions: TransactionHistory = field(default_factory=TransactionHistory)
    consumers: ConsumerHistory = field(default_factory=ConsumerHistory)
    events: int = 0
    _digest: hashlib._Hash = field(default_factory=hashlib.sha256)

    def note(self, *words: object) -> None:
        """Everything that happens goes into the digest."""
        self.events += 1
        self._digest.update(repr(words).encode())

    def digest(self) -> str:
        return self._digest.hexdigest()[:16]
