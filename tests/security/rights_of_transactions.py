"""The rights that the transaction APIs ask for. That of InitProducerId is among those of clusters, that of Produce among topics."""

from __future__ import annotations

from typing import Any, Final

from muster.security.resources import Operation
from muster.wire.errors import (
    CLUSTER_AUTHORIZATION_FAILED,
    GROUP_AUTHORIZATION_FAILED,
    TOPIC_AUTHORIZATION_FAILED,
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
)
from muster.wire.generated.add_offsets_to_txn import AddOffsetsToTxnRequest
from muster.wire.generated.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnRequestTopic,
    AddPartitionsToTxnRequestTransaction,
    AddPartitionsToTxnRequestTransactionTopic,
)
from muster.wire.generated.describe_transactions import DescribeTransactionsRequest
from muster.wire.generated.end_txn import EndTxnRequest
from muster.wire.generated.list_transactions import ListTransactionsRequest
from muster.wire.generated.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from muster.wire.generated.write_txn_markers import (
    WriteTxnMarkersRequest,
    WriteTxnMarkersRequestMarker,
    WriteTxnMarkersRequestTopic,
)
from tests.security.rights import CLUSTER, GROUP, LEFT_OUT, MINE, TOPIC, TRANSACTIONAL_ID, Right, shown, whole

_DENIED: Final = TRANSACTIONAL_ID_AUTHORIZATION_FAILED
READ, WRITE, DESCRIBE = Operation.READ, Operation.WRITE, Operation.DESCRIBE


def _added(names: tuple[str, ...]) -> AddPartitionsToTxnRequest:
    return AddPartitionsToTxnRequest(MINE, 1, 0, [AddPartitionsToTxnRequestTopic(name, [0]) for name in names])


def _added_batched(names: tuple[str, ...]) -> AddPartitionsToTxnRequest:
    topics = [AddPartitionsToTxnRequestTransactionTopic(name, [0]) for name in names]
    return AddPartitionsToTxnRequest(transactions=[AddPartitionsToTxnRequestTransaction(MINE, 1, 0, False, topics)])


def _added_codes(reply: Any) -> dict[str, int]:
    return {topic.name: topic.results_by_partition[0].partition_error_code for topic in reply.results_by_topic}


def _offsets(names: tuple[str, ...]) -> TxnOffsetCommitRequest:
    partitions = [TxnOffsetCommitRequestPartition(0, 1, -1, "")]
    topics = [TxnOffsetCommitRequestTopic(name, partitions) for name in names]
    return TxnOffsetCommitRequest(MINE, MINE, 1, 0, -1, "", None, topics)


def _offset_codes(reply: Any) -> dict[str, int]:
    return {topic.name: topic.partitions[0].error_code for topic in reply.topics}


def _markers(names: tuple[str, ...]) -> WriteTxnMarkersRequest:
    topics = [WriteTxnMarkersRequestTopic(name, [0]) for name in names]
    return WriteTxnMarkersRequest([WriteTxnMarkersRequestMarker(1, 0, False, topics, 0)])


def _marker_codes(reply: Any) -> dict[str, int]:
    return {topic.name: topic.partitions[0].error_code for each in reply.markers for topic in each.topics}


RIGHTS: Final = (
    Right(
        "AddPartitionsToTxn",
        (WRITE, TRANSACTIONAL_ID),
        _DENIED,
        3,
        _added,
        _added_codes,
        also=((WRITE, TOPIC),),
        about="up to version 3",
    ),
    Right(
        "AddPartitionsToTxn",
        (WRITE, TOPIC),
        TOPIC_AUTHORIZATION_FAILED,
        3,
        _added,
        _added_codes,
        also=((WRITE, TRANSACTIONAL_ID),),
        several=True,
        about="up to version 3",
    ),
    Right(
        "AddPartitionsToTxn",
        (Operation.CLUSTER_ACTION, CLUSTER),
        CLUSTER_AUTHORIZATION_FAILED,
        5,
        _added_batched,
        lambda reply: whole(reply.error_code),
        about="from version 4 on, which is for brokers",
    ),
    Right(
        "AddOffsetsToTxn",
        (WRITE, TRANSACTIONAL_ID),
        _DENIED,
        4,
        lambda names: AddOffsetsToTxnRequest(MINE, 1, 0, MINE),
        lambda reply: whole(reply.error_code),
        also=((READ, GROUP),),
    ),
    Right(
        "AddOffsetsToTxn",
        (READ, GROUP),
        GROUP_AUTHORIZATION_FAILED,
        4,
        lambda names: AddOffsetsToTxnRequest(MINE, 1, 0, MINE),
        lambda reply: whole(reply.error_code),
        also=((WRITE, TRANSACTIONAL_ID),),
    ),
    Right(
        "EndTxn",
        (WRITE, TRANSACTIONAL_ID),
        _DENIED,
        5,
        lambda names: EndTxnRequest(MINE, 1, 0, False),
        lambda reply: whole(reply.error_code),
    ),
    Right(
        "WriteTxnMarkers",
        (Operation.ALTER, CLUSTER),
        CLUSTER_AUTHORIZATION_FAILED,
        1,
        _markers,
        _marker_codes,
        instead=(Operation.CLUSTER_ACTION, CLUSTER),
    ),
    Right(
        "TxnOffsetCommit",
        (WRITE, TRANSACTIONAL_ID),
        _DENIED,
        5,
        _offsets,
        _offset_codes,
        also=((READ, GROUP), (READ, TOPIC)),
    ),
    Right(
        "TxnOffsetCommit",
        (READ, GROUP),
        GROUP_AUTHORIZATION_FAILED,
        5,
        _offsets,
        _offset_codes,
        also=((WRITE, TRANSACTIONAL_ID), (READ, TOPIC)),
    ),
    Right(
        "TxnOffsetCommit",
        (READ, TOPIC),
        TOPIC_AUTHORIZATION_FAILED,
        5,
        _offsets,
        _offset_codes,
        also=((WRITE, TRANSACTIONAL_ID), (READ, GROUP)),
        several=True,
    ),
    Right(
        "DescribeTransactions",
        (DESCRIBE, TRANSACTIONAL_ID),
        _DENIED,
        0,
        DescribeTransactionsRequest,
        lambda reply: {each.transactional_id: each.error_code for each in reply.transaction_states},
        several=True,
    ),
    Right(
        "ListTransactions",
        (DESCRIBE, TRANSACTIONAL_ID),
        LEFT_OUT,
        2,
        lambda names: ListTransactionsRequest(),
        lambda reply: shown({each.transactional_id: 0 for each in reply.transaction_states}),
        several=True,
    ),
)
