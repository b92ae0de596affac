"""The requests of a transactional producer, and the codes in their answers. Knows no order in which they are sent."""

from __future__ import annotations

from typing import Any

from muster.sim.transactions.history import OUTPUT
from muster.wire.batch import Record, encode_batch
from muster.wire.errors import (
    CONCURRENT_TRANSACTIONS,
    COORDINATOR_LOAD_IN_PROGRESS,
    COORDINATOR_NOT_AVAILABLE,
    INVALID_PRODUCER_EPOCH,
    INVALID_PRODUCER_ID_MAPPING,
    KAFKA_STORAGE_ERROR,
    NONE,
    NOT_COORDINATOR,
    NOT_ENOUGH_REPLICAS,
    NOT_LEADER_OR_FOLLOWER,
    PRODUCER_FENCED,
    REQUEST_TIMED_OUT,
    UNKNOWN_TOPIC_OR_PARTITION,
    UNSTABLE_OFFSET_COMMIT,
)
from muster.wire.generated.add_partitions_to_txn import AddPartitionsToTxnRequest, AddPartitionsToTxnRequestTopic
from muster.wire.generated.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestGroupTopic,
)
from muster.wire.generated.produce import ProduceRequest, ProduceRequestPartition, ProduceRequestTopic
from muster.wire.generated.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)

OLD_PROTOCOL = {
    "FindCoordinator": 4,
    "InitProducerId": 4,
    "AddPartitionsToTxn": 3,
    "AddOffsetsToTxn": 3,
    "Produce": 11,
    "TxnOffsetCommit": 3,
    "EndTxn": 3,
    "OffsetFetch": 9,
}
"""Partitions and groups are added by requests of their own, and the epoch stays."""
NEW_PROTOCOL = OLD_PROTOCOL | {"InitProducerId": 5, "Produce": 12, "TxnOffsetCommit": 5, "EndTxn": 5}
"""KIP-890: partitions and groups join by themselves, and each end of a transaction raises the epoch."""
INPUT = "work"
"""The topic whose offsets are committed. Nothing is read from it: inputs are numbers."""
TRY_AGAIN = (
    CONCURRENT_TRANSACTIONS,
    COORDINATOR_LOAD_IN_PROGRESS,
    COORDINATOR_NOT_AVAILABLE,
    NOT_COORDINATOR,
    NOT_ENOUGH_REPLICAS,
    NOT_LEADER_OR_FOLLOWER,
    KAFKA_STORAGE_ERROR,
    REQUEST_TIMED_OUT,
    UNKNOWN_TOPIC_OR_PARTITION,
    UNSTABLE_OFFSET_COMMIT,
)
FENCED = (INVALID_PRODUCER_EPOCH, INVALID_PRODUCER_ID_MAPPING, PRODUCER_FENCED)


def group_of(transactional_id: str) -> str:
    """The group whose offsets a producer commits."""
    return f"pipe-{transactional_id}"


def add_partitions(transactional_id: str, producer: tuple[int, int], partitions: list[int]) -> Any:
    topics = [AddPartitionsToTxnRequestTopic(OUTPUT, partitions)]
    return AddPartitionsToTxnRequest(transactional_id, *producer, topics)


def produce(transactional_id: str, batches: dict[int, bytes]) -> Any:
    partitions = [ProduceRequestPartition(index, batch) for index, batch in batches.items()]
    return ProduceRequest(transactional_id, -1, 5_000, [ProduceRequestTopic(OUTPUT, partition_data=partitions)])


def batch_of(producer: tuple[int, int], sequence: int, attempt: int, number: int, now_ms: int) -> bytes:
    producer_id, epoch = producer
    return encode_batch(
        [Record(0, now_ms, b"%d" % number, b"%d" % attempt)],
        producer_id=producer_id,
        producer_epoch=epoch,
        base_sequence=sequence,
        transactional=True,
    )


def commit_offset(transactional_id: str, producer: tuple[int, int], offset: int) -> Any:
    partition = TxnOffsetCommitRequestPartition(0, offset, -1, "")
    return TxnOffsetCommitRequest(
        transactional_id,
        group_of(transactional_id),
        *producer,
        topics=[TxnOffsetCommitRequestTopic(INPUT, [partition])],
    )


def fetch_offset(transactional_id: str, *, require_stable: bool) -> Any:
    topic = OffsetFetchRequestGroupTopic(INPUT, partition_indexes=[0])
    groups = [OffsetFetchRequestGroup(group_of(transactional_id), topics=[topic])]
    return OffsetFetchRequest(groups=groups, require_stable=require_stable)


def fetched_offset(response: Any) -> tuple[int, int]:
    """Error code and offset."""
    group = response.groups[0]
    if group.error_code != NONE:
        return group.error_code, -1
    partition = group.topics[0].partitions[0]
    return partition.error_code, partition.committed_offset


def worst_error(codes: list[int]) -> int:
    """One error for all partitions of an answer: one that ends the work before one that asks to try again."""
    bad = [code for code in codes if code != NONE]
    return next((code for code in bad if code not in TRY_AGAIN), bad[0] if bad else NONE)
