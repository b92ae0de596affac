"""What transactional clients did and saw, and what the logs say at the end: all that the checkers of transactions look at.

Producers copy: input `n` of a transactional id is a number, and becomes one record in each partition of `outputs_of(n)`. The offset
that a transaction commits for its group is the first input that it did not copy. So what a transaction is made of follows from
its first and next input.
"""

from __future__ import annotations

from dataclasses import dataclass, field

OUTPUT = "copies"
OUTPUT_PARTITIONS = 3
NO_OFFSET = -1


def outputs_of(number: int) -> tuple[int, int]:
    """The partitions that an input is copied to: two, so that even the smallest transaction has more than one."""
    return number % OUTPUT_PARTITIONS, (number + 1) % OUTPUT_PARTITIONS


@dataclass(slots=True)
class Attempt:
    """One transaction as its producer knows it."""

    number: int
    transactional_id: str
    first_input: int
    next_input: int
    began_ms: int = 0
    commit_asked: bool = False
    told: bool | None = None
    """What its end was said to be: True committed, False aborted, None nothing."""

    def records(self) -> list[tuple[int, int]]:
        """(partition, input) of everything that it writes."""
        return [
            (partition, number)
            for number in range(self.first_input, self.next_input)
            for partition in outputs_of(number)
        ]


@dataclass(slots=True, frozen=True)
class CopyRead:
    """One record as a reader, or the log, has it."""

    partition: int
    offset: int
    attempt: int
    input: int


@dataclass(slots=True, frozen=True)
class Fenced:
    """From here on nothing may come from this producer id with an epoch below this one."""

    producer_id: int
    epoch: int
    ends: dict[str, int]
    """Where the logs ended when the new epoch was given out, by partition."""


@dataclass(slots=True, frozen=True)
class Written:
    """A batch of records of a transaction, in the log at the end."""

    log: str
    offset: int
    producer_id: int
    epoch: int


@dataclass(slots=True)
class TransactionHistory:
    attempts: dict[int, Attempt] = field(default_factory=dict)
    read: dict[str, list[CopyRead]] = field(default_factory=dict)
    """By reader: what it got, in the order in which it got it."""
    offsets_read: list[tuple[str, int]] = field(default_factory=list)
    """(transactional id, offset) of every answer to OffsetFetch with an offset."""
    fenced: list[Fenced] = field(default_factory=list)
    surprises: list[str] = field(default_factory=list)
    """Answers that no client would understand in its situation."""
    # What the logs and shards say at the end.
    committed: list[CopyRead] = field(default_factory=list)
    """Records whose transaction has a COMMIT marker behind them."""
    committed_offsets: list[tuple[str, int]] = field(default_factory=list)
    """(transactional id, offset) of every offset whose transaction has a COMMIT marker behind it, in log order."""
    written: list[Written] = field(default_factory=list)
    unstable: list[str] = field(default_factory=list)
    """What was undecided long after the last fault and the last timeout."""
    silent: list[str] = field(default_factory=list)
    """Transactional ids that could commit nothing although nothing disturbed them."""
