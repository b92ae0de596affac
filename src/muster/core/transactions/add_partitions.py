"""AddPartitionsToTxn, AddOffsetsToTxn and what Produce adds by itself: partitions join the transaction, the first ones begin it.

The same with `verify_only` asks whether they are in it, and changes nothing.
"""

from __future__ import annotations

from muster.core.contract import Ticket
from muster.core.transactions.outcome_builder import TransactionOutcomeBuilder
from muster.core.transactions.replies import AddPartitionsReply
from muster.core.transactions.requests import AddPartitions
from muster.core.transactions.topic_partitions import contains_all, pairs
from muster.core.transactions.transaction import Transaction
from muster.core.transactions.transitions import NOTHING_OPEN, ONGOING
from muster.wire import errors


def add_partitions(
    transactions: dict[str, Transaction], request: AddPartitions, ticket: Ticket, builder: TransactionOutcomeBuilder
) -> None:
    transaction = transactions.get(request.transactional_id)
    if transaction is None:
        builder.reply(ticket, AddPartitionsReply(errors.INVALID_PRODUCER_ID_MAPPING))
    elif request.verify_only:
        builder.reply(ticket, _verified(transaction, request))
    else:
        _add(transaction, request, ticket, builder)


def _add(transaction: Transaction, request: AddPartitions, ticket: Ticket, builder: TransactionOutcomeBuilder) -> None:
    error = _refusal(transaction, request)
    already_in = transaction.state is ONGOING and contains_all(transaction.stored.topics, request.topics)
    if error == errors.NONE and not already_in:
        record = transaction.ongoing(request.topics, request.raises_epoch, builder.now_ms)
        builder.store(record, transaction.last_epoch)
    builder.reply(ticket, AddPartitionsReply(error))


def _refusal(transaction: Transaction, request: AddPartitions) -> int:
    if transaction.is_prepared:
        # Before the producer id is compared: the producer may have been told the next one, which is not in use yet (KIP-890).
        return errors.CONCURRENT_TRANSACTIONS
    if request.producer_id != transaction.stored.producer_id:
        return errors.INVALID_PRODUCER_ID_MAPPING
    if request.producer_epoch != transaction.stored.producer_epoch:
        return request.fenced_error
    if transaction.state is ONGOING or transaction.state in NOTHING_OPEN:
        return errors.NONE
    return errors.UNKNOWN_SERVER_ERROR  # Dead or PrepareEpochFence: nobody writes that, but a log may contain it


def _verified(transaction: Transaction, request: AddPartitions) -> AddPartitionsReply:
    """Without regard to records in flight: the partition itself has the last word when the batch is appended."""
    if request.producer_id != transaction.stored.producer_id:
        return AddPartitionsReply(errors.INVALID_PRODUCER_ID_MAPPING)
    if request.producer_epoch != transaction.stored.producer_epoch:
        return AddPartitionsReply(request.fenced_error)
    if transaction.is_prepared:
        return AddPartitionsReply(errors.CONCURRENT_TRANSACTIONS)
    present = frozenset(pairs(transaction.stored.topics))
    return AddPartitionsReply(
        errors.NONE,
        tuple(errors.NONE if pair in present else errors.TRANSACTION_ABORTABLE for pair in pairs(request.topics)),
    )
