"""The coordinator of transactions: finds the shard that answers for a transactional id, and whether it may answer yet.

A transactional id's shard is the one of its `__transaction_state` partition, found like a group's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast

from mypy_extensions import mypyc_attr

from muster.core.transactions.config import TransactionConfig
from muster.core.transactions.outcome import MarkerOrder
from muster.core.transactions.refusal import invalid_before_routing, refused
from muster.core.transactions.requests import ListTransactions, TransactionRequest
from muster.core.transactions.shard import TransactionShard
from muster.core.transactions.topic_partitions import Topics
from muster.log.contract import PartitionLog
from muster.runtime.alarm import Alarm
from muster.runtime.clock import Clock
from muster.runtime.coordinator_shards import CoordinatorShards, LedPartition, ShardState
from muster.runtime.group_commit import GroupCommit
from muster.runtime.journal_writer import JournalWriter
from muster.runtime.loader import Load
from muster.runtime.marker_writer import MarkerWriter
from muster.runtime.tickets import Redeemable
from muster.runtime.transaction_runner import TransactionRunner
from muster.runtime.transactions_load import TransactionsLoad
from muster.runtime.transactions_log import TransactionsLog
from muster.wire.errors import COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR

_LOAD_BUFFER_BYTES: Final = 5_242_880
"""Kafka's default of `transaction.state.log.load.buffer.size`."""
_WRITE_TIMEOUT_MS: Final = 5_000
"""As long as a commit of offsets may take."""


@mypyc_attr(allow_interpreted_subclasses=True)
class TransactionCoordinator(CoordinatorShards[TransactionRunner]):
    def __init__(
        self,
        config: TransactionConfig,
        clock: Clock,
        alarm: Alarm,
        commit: GroupCommit,
        journal: JournalWriter,
        new_producer_id: Callable[[], int | None],
        open_log: Callable[[int], tuple[PartitionLog, int]],
        call_soon: Callable[[Callable[[], None]], object],
        marker_writer: MarkerWriter,
    ) -> None:
        super().__init__(clock, alarm, commit, open_log, call_soon)
        self._config = config
        self._journal = journal
        self._new_producer_id = new_producer_id
        self.marker_writer = marker_writer

    def submit(self, request: TransactionRequest, ticket: Redeemable) -> None:
        """Route a request that names a transactional id. The checks go in the order of those of groups (spec 1.5)."""
        assert not isinstance(request, ListTransactions), "asked of every shard: list_transactions"
        if not self.active:
            ticket.redeem(refused(request, COORDINATOR_NOT_AVAILABLE))
            return
        if self.may_speak is not None and not self.may_speak():
            ticket.redeem(refused(request, NOT_COORDINATOR))
            return
        invalid = invalid_before_routing(request, self._config)
        if invalid is not None:
            ticket.redeem(invalid)
            return
        place = self.places.get(self.partition_of(request.transactional_id))
        if place is None or place.runner is None or place.state is not ShardState.ACTIVE:
            ticket.redeem(refused(request, self._why_not(place)))
            return
        place.runner.submit(request, ticket)

    def list_transactions(self, request: ListTransactions, ticket_for: Callable[[], Redeemable]) -> int:
        """Ask every active shard, each with a ticket of its own; returns an error if none could be asked."""
        if not self.active:
            return COORDINATOR_NOT_AVAILABLE
        if any(place.state is ShardState.LOADING for place in self.places.values()):
            return COORDINATOR_LOAD_IN_PROGRESS
        for place in self.places.values():
            if place.state is ShardState.ACTIVE and place.runner is not None:
                place.runner.submit(request, ticket_for())
        return 0

    def is_known(self, transactional_id: str) -> bool:
        """Whether there is such a transactional id on this node."""
        place = self.places.get(self.partition_of(transactional_id)) if self.partition_count else None
        return place is not None and place.runner is not None and transactional_id in place.runner.shard.transactions

    def shards(self) -> list[TransactionShard]:
        """The active ones, for metrics."""
        return [
            place.runner.shard
            for place in self.places.values()
            if place.runner is not None and place.state is ShardState.ACTIVE
        ]

    # -- loading

    def _new_load(self, log: PartitionLog) -> Load:
        return TransactionsLoad(TransactionShard(self._config, self._new_producer_id), log, _LOAD_BUFFER_BYTES)

    def _new_runner(
        self, place: LedPartition[TransactionRunner], load: Load, log: PartitionLog, max_batch_bytes: int
    ) -> TransactionRunner:
        epoch = place.epoch

        def write_markers(order: MarkerOrder, written: Callable[[Topics], None]) -> None:
            self.marker_writer.write(order, epoch, written, lambda: not runner.is_closed)

        runner = TransactionRunner(
            cast(TransactionsLoad, load).shard,
            TransactionsLog(log, self.commit, epoch, max_batch_bytes, 0),
            self._clock,
            self._alarm,
            self._journal,
            _WRITE_TIMEOUT_MS,
            lambda runner: self._shard_failed(place, cast(TransactionRunner, runner)),
            write_markers,
        )
        return runner
