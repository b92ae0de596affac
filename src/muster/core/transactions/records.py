"""The durable facts of a transaction coordinator, as values. Their bytes are the business of `muster.log.transaction_value`."""

from __future__ import annotations

from typing import TypeAlias

from muster.core.records import UnknownRecord
from muster.core.transactions.states import TransactionState
from muster.wire.batch_header import NO_PRODUCER_ID, NO_TIMESTAMP
from muster.wire.value import Value

TopicPartitions: TypeAlias = tuple[str, tuple[int, ...]]
"""A topic, and those of its partitions that take part in a transaction. A plain tuple: several are made for each transaction."""


class TransactionStored(Value):
    """Everything that is known about a transactional id: a new record replaces the one before."""

    __match_args__ = (
        "transactional_id",
        "producer_id",
        "producer_epoch",
        "transaction_timeout_ms",
        "state",
        "topics",
        "update_timestamp_ms",
        "start_timestamp_ms",
        "previous_producer_id",
        "next_producer_id",
        "client_transaction_version",
    )
    __slots__ = __match_args__

    def __init__(
        self,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        transaction_timeout_ms: int,
        state: TransactionState,
        topics: tuple[TopicPartitions, ...],
        update_timestamp_ms: int,
        start_timestamp_ms: int = NO_TIMESTAMP,
        previous_producer_id: int = NO_PRODUCER_ID,
        next_producer_id: int = NO_PRODUCER_ID,
        client_transaction_version: int = 0,
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.transaction_timeout_ms = transaction_timeout_ms
        self.state = state
        self.topics = topics
        """In the order in which they are written. None of them in `Empty`."""
        self.update_timestamp_ms = update_timestamp_ms
        self.start_timestamp_ms = start_timestamp_ms
        """-1: no transaction has begun."""
        self.previous_producer_id = previous_producer_id
        """The id that the last transaction had: the present one, but for the end of the transaction with which its epochs were
        used up. -1 in records of older releases."""
        self.next_producer_id = next_producer_id
        """-1: the present one. Else the id of the next transaction, because the epochs of this one are used up (KIP-890)."""
        self.client_transaction_version = client_transaction_version
        """2 if the transaction's last request was one of protocol 2, in which every end raises the epoch (KIP-890), else 0."""


class TransactionErased(Value):
    """The transactional id has expired."""

    __match_args__ = ("transactional_id",)
    __slots__ = __match_args__

    def __init__(self, transactional_id: str) -> None:
        self.transactional_id = transactional_id


TransactionRecord: TypeAlias = TransactionStored | TransactionErased | UnknownRecord
"""One record of `__transaction_state`."""
