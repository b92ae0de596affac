"""What members of consumer groups were told, and what the log says of these groups: all that their checkers look at."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True, frozen=True)
class Told:
    """A member was answered with an epoch."""

    at_ms: int
    group: str
    member: str
    epoch: int
    joins: bool
    """It had just joined: what it was told before counts no more."""


@dataclass(slots=True, frozen=True)
class TwoOwners:
    """A member was given a partition that another member of the group has, says itself and says the coordinator."""

    at_ms: int
    group: str
    partition: int
    owner: str
    taker: str


@dataclass(slots=True, frozen=True)
class StaleCommit:
    """A commit of a partition that the member had given up, at the epoch of before."""

    at_ms: int
    group: str
    member: str
    epoch: int
    partition: int
    error: int


@dataclass(slots=True, frozen=True)
class Migration:
    """A group became one of the other protocol, in one batch of the log."""

    group: str
    is_upgrade: bool
    lost: frozenset[str]
    """Members of the classic protocol that are not there any more; a static one may have another id."""
    had_consumers: bool
    """Members of the new protocol were there before."""
    number_before: int
    """Generation or group epoch."""
    number_after: int
    lost_offsets: int
    """Tombstones of offsets in the same batch."""


@dataclass(slots=True)
class ConsumerHistory:
    told: list[Told] = field(default_factory=list)
    two_owners: list[TwoOwners] = field(default_factory=list)
    stale_commits: list[StaleCommit] = field(default_factory=list)
    dropped: set[tuple[str, str]] = field(default_factory=set)
    """(group, member) of those that were said to be unknown although they had been heard of just before."""
    surprises: list[str] = field(default_factory=list)
    """Answers that no client would understand in its situation."""
    # What the logs and shards say at the end.
    stored_epochs: list[tuple[str, str, int]] = field(default_factory=list)
    """(group, whose, epoch) of every record with an epoch, in log order; -1 for a tombstone."""
    migrations: list[Migration] = field(default_factory=list)
    unsettled: list[str] = field(default_factory=list)
    """Members that had not what they should have long after the last fault."""
    unassigned: list[str] = field(default_factory=list)
    """Groups in which nobody, or more than one, had a partition of the topic then."""
