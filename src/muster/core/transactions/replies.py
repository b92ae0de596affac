"""The answers of a transaction shard. Handlers turn them into messages of the version that was asked in."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from muster.core.transactions.requests import NO_PRODUCER_EPOCH
from muster.core.transactions.states import TransactionState
from muster.core.transactions.topic_partitions import Topics
from muster.wire.batch_header import NO_PRODUCER_ID
from muster.wire.value import Value


class InitProducerIdReply(Value):
    __match_args__ = ("error", "producer_id", "producer_epoch")
    __slots__ = __match_args__

    def __init__(self, error: int, producer_id: int = NO_PRODUCER_ID, producer_epoch: int = NO_PRODUCER_EPOCH) -> None:
        self.error = error
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch


class AddPartitionsReply(Value):
    __match_args__ = ("error", "errors")
    __slots__ = __match_args__

    def __init__(self, error: int, errors: tuple[int, ...] = ()) -> None:
        self.error = error
        """Of every partition, if there are no `errors`."""
        self.errors = errors
        """Of a request to verify: one code per partition, in the order of the request."""

    def listed(self, count: int) -> list[int]:
        """One code for each of so many partitions of the request, in its order."""
        return list(self.errors) if self.errors else [self.error] * count


class EndTransactionReply(Value):
    __match_args__ = ("error", "producer_id", "producer_epoch")
    __slots__ = __match_args__

    def __init__(self, error: int, producer_id: int = NO_PRODUCER_ID, producer_epoch: int = NO_PRODUCER_EPOCH) -> None:
        self.error = error
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        """What the producer goes on with, if its epoch was raised; else -1 and -1."""


class DescribeTransactionReply(Value):
    __match_args__ = (
        "error",
        "transactional_id",
        "state",
        "timeout_ms",
        "start_timestamp_ms",
        "producer_id",
        "producer_epoch",
        "topics",
    )
    __slots__ = __match_args__

    def __init__(
        self,
        error: int,
        transactional_id: str,
        state: TransactionState | None = None,
        timeout_ms: int = 0,
        start_timestamp_ms: int = 0,
        producer_id: int = 0,
        producer_epoch: int = 0,
        topics: Topics = (),
    ) -> None:
        self.error = error
        self.transactional_id = transactional_id
        self.state = state
        """None: nothing is known, and the other fields are zero (spec 14.1)."""
        self.timeout_ms = timeout_ms
        self.start_timestamp_ms = start_timestamp_ms
        """-1: no transaction has begun."""
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.topics = topics
        """Without those that have their marker already."""


class ListedTransaction(NamedTuple):
    transactional_id: str
    producer_id: int
    state: TransactionState


class ListTransactionsReply(Value):
    __match_args__ = ("error", "unknown_states", "transactions")
    __slots__ = __match_args__

    def __init__(
        self,
        error: int,
        unknown_states: tuple[str, ...] = (),
        transactions: tuple[ListedTransaction, ...] = (),
    ) -> None:
        self.error = error
        self.unknown_states = unknown_states
        """Words of the filter that are no states."""
        self.transactions = transactions


TransactionReply: TypeAlias = (
    InitProducerIdReply | AddPartitionsReply | EndTransactionReply | DescribeTransactionReply | ListTransactionsReply
)
