"""A transaction shard and the world around it, small enough to read: a clock moved by hand, timers, a log, and who asked.

Carries outcomes out in the order that `muster.core.contract` states. Appends are durable at once unless they are held, and markers
are written at once unless they are kept. Events of a transactional id wait while its record is in flight, as in the real runtime.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar, cast

from muster.core.contract import TimerKey
from muster.core.transactions.config import TransactionConfig
from muster.core.transactions.outcome import MarkerOrder, TransactionOutcome, TransactionTicketReply
from muster.core.transactions.records import TransactionErased, TransactionRecord, TransactionStored
from muster.core.transactions.refusal import invalid_before_routing
from muster.core.transactions.replies import (
    AddPartitionsReply,
    DescribeTransactionReply,
    EndTransactionReply,
    InitProducerIdReply,
    ListTransactionsReply,
    TransactionReply,
)
from muster.core.transactions.requests import (
    AddPartitions,
    DescribeTransaction,
    EndTransaction,
    InitProducerId,
    ListTransactions,
    TransactionRequest,
)
from muster.core.transactions.shard import TransactionShard
from muster.core.transactions.states import TransactionState
from muster.core.transactions.topic_partitions import Topics
from muster.core.transactions.transaction import Transaction

R = TypeVar("R")

START_MS = 1_000_000
TIMEOUT_MS = 60_000
BUSY_RETRY_MS = 1_000
FIRST_PRODUCER_ID = 1_000

ORDERS: Topics = (("orders", (0, 1)),)
PAYMENTS: Topics = (("payments", (0,)),)


class Call(Generic[R]):
    """A ticket: one request and, once it is answered, the one reply to it."""

    def __init__(self, request: TransactionRequest) -> None:
        self.request = request
        self._replies: list[TransactionReply] = []

    def redeem(self, reply: TransactionReply) -> None:
        assert not self._replies, f"{self.request!r} is answered twice: {self._replies[0]!r}, then {reply!r}"
        self._replies.append(reply)

    @property
    def waiting(self) -> bool:
        return not self._replies

    @property
    def reply(self) -> R:
        assert self._replies, f"{self.request!r} is not answered yet"
        return cast(R, self._replies[0])


class TransactionWorld:
    def __init__(
        self,
        config: TransactionConfig | None = None,
        log: Sequence[TransactionRecord] = (),
        *,
        keeps_markers: bool = False,
    ) -> None:
        self.now_ms = START_MS
        self.producer_ids = 0
        self.has_producer_ids = True
        self.timers: dict[TimerKey, int] = {}
        self.log: list[TransactionRecord] = []
        self.in_flight: list[TransactionOutcome] = []
        self.holding = False
        self.keeps_markers = keeps_markers
        self.orders: list[MarkerOrder] = []
        """Markers that were asked for and are not written yet."""
        self.markers: list[MarkerOrder] = []
        """All that were ever asked for."""
        self.calls: list[Call[object]] = []
        self._queue: list[tuple[str, Callable[[], TransactionOutcome]]] = []
        self._load(config or TransactionConfig(), log)

    def _load(self, config: TransactionConfig, log: Iterable[TransactionRecord]) -> None:
        self.shard = TransactionShard(config, self._new_producer_id)
        for record in log:
            self.shard.replay(record, len(self.log))
            self.log.append(record)
        self.apply(self.shard.on_loaded(self.now_ms))

    def _new_producer_id(self) -> int | None:
        if not self.has_producer_ids:
            return None
        self.producer_ids += 1
        return FIRST_PRODUCER_ID + self.producer_ids - 1

    # -- carrying out

    def apply(self, outcome: TransactionOutcome) -> None:
        assert not outcome.early_replies
        assert not outcome.journal
        for key, deadline_ms in outcome.timers:
            self.timers.pop(key, None)
            if deadline_ms is not None:
                self.timers[key] = deadline_ms
        for order in outcome.markers:
            assert order.topics, "an order without partitions is never reported"
            self._ordered(order)
        if outcome.records:
            self.in_flight.append(outcome)
            if not self.holding:
                self.settle()
        else:
            assert outcome.step is None, "a step without records never comes"
            self._release(cast("list[TransactionTicketReply]", outcome.replies))

    def _ordered(self, order: MarkerOrder) -> None:
        stored = self.shard.transactions[order.transactional_id].stored
        assert stored in self.log, "markers are asked for when the decision is durable"
        self.markers.append(order)
        self.orders.append(order)
        if not self.keeps_markers:
            self.write_markers()

    def _release(self, replies: Iterable[TransactionTicketReply]) -> None:
        for ticket, reply in replies:
            assert isinstance(ticket, Call)
            ticket.redeem(reply)

    def settle(self, error: int | None = None) -> None:
        """The oldest append in flight is durable, or failed with this error of the log."""
        outcome = self.in_flight.pop(0)
        if error is not None:
            self.apply(self.shard.on_append_failed(outcome, error, self.now_ms))
        else:
            for record in cast("list[TransactionRecord]", outcome.records):
                self.shard.replay(record, len(self.log))
                self.log.append(record)
            follow_up = self.shard.on_durable(outcome.step, self.now_ms) if outcome.step is not None else None
            self._release(cast("list[TransactionTicketReply]", outcome.replies))
            if follow_up is not None:
                self.apply(follow_up)
        self._let_through()

    def overdue(self) -> None:
        """Nobody waits any longer for the oldest append in flight."""
        outcome = self.in_flight[0]
        self.apply(self.shard.on_append_overdue(outcome, self.now_ms))
        records = cast("list[TransactionRecord]", outcome.records)
        step = outcome.step
        self.in_flight[0] = TransactionOutcome(records, step=step)  # type: ignore[arg-type]

    def _let_through(self) -> None:
        for index, (transactional_id, event) in enumerate(self._queue):
            if not self.is_busy(transactional_id):
                del self._queue[index]
                self.apply(event())
                self._let_through()
                return

    def is_busy(self, transactional_id: str) -> bool:
        records = (record for outcome in self.in_flight for record in cast("list[TransactionRecord]", outcome.records))
        return any(
            isinstance(record, TransactionStored | TransactionErased) and record.transactional_id == transactional_id
            for record in records
        )

    def _in_turn(self, transactional_id: str, event: Callable[[], TransactionOutcome]) -> None:
        if self.is_busy(transactional_id):
            self._queue.append((transactional_id, event))
        else:
            self.apply(event())

    def hold(self) -> None:
        self.holding = True

    def release(self, error: int | None = None) -> None:
        """Everything in flight becomes durable, and so does what follows; or it is lost, and later appends work again."""
        self.holding = False
        while self.in_flight:
            self.settle(error)

    # -- markers and time

    def write_markers(self, partitions: Topics | None = None) -> None:
        """The oldest order is carried out: of these partitions, or of all."""
        order = self.orders.pop(0)
        topics = order.topics if partitions is None else partitions
        self._in_turn(order.transactional_id, lambda: self.shard.on_markers_written(order, topics, self.now_ms))

    def report(self, order: MarkerOrder, topics: Topics) -> None:
        self._in_turn(order.transactional_id, lambda: self.shard.on_markers_written(order, topics, self.now_ms))

    def advance(self, duration_ms: int) -> None:
        end_ms = self.now_ms + duration_ms
        while self.timers:
            key = min(self.timers, key=self.timers.__getitem__)
            if self.timers[key] > end_ms:
                break
            self.now_ms = max(self.now_ms, self.timers[key])
            self.fire(key)
        self.now_ms = end_ms

    def fire(self, key: TimerKey) -> None:
        if len(key) > 1 and self.is_busy(key[1]):
            self.timers[key] = self.now_ms + BUSY_RETRY_MS
            return
        del self.timers[key]
        self.apply(self.shard.on_timer(key, self.now_ms))

    # -- asking

    def ask(self, request: TransactionRequest) -> Call[object]:
        call: Call[object] = Call(request)
        self.calls.append(call)
        invalid = invalid_before_routing(request, self.shard.config)
        if invalid is not None:
            call.redeem(invalid)
        elif isinstance(request, ListTransactions):
            self.apply(self.shard.handle(request, call, self.now_ms))
        else:
            self._in_turn(request.transactional_id, lambda: self.shard.handle(request, call, self.now_ms))
        return call

    def init(
        self, producer_id: int = -1, epoch: int = -1, *, name: str = "t", timeout_ms: int = TIMEOUT_MS
    ) -> Call[InitProducerIdReply]:
        return cast("Call[InitProducerIdReply]", self.ask(InitProducerId(name, timeout_ms, producer_id, epoch)))

    def add(
        self,
        producer_id: int,
        epoch: int,
        topics: Topics = ORDERS,
        *,
        name: str = "t",
        verify_only: bool = False,
        raises_epoch: bool = False,
    ) -> Call[AddPartitionsReply]:
        request = AddPartitions(name, producer_id, epoch, topics, verify_only, raises_epoch)
        return cast("Call[AddPartitionsReply]", self.ask(request))

    def end(
        self, producer_id: int, epoch: int, *, commit: bool, raises_epoch: bool = False, name: str = "t"
    ) -> Call[EndTransactionReply]:
        request = EndTransaction(name, producer_id, epoch, commit, raises_epoch)
        return cast("Call[EndTransactionReply]", self.ask(request))

    def describe(self, name: str = "t") -> DescribeTransactionReply:
        return cast(DescribeTransactionReply, self.ask(DescribeTransaction(name)).reply)

    def listed(
        self,
        states: tuple[str, ...] = (),
        producer_ids: tuple[int, ...] = (),
        duration_ms: int = -1,
        matches: Callable[[str], bool] | None = None,
    ) -> ListTransactionsReply:
        request = ListTransactions(states, producer_ids, duration_ms, matches)
        return cast(ListTransactionsReply, self.ask(request).reply)

    # -- situations

    @property
    def transaction(self) -> Transaction:
        return self.shard.transactions["t"]

    def state(self) -> TransactionState:
        return self.transaction.state

    def written(self) -> list[tuple[str, int, int]]:
        """(state, producer id, epoch) of each record in the log."""
        return [
            (record.state.value, record.producer_id, record.producer_epoch)
            for record in self.log
            if isinstance(record, TransactionStored)
        ]

    def facts(self) -> dict[str, TransactionStored]:
        return {name: transaction.stored for name, transaction in self.shard.transactions.items()}

    def restart(self) -> TransactionWorld:
        """Another node takes over: a fresh shard, loaded from what is durable."""
        heir = TransactionWorld.__new__(TransactionWorld)
        heir.__dict__.update(self.__dict__)
        heir.timers, heir.log, heir.in_flight, heir.orders, heir.markers, heir._queue = {}, [], [], [], [], []
        heir.calls, heir.holding = [], False
        heir._load(self.shard.config, self.log)
        return heir


def stored(
    state: TransactionState,
    *,
    epoch: int = 5,
    topics: Topics = ORDERS,
    raises_epoch: bool = False,
    next_producer_id: int = -1,
    name: str = "t",
) -> TransactionStored:
    """A record that a log may hold of a transactional id in this state: producer id 7, begun at `START_MS`."""
    is_open = state in (TransactionState.ONGOING, TransactionState.PREPARE_COMMIT, TransactionState.PREPARE_ABORT)
    return TransactionStored(
        name,
        7,
        epoch,
        TIMEOUT_MS,
        state,
        topics if is_open else (),
        START_MS,
        -1 if state is TransactionState.EMPTY else START_MS,
        7,
        next_producer_id,
        2 if raises_epoch else 0,
    )
