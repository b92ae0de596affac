"""DescribeProducers: which producers a partition knows, and which of them have a transaction open (KIP-664)."""

from __future__ import annotations

from muster.topics.produce import notice_lost_appends
from muster.topics.refusal import TopicError
from muster.topics.topic import Partition
from muster.wire.errors import NONE
from muster.wire.late_dataclass import dataclass


@dataclass(slots=True, frozen=True)
class ActiveProducer:
    """-1 stands for "there is none"."""

    producer_id: int
    epoch: int
    last_sequence: int
    last_timestamp_ms: int
    coordinator_epoch: int
    transaction_start_offset: int


def describe_producers(partition: Partition, now_ms: int, expiration_ms: int) -> list[ActiveProducer]:
    """By producer id. TopicError if another node leads the partition; StorageError passes through."""
    if partition.refusal != NONE:
        raise TopicError(partition.refusal, f"{partition} is led by another node, or offline")
    if not partition.topic.internal:
        notice_lost_appends(partition)
    ledger = partition.ledger(now_ms, expiration_ms)
    return [
        ActiveProducer(
            producer_id,
            entry.epoch,
            entry.last_sequence,
            entry.last_timestamp_ms,
            entry.coordinator_epoch,
            ledger.open_since(producer_id),
        )
        for producer_id, entry in sorted(ledger.entries())
    ]
