"""EndTxn, and the aborts that the coordinator decides by itself: the step to `Prepare*`, after which nothing can change the end.

Two kinds of producers (KIP-890). The old one keeps its epoch, and may repeat its request with it. The one at transaction version 2
gets a higher epoch with each end: the present epoch means the next transaction, the one before means a repetition.

    version 2      | abort, repeated   | abort           | commit, repeated  | commit
    Empty          | fenced            | epoch is raised | fenced            | INVALID_TXN_STATE
    CompleteAbort  | NONE              | epoch is raised | INVALID_TXN_STATE | INVALID_TXN_STATE
    CompleteCommit | INVALID_TXN_STATE | epoch is raised | NONE              | INVALID_TXN_STATE
"""

from __future__ import annotations

from muster.core.contract import Ticket
from muster.core.transactions.counters import EndedBy
from muster.core.transactions.outcome_builder import TransactionOutcomeBuilder
from muster.core.transactions.replies import EndTransactionReply
from muster.core.transactions.requests import EndTransaction
from muster.core.transactions.states import TransactionState
from muster.core.transactions.transaction import LAST_EPOCH_GIVEN, Transaction, continuation, is_exhausted
from muster.core.transactions.transitions import COMPLETE_ABORT, COMPLETE_COMMIT, NOTHING_OPEN, ONGOING
from muster.wire import errors
from muster.wire.batch_header import NO_PRODUCER_ID


def end_transaction(
    transactions: dict[str, Transaction], request: EndTransaction, ticket: Ticket, builder: TransactionOutcomeBuilder
) -> None:
    transaction = transactions.get(request.transactional_id)
    if transaction is None:
        builder.reply(ticket, EndTransactionReply(errors.INVALID_PRODUCER_ID_MAPPING))
    elif not request.raises_epoch:
        builder.reply(ticket, EndTransactionReply(_end(transaction, request, builder)))
    elif transaction.is_prepared:
        # Before the producer id is compared: the producer may have been told the next one, which is not in use yet (KIP-890).
        builder.reply(ticket, EndTransactionReply(errors.CONCURRENT_TRANSACTIONS))
    else:
        builder.reply(ticket, _end_with_raised_epoch(transaction, request, builder))


def abort_with_raised_epoch(transaction: Transaction, ended_by: EndedBy, builder: TransactionOutcomeBuilder) -> int:
    """The coordinator's own decision: another producer was initialised, or the transaction timed out. Gives an error code."""
    return _prepare_with_raised_epoch(transaction, ended_by, builder).error


def _end(transaction: Transaction, request: EndTransaction, builder: TransactionOutcomeBuilder) -> int:
    stored = transaction.stored
    if request.producer_id != stored.producer_id:
        return errors.INVALID_PRODUCER_ID_MAPPING
    if request.producer_epoch != stored.producer_epoch:
        return request.fenced_error
    if transaction.is_prepared:
        return errors.CONCURRENT_TRANSACTIONS
    if transaction.state is ONGOING:
        record = transaction.prepared(request.commit, builder.now_ms)
        builder.store(record, transaction.last_epoch, _asked_for(request))
        return errors.NONE
    return errors.NONE if transaction.state is _completed(request) else _wrong_state(transaction)


def _end_with_raised_epoch(
    transaction: Transaction, request: EndTransaction, builder: TransactionOutcomeBuilder
) -> EndTransactionReply:
    stored = transaction.stored
    is_current = request.producer_id == stored.producer_id and request.producer_epoch == stored.producer_epoch
    is_repeated = not is_current and _is_repeated(transaction, request)
    if request.producer_id != stored.producer_id and not _was_replaced(transaction, request):
        return EndTransactionReply(errors.INVALID_PRODUCER_ID_MAPPING)
    if not (is_current or (is_repeated and transaction.state in (COMPLETE_COMMIT, COMPLETE_ABORT))):
        return EndTransactionReply(request.fenced_error)
    if is_repeated:
        if transaction.state is _completed(request):
            return EndTransactionReply(errors.NONE, stored.producer_id, stored.producer_epoch)
        return EndTransactionReply(errors.INVALID_TXN_STATE)
    if transaction.state is ONGOING or (transaction.state in NOTHING_OPEN and not request.commit):
        # An abort of nothing: the producer does not know whether one of its requests has begun a transaction.
        return _prepare_with_raised_epoch(transaction, _asked_for(request), builder)
    return EndTransactionReply(_wrong_state(transaction))


def _is_repeated(transaction: Transaction, request: EndTransaction) -> bool:
    """The producer has not heard of its new epoch, or of its new producer id."""
    return _was_replaced(transaction, request) or (
        request.producer_id == transaction.stored.producer_id
        and request.producer_epoch + 1 == transaction.stored.producer_epoch
    )


def _was_replaced(transaction: Transaction, request: EndTransaction) -> bool:
    """The producer id of the request has had its last epoch, and the present one follows it."""
    stored = transaction.stored
    return (
        request.producer_id == stored.previous_producer_id
        and request.producer_epoch == LAST_EPOCH_GIVEN
        and stored.producer_epoch == 0
    )


def _prepare_with_raised_epoch(
    transaction: Transaction, ended_by: EndedBy, builder: TransactionOutcomeBuilder
) -> EndTransactionReply:
    stored = transaction.stored
    next_producer_id = builder.new_producer_id() if is_exhausted(stored.producer_epoch) else NO_PRODUCER_ID
    if next_producer_id is None:
        return EndTransactionReply(errors.COORDINATOR_LOAD_IN_PROGRESS)
    is_commit = ended_by is EndedBy.COMMIT
    record = transaction.prepared_with_raised_epoch(is_commit, next_producer_id, builder.now_ms)
    builder.store(record, stored.producer_epoch, ended_by)
    producer_id, epoch = continuation(record)
    return EndTransactionReply(errors.NONE, producer_id, epoch)


def _asked_for(request: EndTransaction) -> EndedBy:
    return EndedBy.COMMIT if request.commit else EndedBy.ABORT


def _completed(request: EndTransaction) -> TransactionState:
    """The state in which the request has been fulfilled."""
    return COMPLETE_COMMIT if request.commit else COMPLETE_ABORT


def _wrong_state(transaction: Transaction) -> int:
    """Dead and PrepareEpochFence are written by nobody, but a log may contain them."""
    return errors.INVALID_TXN_STATE if transaction.state in NOTHING_OPEN else errors.UNKNOWN_SERVER_ERROR
