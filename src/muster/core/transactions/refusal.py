"""The answers that need no transaction: bad requests, shards that cannot answer, and what a failed append means to a client.

Called by the runtime before it asks a shard, and by the shard when a record is lost.
"""

from __future__ import annotations

from typing import assert_never

from muster.core.transactions.config import TransactionConfig
from muster.core.transactions.replies import (
    AddPartitionsReply,
    DescribeTransactionReply,
    EndTransactionReply,
    InitProducerIdReply,
    ListTransactionsReply,
    TransactionReply,
)
from muster.core.transactions.requests import (
    NO_PRODUCER_EPOCH,
    AddPartitions,
    DescribeTransaction,
    EndTransaction,
    InitProducerId,
    ListTransactions,
    TransactionRequest,
)
from muster.wire import errors
from muster.wire.batch_header import NO_PRODUCER_ID

_UNAVAILABLE = frozenset(
    {
        errors.UNKNOWN_TOPIC_OR_PARTITION,
        errors.NOT_ENOUGH_REPLICAS,
        errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        errors.REQUEST_TIMED_OUT,
    }
)
_MOVED = frozenset({errors.NOT_LEADER_OR_FOLLOWER, errors.KAFKA_STORAGE_ERROR})
_OVERSIZE = frozenset({errors.MESSAGE_TOO_LARGE, errors.RECORD_LIST_TOO_LARGE})


def invalid_before_routing(request: TransactionRequest, config: TransactionConfig) -> TransactionReply | None:
    """The answer to a request that is wrong in itself. Checked before loading and ownership of the transactional id (spec 14.1)."""
    if isinstance(request, ListTransactions):
        return None
    if not request.transactional_id:
        return refused(request, errors.INVALID_REQUEST)
    if isinstance(request, InitProducerId):
        if (request.producer_id == NO_PRODUCER_ID) != (request.producer_epoch == NO_PRODUCER_EPOCH):
            return refused(request, errors.INVALID_REQUEST)
        if not 0 < request.timeout_ms <= config.max_timeout_ms:
            return refused(request, errors.INVALID_TRANSACTION_TIMEOUT)
    return None


def refused(request: TransactionRequest, error: int) -> TransactionReply:
    """The answer of each API when the coordinator as a whole, or the transactional id's shard, cannot answer."""
    match request:
        case InitProducerId():
            return InitProducerIdReply(error)
        case AddPartitions():
            return AddPartitionsReply(error)
        case EndTransaction():
            return EndTransactionReply(error)
        case DescribeTransaction():
            return DescribeTransactionReply(error, request.transactional_id)
        case ListTransactions():
            # Transactions of a shard that has moved to another node are listed by that node.
            return ListTransactionsReply(errors.NONE if error == errors.NOT_COORDINATOR else error)
        case _:
            assert_never(request)


def mapped_append_error(error: int) -> int:
    """What the client hears when the log said `error`."""
    if error in _UNAVAILABLE:
        return errors.COORDINATOR_NOT_AVAILABLE
    if error in _MOVED:
        return errors.NOT_COORDINATOR
    if error in _OVERSIZE:
        return errors.UNKNOWN_SERVER_ERROR
    return error


def after_failed_append(reply: TransactionReply, error: int) -> TransactionReply:
    """What a reply that waited for a record becomes when the log said `error`."""
    code = mapped_append_error(error)
    match reply:
        case InitProducerIdReply():
            return InitProducerIdReply(code)
        case AddPartitionsReply():
            return AddPartitionsReply(code)
        case EndTransactionReply():
            return EndTransactionReply(code)
        case DescribeTransactionReply() | ListTransactionsReply():
            raise AssertionError(f"{reply!r} waits for no record")
        case _:
            assert_never(reply)
