"""The runner of a shard of transactions: what clients may ask of it, and the markers that it orders.

While a record of a transactional id is in flight, later events of that id wait; descriptions, lists and verifications do not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, cast

from muster.core.contract import Outcome
from muster.core.records import UnknownRecord
from muster.core.transactions.outcome import MarkerOrder, TransactionOutcome
from muster.core.transactions.records import TransactionRecord
from muster.core.transactions.refusal import after_failed_append, refused
from muster.core.transactions.replies import TransactionReply
from muster.core.transactions.requests import AddPartitions, DescribeTransaction, ListTransactions, TransactionRequest
from muster.core.transactions.shard import TransactionShard
from muster.core.transactions.topic_partitions import Topics
from muster.runtime.alarm import Alarm
from muster.runtime.clock import Clock
from muster.runtime.in_flight import InFlight
from muster.runtime.journal_writer import JournalWriter
from muster.runtime.runner import ShardRunner
from muster.runtime.tickets import Redeemable
from muster.runtime.transactions_log import TransactionsLog
from muster.wire.errors import NOT_COORDINATOR, UNKNOWN_SERVER_ERROR

_LOGGED_CHARS = 100

WriteMarkers: TypeAlias = "Callable[[MarkerOrder, Callable[[Topics], None]], None]"
"""Have these markers written, however long it takes; told of partitions as they get theirs."""


class TransactionRunner(ShardRunner):
    def __init__(
        self,
        shard: TransactionShard,
        log: TransactionsLog,
        clock: Clock,
        alarm: Alarm,
        journal: JournalWriter,
        commit_timeout_ms: int,
        on_failed: Callable[[ShardRunner], None],
        write_markers: WriteMarkers,
    ) -> None:
        super().__init__(shard, log, clock, alarm, journal, commit_timeout_ms, on_failed, refused)
        self.shard = shard
        self._write_markers = write_markers

    def submit(self, request: TransactionRequest, ticket: Redeemable) -> None:
        """A client asked."""
        if not _only_reads(request):
            assert not isinstance(request, ListTransactions)
            if request.transactional_id in self._queues.queues:
                later = self._put_off(request, ticket, lambda: self._handle(request, ticket))
                self._queues.wait(request.transactional_id, later)
                return
        self._handle(request, ticket)

    @property
    def is_closed(self) -> bool:
        """The shard was unloaded, or has failed. The node that loads it next orders its markers again."""
        return self._closed

    def _handle(self, request: TransactionRequest, ticket: Redeemable) -> None:
        if self._closed:
            ticket.redeem(refused(request, NOT_COORDINATOR))
            return
        now_ms = self._clock.now_ms()
        try:
            self._carry_out(self.shard.handle(request, ticket, now_ms), now_ms)
        except Exception:
            self._fail(f"while handling {_named(request)}")
            if not ticket.answered:
                ticket.redeem(refused(request, UNKNOWN_SERVER_ERROR))
            return
        if not ticket.answered:
            self._unanswered.keep(ticket, request)

    def _carry_out(self, outcome: Outcome, now_ms: int) -> None:
        super()._carry_out(outcome, now_ms)
        for order in cast(TransactionOutcome, outcome).markers:
            self._order(order)

    def _order(self, order: MarkerOrder) -> None:
        def written(topics: Topics) -> None:
            if not self._closed:
                self.interject(
                    order.transactional_id, lambda now_ms: self.shard.on_markers_written(order, topics, now_ms)
                )

        self._write_markers(order, written)

    # -- what its records mean

    def _replay(self, records: list[TransactionRecord], base_offset: int) -> None:  # type: ignore[override]
        for delta, record in enumerate(records):
            self.shard.replay(record, base_offset + delta)

    def _keys_of(self, records: list[TransactionRecord]) -> tuple[str, ...]:  # type: ignore[override]
        return tuple([record.transactional_id for record in records if not isinstance(record, UnknownRecord)])

    def _refuse_in_flight(self, in_flight: list[InFlight], error: int) -> None:
        for each in in_flight:
            for ticket, reply in each.outcome.replies:
                redeemable = cast(Redeemable, ticket)
                if not redeemable.answered:
                    redeemable.redeem(after_failed_append(cast(TransactionReply, reply), error))


def _only_reads(request: TransactionRequest) -> bool:
    if isinstance(request, AddPartitions):
        return request.verify_only
    return isinstance(request, DescribeTransaction) or isinstance(request, ListTransactions)  # noqa: SIM101 - a union is made anew


def _named(request: TransactionRequest) -> str:
    """A request for a log line: its kind and its transactional id, without everything else that a client may have sent."""
    if isinstance(request, ListTransactions):
        return "ListTransactions"
    return f"{type(request).__name__} of transactional id {request.transactional_id[:_LOGGED_CHARS]!r}"
