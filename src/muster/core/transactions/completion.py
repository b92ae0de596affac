"""What follows once a record of a transaction is durable: its timeout, its markers, and its completion when they are written."""

from __future__ import annotations

from muster.core.transactions.config import COMPLETION_RETRY_MS
from muster.core.transactions.counters import EndedBy
from muster.core.transactions.end_transaction import abort_with_raised_epoch
from muster.core.transactions.outcome import MarkerOrder
from muster.core.transactions.outcome_builder import TransactionOutcomeBuilder, transaction_timer
from muster.core.transactions.records import TransactionStored
from muster.core.transactions.topic_partitions import Topics, without
from muster.core.transactions.transaction import Transaction
from muster.core.transactions.transitions import NOTHING_OPEN, ONGOING, PREPARE_COMMIT, PREPARED
from muster.wire import errors


def proceed(transaction: Transaction, builder: TransactionOutcomeBuilder) -> None:
    """The record that says where the transaction is has become durable."""
    if transaction.state is ONGOING:
        builder.set_timer(_timer(transaction), transaction.deadline_ms)
    elif transaction.is_prepared:
        builder.cancel_timer(_timer(transaction))
        if transaction.unmarked:
            builder.order(_order(transaction))
        else:
            _complete(transaction, builder)


def resume(transaction: Transaction, builder: TransactionOutcomeBuilder) -> None:
    """The record was loaded: start again what the coordinator before this one had started."""
    if transaction.is_prepared and not transaction.unmarked:
        # A decision of its own, in a moment: one outcome stores the record of one transactional id.
        builder.set_timer(_timer(transaction), builder.now_ms)
    else:
        proceed(transaction, builder)


def markers_written(
    transaction: Transaction, marker: MarkerOrder, topics: Topics, builder: TransactionOutcomeBuilder
) -> None:
    """Markers were written. A report about an earlier transaction comes too late and is ignored."""
    stored = transaction.stored
    if (
        not transaction.is_prepared
        or (marker.producer_id, marker.producer_epoch) != (stored.producer_id, stored.producer_epoch)
        or marker.commit is not (transaction.state is PREPARE_COMMIT)
    ):
        return
    transaction.unmarked = without(transaction.unmarked, topics)
    if not transaction.unmarked:
        _complete(transaction, builder)


def on_transaction_timer(transaction: Transaction, builder: TransactionOutcomeBuilder) -> None:
    """The transaction has been open for too long; or the record that completes it could not be stored, and is tried again."""
    if transaction.state is ONGOING:
        if builder.now_ms < transaction.deadline_ms:
            builder.set_timer(_timer(transaction), transaction.deadline_ms)
        elif abort_with_raised_epoch(transaction, EndedBy.TIMEOUT, builder) != errors.NONE:
            _try_again(transaction, builder)
    elif transaction.is_prepared and not transaction.unmarked:
        _complete(transaction, builder)


def record_lost(transaction: Transaction, record: TransactionStored, builder: TransactionOutcomeBuilder) -> None:
    """An append failed. Clients retry their requests; a decision of the coordinator itself is retried by a timer."""
    if record.state in PREPARED and transaction.state is ONGOING:
        _try_again(transaction, builder)
    elif record.state in NOTHING_OPEN and transaction.is_prepared:
        builder.set_timer(_timer(transaction), builder.now_ms + COMPLETION_RETRY_MS)


def _try_again(transaction: Transaction, builder: TransactionOutcomeBuilder) -> None:
    again_ms = builder.now_ms + builder.config.abort_timed_out_interval_ms
    builder.set_timer(_timer(transaction), max(transaction.deadline_ms, again_ms))


def _order(transaction: Transaction) -> MarkerOrder:
    stored = transaction.stored
    return MarkerOrder(
        stored.transactional_id,
        stored.producer_id,
        stored.producer_epoch,
        stored.state is PREPARE_COMMIT,
        transaction.unmarked,
        stored.client_transaction_version,
    )


def _complete(transaction: Transaction, builder: TransactionOutcomeBuilder) -> None:
    builder.store(transaction.completed(builder.now_ms), transaction.last_epoch)


def _timer(transaction: Transaction) -> tuple[str, ...]:
    return transaction_timer(transaction.stored.transactional_id)
