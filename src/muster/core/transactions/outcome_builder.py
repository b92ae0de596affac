"""One decision about a transactional id being made: gathers what it asks of the world, then becomes the `TransactionOutcome`.

Holds the arguments that make the core pure (time, producer ids, settings). It decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from muster.core.contract import Ticket, TimerChange, TimerKey
from muster.core.transactions.config import TransactionConfig
from muster.core.transactions.counters import EndedBy
from muster.core.transactions.outcome import MarkerOrder, StoreTransaction, TransactionOutcome, TransactionTicketReply
from muster.core.transactions.records import TransactionErased, TransactionRecord, TransactionStored
from muster.core.transactions.replies import TransactionReply

NewProducerId: TypeAlias = Callable[[], int | None]
"""A producer id that nobody has had before; None: there is none at the moment, clients should try again."""


class TransactionOutcomeBuilder:
    __slots__ = ("_markers", "_replies", "_timers", "config", "new_producer_id", "now_ms", "records", "step")

    def __init__(self, config: TransactionConfig, new_producer_id: NewProducerId, now_ms: int) -> None:
        self.config = config
        self.new_producer_id = new_producer_id
        self.now_ms = now_ms
        # Lists are made when there is something to list: a transaction takes ten decisions, and most say one thing.
        self.records: list[TransactionRecord] | tuple[()] = ()
        self._replies: list[TransactionTicketReply] | tuple[()] = ()
        self._timers: list[TimerChange] | tuple[()] = ()
        self._markers: list[MarkerOrder] | tuple[()] = ()
        self.step: StoreTransaction | None = None

    def reply(self, ticket: Ticket, reply: TransactionReply) -> None:
        """Answer when the record of this outcome is durable; at once if there is none."""
        if isinstance(self._replies, list):
            self._replies.append((ticket, reply))
        else:
            self._replies = [(ticket, reply)]

    def store(self, record: TransactionStored, last_epoch: int, ended_by: EndedBy | None = None) -> None:
        assert self.step is None, f"a decision is about one transactional id: {self.step!r}, then {record!r}"
        self._record(record)
        self.step = StoreTransaction(record.transactional_id, last_epoch, ended_by)

    def erase(self, transactional_id: str) -> None:
        self._record(TransactionErased(transactional_id))

    def _record(self, record: TransactionRecord) -> None:
        if isinstance(self.records, list):
            self.records.append(record)
        else:
            self.records = [record]

    def order(self, marker: MarkerOrder) -> None:
        if isinstance(self._markers, list):
            self._markers.append(marker)
        else:
            self._markers = [marker]

    def set_timer(self, key: TimerKey, deadline_ms: int) -> None:
        self._change_timer((key, deadline_ms))

    def cancel_timer(self, key: TimerKey) -> None:
        self._change_timer((key, None))

    def _change_timer(self, change: TimerChange) -> None:
        if isinstance(self._timers, list):
            self._timers.append(change)
        else:
            self._timers = [change]

    def outcome(self) -> TransactionOutcome:
        assert not (self._markers and self.records), "markers are written when the record before them is durable"
        return TransactionOutcome(self.records, self._replies, self._timers, self.step, self._markers)


def transaction_timer(transactional_id: str) -> TimerKey:
    """In `Ongoing` the timeout of the transaction; in `Prepare*` when to try again to complete it."""
    return ("transaction", transactional_id)
