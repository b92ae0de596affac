"""What is asked of a transaction shard, with API versions already turned into capability flags by the handlers (law 4).

`fenced_error` is how the API's version says that the producer's epoch is not the present one: INVALID_PRODUCER_EPOCH or
PRODUCER_FENCED (spec 14.1). `raises_epoch` says that the producer works at transaction version 2: its epoch is raised at the end of
every transaction (KIP-890).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from muster.core.transactions.topic_partitions import Topics
from muster.wire.batch_header import NO_PRODUCER_ID
from muster.wire.errors import PRODUCER_FENCED
from muster.wire.value import Value

NO_PRODUCER_EPOCH = -1


class InitProducerId(Value):
    """With a transactional id: without one any broker hands out an id, and no shard is asked."""

    __match_args__ = ("transactional_id", "timeout_ms", "producer_id", "producer_epoch", "fenced_error")
    __slots__ = __match_args__

    def __init__(
        self,
        transactional_id: str,
        timeout_ms: int,
        producer_id: int = NO_PRODUCER_ID,
        producer_epoch: int = NO_PRODUCER_EPOCH,
        fenced_error: int = PRODUCER_FENCED,
    ) -> None:
        self.transactional_id = transactional_id
        self.timeout_ms = timeout_ms
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        """v3+, KIP-360: what the producer has already, and wants to go on with after an error. -1 and -1: nothing."""
        self.fenced_error = fenced_error


class AddPartitions(Value):
    """One transaction of AddPartitionsToTxn; AddOffsetsToTxn, with the group's partition of `__consumer_offsets`; Produce and
    TxnOffsetCommit at transaction version 2, which add their partitions by themselves."""

    __match_args__ = (
        "transactional_id",
        "producer_id",
        "producer_epoch",
        "topics",
        "verify_only",
        "raises_epoch",
        "fenced_error",
    )
    __slots__ = __match_args__

    def __init__(
        self,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        topics: Topics,
        verify_only: bool = False,
        raises_epoch: bool = False,
        fenced_error: int = PRODUCER_FENCED,
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.topics = topics
        self.verify_only = verify_only
        """Ask whether the partitions are in the open transaction, and change nothing."""
        self.raises_epoch = raises_epoch
        self.fenced_error = fenced_error


class EndTransaction(Value):
    __match_args__ = ("transactional_id", "producer_id", "producer_epoch", "commit", "raises_epoch", "fenced_error")
    __slots__ = __match_args__

    def __init__(
        self,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        commit: bool,
        raises_epoch: bool,
        fenced_error: int = PRODUCER_FENCED,
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.commit = commit
        """False: abort."""
        self.raises_epoch = raises_epoch
        self.fenced_error = fenced_error


class DescribeTransaction(Value):
    __match_args__ = ("transactional_id",)
    __slots__ = __match_args__

    def __init__(self, transactional_id: str) -> None:
        self.transactional_id = transactional_id


class ListTransactions(Value):
    """Sent to every shard; each lists its transactions that pass all filters."""

    __match_args__ = ("states", "producer_ids", "duration_ms", "matches")
    __slots__ = __match_args__

    def __init__(
        self,
        states: tuple[str, ...] = (),
        producer_ids: tuple[int, ...] = (),
        duration_ms: int = -1,
        matches: Callable[[str], bool] | None = None,
    ) -> None:
        self.states = states
        """Words of `TransactionState`; none: all. A word that is no state is listed back."""
        self.producer_ids = producer_ids
        """None: all."""
        self.duration_ms = duration_ms
        """v1+: only transactions that are open for longer; negative: all."""
        self.matches = matches
        """v2+: whether a transactional id is one of those that were asked for; None: all are."""


TransactionRequest: TypeAlias = InitProducerId | AddPartitions | EndTransaction | DescribeTransaction | ListTransactions
