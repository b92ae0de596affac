"""The state machine of one partition of `__transaction_state`: routes requests, timers, records and markers to the decisions.

Holds the transactional ids of the partition. What is durable about them changes in `replay` only (law 2). Knows nothing of logs,
sockets or clocks; the runtime calls it, one call at a time, and carries the outcomes out as `muster.core.contract` says. While a
record of a transactional id is in flight, later events of that id wait in the runtime.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never, cast

from muster.core.contract import Outcome, StateMachine, Ticket, TimerKey
from muster.core.records import UnknownRecord
from muster.core.transactions.add_partitions import add_partitions
from muster.core.transactions.completion import markers_written, on_transaction_timer, proceed, record_lost, resume
from muster.core.transactions.config import TransactionConfig
from muster.core.transactions.counters import TransactionCounters
from muster.core.transactions.describe import describe_transaction, list_transactions
from muster.core.transactions.end_transaction import end_transaction
from muster.core.transactions.expiry import EXPIRE_TIMER, expire_transactional_ids
from muster.core.transactions.init_producer import init_producer_id
from muster.core.transactions.outcome import MarkerOrder, StoreTransaction, TransactionOutcome, TransactionTicketReply
from muster.core.transactions.outcome_builder import NewProducerId, TransactionOutcomeBuilder, transaction_timer
from muster.core.transactions.records import TransactionErased, TransactionRecord, TransactionStored
from muster.core.transactions.refusal import after_failed_append
from muster.core.transactions.requests import (
    AddPartitions,
    DescribeTransaction,
    EndTransaction,
    InitProducerId,
    ListTransactions,
    TransactionRequest,
)
from muster.core.transactions.topic_partitions import Topics
from muster.core.transactions.transaction import Transaction
from muster.core.transactions.transitions import NOTHING_OPEN
from muster.wire.errors import REQUEST_TIMED_OUT

_NOTHING = TransactionOutcome()


class TransactionShard(StateMachine):
    """Requests that `refusal.invalid_before_routing` turns away must not come here: it is asked before the routing."""

    def __init__(self, config: TransactionConfig, new_producer_id: NewProducerId) -> None:
        self.config = config
        self.new_producer_id = new_producer_id
        self.transactions: dict[str, Transaction] = {}
        self.unknown_records = 0
        self.counters = TransactionCounters()
        self._in_flight: set[str] = set()
        """Transactional ids with a record on its way to the log. Never iterated (law 7)."""

    # -- a client asked

    def handle(self, request: TransactionRequest, ticket: Ticket, now_ms: int) -> TransactionOutcome:
        match request:
            case DescribeTransaction():
                return TransactionOutcome(replies=[(ticket, describe_transaction(self.transactions, request))])
            case ListTransactions():
                return TransactionOutcome(replies=[(ticket, list_transactions(self.transactions, request, now_ms))])
        builder = self._builder(now_ms)
        match request:
            case InitProducerId():
                init_producer_id(self.transactions, request, ticket, builder)
            case AddPartitions():
                add_partitions(self.transactions, request, ticket, builder)
            case EndTransaction():
                end_transaction(self.transactions, request, ticket, builder)
            case _:
                assert_never(request)
        return self._outcome(builder)

    # -- a deadline passed, markers were written

    def on_timer(self, key: TimerKey, now_ms: int) -> TransactionOutcome:
        builder = self._builder(now_ms)
        if key == EXPIRE_TIMER:
            expire_transactional_ids(self.transactions, self._in_flight, builder)
        else:
            kind, transactional_id = key
            assert kind == "transaction", f"nobody set a timer {key!r}"
            transaction = self.transactions.get(transactional_id)
            if transaction is not None:
                on_transaction_timer(transaction, builder)
        return self._outcome(builder)

    def on_markers_written(self, marker: MarkerOrder, topics: Topics, now_ms: int) -> TransactionOutcome:
        """These partitions, some or all of those of the order, have their markers; or they are gone, and need none."""
        transaction = self.transactions.get(marker.transactional_id)
        if transaction is None:
            return _NOTHING
        builder = self._builder(now_ms)
        markers_written(transaction, marker, topics, builder)
        return self._outcome(builder)

    # -- ownership

    def on_loaded(self, now_ms: int) -> TransactionOutcome:
        """Every record has been replayed: the timeouts of open transactions go on, decided ones ask for their markers again."""
        builder = self._builder(now_ms)
        for transaction in self.transactions.values():
            resume(transaction, builder)
        builder.set_timer(EXPIRE_TIMER, now_ms + self.config.remove_expired_interval_ms)
        return self._outcome(builder)

    def on_unload(self, now_ms: int) -> TransactionOutcome:
        """Nobody is parked here: requests whose record is in flight are answered by the runtime."""
        builder = self._builder(now_ms)
        for transactional_id, transaction in self.transactions.items():
            if transaction.state not in NOTHING_OPEN:
                builder.cancel_timer(transaction_timer(transactional_id))
        builder.cancel_timer(EXPIRE_TIMER)
        return self._outcome(builder)

    # -- records

    def replay(self, record: TransactionRecord, log_offset: int) -> None:
        """Apply a durable record to the facts, the same way while loading and while serving."""
        match record:
            case TransactionStored():
                self._in_flight.discard(record.transactional_id)
                transaction = self.transactions.get(record.transactional_id)
                if transaction is None:
                    self.transactions[record.transactional_id] = Transaction(record)
                else:
                    transaction.replay(record)
            case TransactionErased():
                self._in_flight.discard(record.transactional_id)
                self.transactions.pop(record.transactional_id, None)
            case UnknownRecord():
                self.unknown_records += 1
            case _:
                assert_never(record)

    def on_durable(self, step: object, now_ms: int) -> TransactionOutcome:
        assert isinstance(step, StoreTransaction), f"a transaction shard leaves no {step!r} behind"
        transaction = self.transactions[step.transactional_id]
        transaction.last_epoch = step.last_epoch
        if step.ended_by is not None:
            self.counters.count(step.ended_by)
        builder = self._builder(now_ms)
        proceed(transaction, builder)
        return self._outcome(builder)

    def on_append_failed(self, outcome: Outcome, error_code: int, now_ms: int) -> TransactionOutcome:
        """The facts never changed. Waiting requests get the mapped error; what no request waits for is tried again."""
        builder = self._builder(now_ms)
        for record in cast("Iterable[TransactionRecord]", outcome.records):
            assert not isinstance(record, UnknownRecord)
            self._in_flight.discard(record.transactional_id)
            transaction = self.transactions.get(record.transactional_id)
            if transaction is not None and isinstance(record, TransactionStored):
                record_lost(transaction, record, builder)
        self._refuse(outcome, error_code, builder)
        return self._outcome(builder)

    def on_append_overdue(self, outcome: Outcome, now_ms: int) -> TransactionOutcome:
        """Storage is slow: waiting requests are told so. The record may still become durable, and then it counts."""
        builder = self._builder(now_ms)
        self._refuse(outcome, REQUEST_TIMED_OUT, builder)
        return self._outcome(builder)

    def _refuse(self, outcome: Outcome, error_code: int, builder: TransactionOutcomeBuilder) -> None:
        for ticket, reply in cast("Iterable[TransactionTicketReply]", outcome.replies):
            builder.reply(ticket, after_failed_append(reply, error_code))

    def _builder(self, now_ms: int) -> TransactionOutcomeBuilder:
        return TransactionOutcomeBuilder(self.config, self.new_producer_id, now_ms)

    def _outcome(self, builder: TransactionOutcomeBuilder) -> TransactionOutcome:
        records = builder.records
        if isinstance(records, list):
            for record in records:
                assert not isinstance(record, UnknownRecord)
                assert record.transactional_id not in self._in_flight, f"{record!r} did not wait for the one before"
                self._in_flight.add(record.transactional_id)
        return builder.outcome()

    def __repr__(self) -> str:
        return f"<TransactionShard: {len(self.transactions)} transactional ids>"
