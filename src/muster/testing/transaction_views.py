"""What a test sees of a transaction: one moment of it, as plain values that do not change any more."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from muster.core.transactions.states import TransactionState
from muster.core.transactions.topic_partitions import pairs
from muster.core.transactions.transaction import Transaction
from muster.core.transactions.transitions import NOTHING_OPEN
from muster.testing.group_views import TopicPartition


@dataclass(slots=True, frozen=True)
class TransactionView:
    transactional_id: str
    state: TransactionState
    """A text too: `view.state == "Ongoing"`. An id that nobody knows is Dead."""
    producer_id: int = -1
    producer_epoch: int = -1
    timeout_ms: int = 0
    start_ms: int | None = None
    """When the transaction began, on the broker's clock; None if none is open."""
    partitions: tuple[TopicPartition, ...] = ()
    """All that take part; `__consumer_offsets` is where offsets are committed."""
    unmarked: tuple[TopicPartition, ...] = ()
    """Those of them that have no end marker yet."""

    @property
    def is_open(self) -> bool:
        return self.state not in NOTHING_OPEN and self.state is not TransactionState.DEAD

    def to_json(self) -> dict[str, object]:
        return {**asdict(self), "is_open": self.is_open}

    def __str__(self) -> str:
        marked = f", {len(self.unmarked)} without a marker" if self.is_open else ""
        return f"{self.transactional_id} is {self.state}, {len(self.partitions)} partitions{marked}"


@dataclass(slots=True, frozen=True)
class PendingOffsetView:
    """An offset that counts when its transaction is committed."""

    topic: str
    partition: int
    offset: int
    producer_id: int
    producer_epoch: int
    transactional_id: str | None
    """None: the group's coordinator was loaded since it came, and its log does not have it."""

    def to_json(self) -> dict[str, object]:
        return asdict(self)


def view_of_transaction(transactional_id: str, transaction: Transaction | None) -> TransactionView:
    if transaction is None:
        return TransactionView(transactional_id, TransactionState.DEAD)
    stored = transaction.stored
    is_open = stored.state not in NOTHING_OPEN
    return TransactionView(
        transactional_id,
        stored.state,
        stored.producer_id,
        stored.producer_epoch,
        stored.transaction_timeout_ms,
        stored.start_timestamp_ms if is_open else None,
        tuple(pairs(stored.topics)),
        tuple(pairs(transaction.unmarked)),
    )
