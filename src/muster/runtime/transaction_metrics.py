"""What the coordinator of transactions can say about itself in numbers, gathered when somebody asks and at no other time."""

from __future__ import annotations

from collections.abc import Iterator

from muster.core.transactions.counters import EndedBy
from muster.core.transactions.states import TransactionState
from muster.core.transactions.transitions import NOTHING_OPEN
from muster.runtime.marker_writer import MarkerWriter
from muster.runtime.metrics import SAMPLES_A_PIECE, Metric, labelled, plain
from muster.runtime.transaction_coordinator import TransactionCoordinator


def transaction_metrics(coordinator: TransactionCoordinator, now_ms: int) -> Iterator[Metric | None]:
    """None between metrics: others may be served, and may change what is counted."""
    shards = coordinator.shards()
    states = dict.fromkeys(TransactionState, 0)
    oldest_ms = 0
    transactions = [transaction for shard in shards for transaction in shard.transactions.values()]
    for number, transaction in enumerate(transactions, start=1):
        states[transaction.state] += 1
        if transaction.state not in NOTHING_OPEN:
            oldest_ms = max(oldest_ms, now_ms - transaction.stored.start_timestamp_ms)
        if not number % SAMPLES_A_PIECE:
            yield None
    by_state = {state.value: count for state, count in states.items()}
    yield labelled("transactional_ids", "gauge", "Transactional ids by state.", by_state, label="state")
    open_count = sum(count for state, count in states.items() if state not in NOTHING_OPEN)
    yield plain("open_transactions", "gauge", "Transactions that have begun and are not complete.", open_count)
    yield plain("oldest_transaction_ms", "gauge", "How long the oldest of these is open.", oldest_ms)
    ended = {by.value: sum(shard.counters.ended(by) for shard in shards) for by in EndedBy}
    yield labelled("transactions_ended_total", "counter", "Ended transactions, by who ended them.", ended, label="by")


def marker_metrics(writer: MarkerWriter) -> Iterator[Metric]:
    """Markers that end transactions: readers of committed records wait for them."""
    waiting = "Markers of ended transactions that are not written yet."
    yield plain("transaction_markers_waiting", "gauge", waiting, writer.waiting)
    age = "How long the oldest marker that is not written yet has waited."
    yield plain("transaction_markers_oldest_ms", "gauge", age, writer.oldest_ms)
