"""InitProducerId of a transactional id: who gets which producer id and epoch, and who is fenced by that (KIP-98, KIP-360).

A new producer gets a higher epoch than all producers before it, which fences them. A producer that names its id and epoch wants to
go on after an error: its epoch is raised, or, if that was done already and only the answer was lost, it is sent once more. An
open transaction is aborted first, and the producer has to ask again.
"""

from __future__ import annotations

from muster.core.contract import Ticket
from muster.core.transactions.counters import EndedBy
from muster.core.transactions.end_transaction import abort_with_raised_epoch
from muster.core.transactions.outcome_builder import TransactionOutcomeBuilder
from muster.core.transactions.replies import InitProducerIdReply
from muster.core.transactions.requests import NO_PRODUCER_EPOCH, InitProducerId
from muster.core.transactions.transaction import Transaction, first_record, is_exhausted
from muster.core.transactions.transitions import NOTHING_OPEN, ONGOING
from muster.wire import errors
from muster.wire.batch_header import NO_PRODUCER_ID


def init_producer_id(
    transactions: dict[str, Transaction], request: InitProducerId, ticket: Ticket, builder: TransactionOutcomeBuilder
) -> None:
    """The timeout has been checked, before the routing."""
    transaction = transactions.get(request.transactional_id)
    if transaction is None:
        _new_transactional_id(request, ticket, builder)
    elif transaction.is_prepared:
        builder.reply(ticket, InitProducerIdReply(errors.CONCURRENT_TRANSACTIONS))
    elif not _may_name(transaction, request):
        builder.reply(ticket, InitProducerIdReply(request.fenced_error))
    elif transaction.state is ONGOING:
        error = abort_with_raised_epoch(transaction, EndedBy.FENCE, builder)
        builder.reply(ticket, InitProducerIdReply(errors.CONCURRENT_TRANSACTIONS if error == errors.NONE else error))
    elif transaction.state in NOTHING_OPEN:
        _next_epoch(transaction, request, ticket, builder)
    else:
        # Dead or PrepareEpochFence: nobody writes that, but a log may contain it.
        builder.reply(ticket, InitProducerIdReply(errors.UNKNOWN_SERVER_ERROR))


def _new_transactional_id(request: InitProducerId, ticket: Ticket, builder: TransactionOutcomeBuilder) -> None:
    """The producer id and epoch that the producer names are ignored: the transactional id may have expired (spec 14.1)."""
    producer_id = builder.new_producer_id()
    if producer_id is None:
        builder.reply(ticket, InitProducerIdReply(errors.COORDINATOR_LOAD_IN_PROGRESS))
        return
    builder.store(
        first_record(request.transactional_id, producer_id, request.timeout_ms, builder.now_ms), NO_PRODUCER_EPOCH
    )
    builder.reply(ticket, InitProducerIdReply(errors.NONE, producer_id, 0))


def _may_name(transaction: Transaction, request: InitProducerId) -> bool:
    """The producer id before the present one is accepted if it was given up because its epochs were exhausted."""
    stored = transaction.stored
    return request.producer_id in (NO_PRODUCER_ID, stored.producer_id) or (
        request.producer_id == stored.previous_producer_id and is_exhausted(request.producer_epoch)
    )


def _next_epoch(
    transaction: Transaction, request: InitProducerId, ticket: Ticket, builder: TransactionOutcomeBuilder
) -> None:
    stored = transaction.stored
    names_nothing = request.producer_id == NO_PRODUCER_ID
    goes_on = not names_nothing and request.producer_epoch == stored.producer_epoch
    producer_id: int | None = stored.producer_id
    if names_nothing or goes_on:
        # Only the same producer may repeat its request with the epoch that it had before this one.
        last_epoch = stored.producer_epoch if goes_on else NO_PRODUCER_EPOCH
        epoch = stored.producer_epoch + 1
        if is_exhausted(stored.producer_epoch):
            producer_id, epoch = builder.new_producer_id(), 0
    elif request.producer_epoch == transaction.last_epoch:
        # Deviates: 4.3.1 answers UNKNOWN_SERVER_ERROR to this repetition if the present epoch is the last one.
        last_epoch, epoch = transaction.last_epoch, stored.producer_epoch
    else:
        builder.reply(ticket, InitProducerIdReply(request.fenced_error))
        return
    if producer_id is None:
        builder.reply(ticket, InitProducerIdReply(errors.COORDINATOR_LOAD_IN_PROGRESS))
        return
    builder.store(transaction.empty(producer_id, epoch, request.timeout_ms, builder.now_ms), last_epoch)
    builder.reply(ticket, InitProducerIdReply(errors.NONE, producer_id, epoch))
