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
    __slots__ = ("config", "markers", "new_producer_id", "now_ms", "records", "replies", "step", "timers")

    def __init__(self, config: TransactionConfig, new_producer_id: NewProducerId, now_ms: int) -> None:
        self.config = config
        self.new_producer_id = new_producer_id
        self.now_ms = now_ms
        self.records: list[TransactionRecord] = []
        self.replies: list[TransactionTicketReply] = []
        self.timers: list[TimerChange] = []
        self.markers: list[MarkerOrder] = []
        self.step: StoreTransaction | None = None

    def reply(self, ticket: Ticket, reply: TransactionReply) -> None:
        """Answer when the record of this outcome is durable; at once if there is none."""
        self.replies.append((ticket, reply))

    def store(self, record: TransactionStored, last_epoch: int, ended_by: EndedBy | None = None) -> None:
        assert self.step is None, f"a decision is about one transactional id: {self.step!r}, then {record!r}"
        self.records.append(record)
        self.step = StoreTransaction(record.transactional_id, last_epoch, ended_by)

    def erase(self, transactional_id: str) -> None:
        self.records.append(TransactionErased(transactional_id))

    def set_timer(self, key: TimerKey, deadline_ms: int) -> None:
        self.timers.append((key, deadline_ms))

    def cancel_timer(self, key: TimerKey) -> None:
        self.timers.append((key, None))

    def outcome(self) -> TransactionOutcome:
        assert not (self.markers and self.records), "markers are written when the record before them is durable"
        return TransactionOutcome(self.records, self.replies, self.timers, self.step, self.markers)


def transaction_timer(transactional_id: str) -> TimerKey:
    """In `Ongoing` the timeout of the transaction; in `Prepare*` when to try again to complete it."""
    return ("transaction", transactional_id)
