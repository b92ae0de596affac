"""One transactional id: its last durable record, and what the coordinator knows about it in memory only.

`stored` changes in `replay` alone (law 2). Each method that is named after a state gives the record by which that state is entered;
the caller makes it durable. Knows the epoch arithmetic, and nothing of requests, answers and time.
"""

from __future__ import annotations

from typing import Final

from muster.core.transactions.config import TRANSACTION_VERSION
from muster.core.transactions.records import TransactionStored
from muster.core.transactions.requests import NO_PRODUCER_EPOCH
from muster.core.transactions.states import TransactionState
from muster.core.transactions.topic_partitions import Topics, united
from muster.core.transactions.transitions import (
    EMPTY,
    NOTHING_OPEN,
    ONGOING,
    PREPARE_ABORT,
    PREPARE_COMMIT,
    PREPARED,
    check_transition,
)
from muster.wire.batch_header import NO_PRODUCER_ID, NO_TIMESTAMP

HIGHEST_EPOCH: Final = 32767
"""Only ever in markers and in the records of `Prepare*`."""
LAST_EPOCH_GIVEN: Final = HIGHEST_EPOCH - 1
"""No client gets a higher one, so that there is always one left by which it can be fenced."""


def is_exhausted(epoch: int) -> bool:
    return epoch >= LAST_EPOCH_GIVEN


class Transaction:
    __slots__ = ("last_epoch", "stored", "unmarked")

    def __init__(self, stored: TransactionStored) -> None:
        self.stored = stored
        self.last_epoch = NO_PRODUCER_EPOCH
        """The epoch before the present one, if it was the same producer's: it may repeat a request whose answer it missed
        (KIP-360). Memory only: after another node has taken over such a repetition is fenced, as in Kafka."""
        self.unmarked: Topics = stored.topics
        """The partitions of the transaction without those that have their marker, in `Prepare*`."""

    @property
    def state(self) -> TransactionState:
        return self.stored.state

    @property
    def is_prepared(self) -> bool:
        return self.stored.state in PREPARED

    @property
    def deadline_ms(self) -> int:
        """When the open transaction times out. Adding partitions does not prolong it (spec 14.2)."""
        return self.stored.start_timestamp_ms + self.stored.transaction_timeout_ms

    def replay(self, record: TransactionStored) -> None:
        self.stored = record
        self.unmarked = record.topics

    # -- the record of each state

    def empty(self, producer_id: int, epoch: int, timeout_ms: int, now_ms: int) -> TransactionStored:
        """A producer was initialised."""
        record = self._entered(EMPTY, now_ms)
        record.producer_id = producer_id
        record.producer_epoch = epoch
        record.transaction_timeout_ms = timeout_ms
        record.topics = ()
        record.start_timestamp_ms = NO_TIMESTAMP
        return record

    def ongoing(self, topics: Topics, raises_epoch: bool, now_ms: int) -> TransactionStored:
        """These partitions take part as well."""
        record = self._entered(ONGOING, now_ms)
        record.topics = united(self.stored.topics, topics)
        if self.stored.state in NOTHING_OPEN:
            record.start_timestamp_ms = now_ms
        record.client_transaction_version = TRANSACTION_VERSION if raises_epoch else 0
        return record

    def prepared(self, commit: bool, now_ms: int) -> TransactionStored:
        """The end is decided, at the producer's own epoch."""
        record = self._entered(PREPARE_COMMIT if commit else PREPARE_ABORT, now_ms)
        record.next_producer_id = NO_PRODUCER_ID
        record.client_transaction_version = 0
        return record

    def prepared_with_raised_epoch(self, commit: bool, next_producer_id: int, now_ms: int) -> TransactionStored:
        """The end is decided, and requests that the producer still sends with its old epoch are refused (KIP-890).

        If no transaction has begun it begins and ends now. `next_producer_id` is not -1 if the epochs are exhausted.
        """
        record = self._entered(PREPARE_COMMIT if commit else PREPARE_ABORT, now_ms)
        record.producer_epoch = min(self.stored.producer_epoch + 1, HIGHEST_EPOCH)
        if self.stored.state in NOTHING_OPEN:
            record.start_timestamp_ms = now_ms
        record.next_producer_id = next_producer_id
        record.client_transaction_version = TRANSACTION_VERSION
        return record

    def completed(self, now_ms: int) -> TransactionStored:
        """Every partition has its marker. If the epochs are exhausted the next producer id takes over."""
        record = self._entered(PREPARED[self.stored.state], now_ms)
        record.producer_id, record.producer_epoch = continuation(self.stored)
        record.topics = ()
        record.next_producer_id = NO_PRODUCER_ID
        return record

    def _entered(self, state: TransactionState, now_ms: int) -> TransactionStored:
        """The record before in another state: a fresh one, in which the caller changes what else is new.

        Every record names the producer id of the one before: it tells who may still repeat a request.
        """
        stored = self.stored
        check_transition(stored.state, state)
        return TransactionStored(
            stored.transactional_id,
            stored.producer_id,
            stored.producer_epoch,
            stored.transaction_timeout_ms,
            state,
            stored.topics,
            now_ms,
            stored.start_timestamp_ms,
            stored.producer_id,
            stored.next_producer_id,
            stored.client_transaction_version,
        )

    def __repr__(self) -> str:
        stored = self.stored
        return (
            f"<Transaction {stored.transactional_id!r}: {stored.state}, producer {stored.producer_id}"
            f" epoch {stored.producer_epoch}, {sum(len(partitions) for _, partitions in stored.topics)} partitions>"
        )


def first_record(transactional_id: str, producer_id: int, timeout_ms: int, now_ms: int) -> TransactionStored:
    """The previous producer id is its own: that is how Kafka writes it."""
    return TransactionStored(
        transactional_id, producer_id, 0, timeout_ms, EMPTY, (), now_ms, previous_producer_id=producer_id
    )


def continuation(prepared: TransactionStored) -> tuple[int, int]:
    """The producer id and epoch that the producer goes on with after this end of a transaction."""
    if prepared.next_producer_id != NO_PRODUCER_ID:
        return prepared.next_producer_id, 0
    return prepared.producer_id, prepared.producer_epoch
