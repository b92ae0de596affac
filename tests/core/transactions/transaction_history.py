"""Plays a random history against a transaction shard, and checks the log that it leaves. Used by the property test and the digest.

A history is a list of small numbers: each step is (what, who, how), so that it shrinks well and depends on nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from muster.core.transactions.config import TransactionConfig
from muster.core.transactions.records import TransactionErased, TransactionRecord, TransactionStored
from muster.core.transactions.replies import EndTransactionReply, InitProducerIdReply
from muster.core.transactions.states import TransactionState
from muster.core.transactions.transitions import PREVIOUS_STATES
from muster.wire import errors
from tests.core.transactions.transaction_world import TransactionWorld, stored

Step = tuple[int, int, int]

STEPS = 14
NAMES = ("t", "u", "last-epochs")
PAUSES_MS = (0, 1, 1_000, 10_000, 60_000, 100_000)
LOG_ERRORS = (errors.NOT_ENOUGH_REPLICAS, errors.MESSAGE_TOO_LARGE, errors.KAFKA_STORAGE_ERROR)
TOPICS = (
    (("orders", (0, 1)),),
    (("payments", (0,)), ("orders", (1, 2))),
    (),
)
CONFIG = TransactionConfig(transactional_id_expiration_ms=90_000, remove_expired_interval_ms=30_000)


class TransactionHistory:
    def __init__(self) -> None:
        log = [stored(TransactionState.EMPTY, epoch=32_762, name="last-epochs")]
        self.world = TransactionWorld(CONFIG, log, keeps_markers=True)
        self.restarts = 0
        self.answers: list[object] = []

    def play(self, steps: Iterable[Step]) -> None:
        for what, who, how in steps:
            self._step(what % STEPS, NAMES[who % len(NAMES)], how)
            self._check_timers()
        self._settle_down()

    def _step(self, what: int, name: str, how: int) -> None:
        world = self.world
        producer_id, epoch = self._producer(name, how)
        match what:
            case 0:
                world.init(name=name)
            case 1:
                world.init(producer_id, epoch, name=name)
            case 2 | 3 | 4:
                world.add(
                    producer_id, epoch, TOPICS[how % 3], name=name, raises_epoch=how % 2 == 0, verify_only=how == 7
                )
            case 5 | 6 | 7:
                world.end(producer_id, epoch, commit=how % 3 != 0, raises_epoch=how % 2 == 0, name=name)
            case 8 | 9:
                self._write_markers(how)
            case 10:
                world.advance(PAUSES_MS[how % len(PAUSES_MS)])
            case 11:
                world.hold()
            case 12:
                world.release(LOG_ERRORS[how % 3] if how % 2 == 0 else None)
            case 13:
                self._slow_or_restart(how)

    def _slow_or_restart(self, how: int) -> None:
        if how % 3 == 0 and self.world.in_flight:
            self.world.overdue()
        elif how % 5 == 1 and not self.world.in_flight:
            self.check_replay_equals_live()
            self._remember_answers()
            self.world = self.world.restart()
            self.restarts += 1

    def _producer(self, name: str, how: int) -> tuple[int, int]:
        """What a producer of this name may have: mostly the truth, sometimes the epoch or the producer id before."""
        transaction = self.world.shard.transactions.get(name)
        if transaction is None:
            return 7, 0
        record = transaction.stored
        if how % 7 == 1 and record.producer_epoch > 0:
            return record.producer_id, record.producer_epoch - 1
        if how % 7 == 2:
            return record.previous_producer_id, 32_766
        return record.producer_id, record.producer_epoch

    def _write_markers(self, how: int) -> None:
        if self.world.orders:
            order = self.world.orders[0]
            if how % 4 == 0:
                self.world.report(order, order.topics[:1])
            else:
                self.world.write_markers()

    def _settle_down(self) -> None:
        self.world.release()
        while self.world.orders:
            self.world.write_markers()
        self.world.advance(1_000)
        self._remember_answers()

    def _remember_answers(self) -> None:
        """Nobody waits when nothing is in flight, and nobody was answered twice: `Call.redeem` sees to that (law 3)."""
        self.answers += [call.reply for call in self.world.calls]

    def _check_timers(self) -> None:
        for name, transaction in self.world.shard.transactions.items():
            if transaction.state is TransactionState.ONGOING:
                assert ("transaction", name) in self.world.timers or self.world.is_busy(name), transaction

    def check_replay_equals_live(self) -> None:
        """Law 2."""
        assert self.world.restart().facts() == self.world.facts()

    def check_log(self) -> None:
        """Each record follows from the one before: the decision about an end never changes, and no epoch is given twice."""
        last: dict[str, TransactionStored] = {}
        for record in self.world.log:
            assert isinstance(record, TransactionStored | TransactionErased)
            before = last.pop(record.transactional_id, None)
            if isinstance(record, TransactionErased):
                assert before is not None
                continue
            last[record.transactional_id] = record
            if before is not None:
                _check_follows(before, record)

    def digest(self) -> str:
        return hashlib.sha256(repr((self.world.log, self.answers)).encode()).hexdigest()

    def answered(self, error: int) -> bool:
        replies = [each for each in self.answers if isinstance(each, InitProducerIdReply | EndTransactionReply)]
        return any(reply.error == error for reply in replies)


def _check_follows(before: TransactionStored, after: TransactionStored) -> None:
    pair: tuple[TransactionRecord, TransactionRecord] = (before, after)
    assert before.state in PREVIOUS_STATES[after.state], pair
    assert after.previous_producer_id == before.producer_id, pair
    if after.producer_id == before.producer_id:
        assert before.producer_epoch <= after.producer_epoch <= before.producer_epoch + 1, pair
    else:
        assert after.producer_epoch == 0, pair
        assert before.producer_epoch >= 32_766, pair
