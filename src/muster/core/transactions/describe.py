"""DescribeTransactions and ListTransactions: what operators see. Changes nothing."""

from __future__ import annotations

from collections.abc import Callable

from muster.core.transactions.replies import DescribeTransactionReply, ListedTransaction, ListTransactionsReply
from muster.core.transactions.requests import DescribeTransaction, ListTransactions
from muster.core.transactions.states import TransactionState
from muster.core.transactions.transaction import Transaction
from muster.wire import errors

_STATE_WORDS = frozenset(state.value for state in TransactionState)


def describe_transaction(
    transactions: dict[str, Transaction], request: DescribeTransaction
) -> DescribeTransactionReply:
    transaction = transactions.get(request.transactional_id)
    if transaction is None or transaction.state is TransactionState.DEAD:
        return DescribeTransactionReply(errors.TRANSACTIONAL_ID_NOT_FOUND, request.transactional_id)
    stored = transaction.stored
    return DescribeTransactionReply(
        errors.NONE,
        stored.transactional_id,
        stored.state,
        stored.transaction_timeout_ms,
        stored.start_timestamp_ms,
        stored.producer_id,
        stored.producer_epoch,
        transaction.unmarked,
    )


def list_transactions(
    transactions: dict[str, Transaction], request: ListTransactions, now_ms: int
) -> ListTransactionsReply:
    passes = _filter(request, now_ms)
    return ListTransactionsReply(
        errors.NONE,
        tuple(word for word in request.states if word not in _STATE_WORDS),
        tuple(
            ListedTransaction(transactional_id, transaction.stored.producer_id, transaction.state)
            for transactional_id, transaction in transactions.items()
            if passes(transaction)
        ),
    )


def _filter(request: ListTransactions, now_ms: int) -> Callable[[Transaction], bool]:
    states, producer_ids = frozenset(request.states), frozenset(request.producer_ids)
    matches = request.matches

    def passes(transaction: Transaction) -> bool:
        stored = transaction.stored
        # An id without a transaction began at -1, so that it passes every filter by duration (spec 14.1).
        return (
            stored.state is not TransactionState.DEAD
            and (not producer_ids or stored.producer_id in producer_ids)
            and (not states or stored.state.value in states)
            and (request.duration_ms < 0 or now_ms - stored.start_timestamp_ms > request.duration_ms)
            and (matches is None or matches(stored.transactional_id))
        )

    return passes
