"""Carries out what one shard decides: records to the log, replies after they are durable, timers on a wheel.

    decide (core) -> record (log) -> answer (here)

Everything of one shard happens in the loop's thread, one event after the other. While a key (a group, a transactional id) has
records of its own in flight, later events of that key wait in a queue of their own. A broken invariant in the core ends the
shard: waiting clients are told to look for the coordinator again, and the owner of this runner reloads it from the log (law 5).

What a client may ask, and what its records mean, is the business of the runner of that kind of shard (`group_runner`).
"""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Callable
from itertools import takewhile
from sys import exc_info
from time import monotonic
from typing import Any, cast

from muster.core.contract import Outcome, StateMachine, Ticket, TimerChange, TimerKey
from muster.core.fifo import Fifo
from muster.core.records import Record
from muster.log.contract import LedElsewhere, StorageError
from muster.log_limit import LogLimit
from muster.runtime.alarm import Alarm
from muster.runtime.clock import Clock
from muster.runtime.coordinator_log import CoordinatorLog, RecordsTooLarge
from muster.runtime.group_queues import GroupQueues
from muster.runtime.in_flight import Event, InFlight
from muster.runtime.journal_writer import JournalWriter
from muster.runtime.tickets import Redeemable
from muster.runtime.timings import Timing
from muster.runtime.unanswered import Unanswered
from muster.runtime.wheel import NEVER, TimerWheel
from muster.wire.errors import KAFKA_STORAGE_ERROR, MESSAGE_TOO_LARGE, NOT_COORDINATOR, NOT_LEADER_OR_FOLLOWER
from muster.wire.value import Value

_failures = LogLimit(logging.getLogger(__name__), "failures of coordinator shards and their records", monotonic)


class ShardRunner:
    def __init__(
        self,
        machine: StateMachine,
        log: CoordinatorLog,
        clock: Clock,
        alarm: Alarm,
        journal: JournalWriter,
        commit_timeout_ms: int,
        on_failed: Callable[[ShardRunner], None],
        refused: Callable[[Any, int], Value],
    ) -> None:
        """`refused` makes the answer to a request that is not handled, with an error code."""
        self._machine = machine
        self._log = log
        self._clock = clock
        self._alarm = alarm
        self._journal = journal
        self._commit_timeout_ms = commit_timeout_ms
        self._on_failed = on_failed
        self._wheel: TimerWheel[TimerKey] = TimerWheel()
        self._in_flight: Fifo[InFlight] = Fifo()
        self._queues = GroupQueues(self._timer_fired)
        self._unanswered = Unanswered(refused)
        self._closed = False
        self._when_settled = self._settled
        """Made once: a bound method for each append would cost as much as a third of it."""
        self.waits = Timing()
        """How long records took from the append to being durable; Kafka calls it purgatory."""
        alarm.join(self._on_alarm)

    # -- what can happen to a shard

    def loaded(self) -> None:
        """The log has been replayed."""
        self._decide(lambda: self._machine.on_loaded(self._clock.now_ms()))

    def interject(self, key: str, step: Callable[[int], Outcome]) -> None:
        """Something about a key that no client asked for and no timer brought, in its turn among the key's events.

        `step` is given the time and decides like the core does.
        """

        def decide() -> None:
            self._decide(lambda: step(self._clock.now_ms()))

        if key in self._queues.queues:
            self._queues.wait(key, decide)
        else:
            decide()

    def _put_off(self, request: object, ticket: Redeemable, handle: Event) -> Event:
        """The request waits for records of others, but not for ever: then it is told so and not handled any more."""
        deadline_ms = self._clock.ticks_ms() + self._commit_timeout_ms
        self._unanswered.keep_until(deadline_ms, ticket, request)
        self._alarm.not_later_than(deadline_ms)

        def when_its_turn_comes() -> None:
            self._unanswered.forget_deadline(ticket)
            if not ticket.answered:
                handle()

        return when_its_turn_comes

    def unload(self) -> None:
        """This node no longer owns the partition, or stops: answer the requests that wait, forget the rest."""
        if self._closed:
            return
        outcome = self._machine.on_unload(self._clock.now_ms())
        self._release(outcome.early_replies)
        self._release(outcome.replies)
        for event in outcome.journal:
            self._journal.write(event)
        self._close(NOT_COORDINATOR)

    @property
    def timers(self) -> int:
        return len(self._wheel)

    @property
    def queued(self) -> int:
        """Events that wait for records of their key."""
        return len(self._queues)

    # -- deciding

    def _decide(self, step: Callable[[], Outcome]) -> None:
        if self._closed:
            return
        try:
            self._carry_out(step(), self._clock.now_ms())
        except Exception:
            self._fail("between requests")

    def _on_alarm(self, ticks_ms: int) -> int:
        self._give_up_waiting(ticks_ms)
        for key in self._wheel.due(ticks_ms):
            self._timer_fired(key)
            if self._closed:
                return NEVER
        next_ms = min(self._wheel.next_slot_ms(), self._unanswered.next_deadline_ms())
        for in_flight in self._in_flight:
            if not in_flight.is_overdue:
                return min(next_ms, in_flight.appended_ms + self._commit_timeout_ms)
        return next_ms

    def _timer_fired(self, key: TimerKey) -> None:
        if not self._queues.postpone(key):
            self._decide(lambda: self._machine.on_timer(key, self._clock.now_ms()))

    # -- carrying out

    def _carry_out(self, outcome: Outcome, now_ms: int) -> None:
        """`now_ms` is when it was decided."""
        timers, records = outcome.timers, outcome.records
        ticks_ms = self._clock.ticks_ms() if timers or records else 0  # else nobody asks for it
        if isinstance(timers, list) and timers:
            self._set_timers(timers, ticks_ms - now_ms)
        if outcome.early_replies:
            self._release(outcome.early_replies)
        if outcome.journal:
            for event in outcome.journal:
                self._journal.write(event)
        if isinstance(records, list) and records:
            self._append(outcome, records, now_ms, ticks_ms)
        elif outcome.replies:
            self._release(outcome.replies)

    def _set_timers(self, timers: list[TimerChange], shift_ms: int) -> None:
        """The core speaks in times of day, which may be set; `shift_ms` later is what the wheel calls the same moment."""
        wheel = self._wheel
        self._queues.timers_change(timers)
        for key, deadline_ms in timers:
            if deadline_ms is None:
                wheel.cancel(key)
            else:
                wheel.set(key, deadline_ms + shift_ms)
        next_ms = wheel.next_slot_ms()
        if next_ms < self._alarm.wakes_at_ms:
            self._alarm.not_later_than(next_ms)

    def _release(self, replies: list[tuple[Ticket, Value]] | tuple[()]) -> None:
        if not isinstance(replies, list):
            return  # none
        for ticket, reply in replies:
            redeemable = cast(Redeemable, ticket)
            self._unanswered.forget(redeemable)
            redeemable.redeem(reply)

    def _append(self, outcome: Outcome, records: list[Record], now_ms: int, ticks_ms: int) -> None:
        try:
            base_offset = self._log.append(records, now_ms, self._when_settled)
        except RecordsTooLarge as error:
            _failures.warning("%s", error)
            self._carry_out(self._machine.on_append_failed(outcome, MESSAGE_TOO_LARGE, now_ms), now_ms)
            return
        in_flight = InFlight(outcome, base_offset, ticks_ms, self._keys_of(records), self._stepping_member(records))
        self._in_flight.append(in_flight)
        self._queues.begin(in_flight.keys, in_flight.member_id)
        overdue_ms = ticks_ms + self._commit_timeout_ms
        if overdue_ms < self._alarm.wakes_at_ms:
            self._alarm.not_later_than(overdue_ms)

    def _settled(self, count: int, error: StorageError | None) -> None:
        """The records of the oldest outcomes in flight, so many of them, are durable, or lost. The log settles in order."""
        ticks_ms = self._clock.ticks_ms()
        for _ in range(count):
            if self._closed:
                return
            in_flight = self._in_flight.pop()
            self.waits.add(ticks_ms - in_flight.appended_ms)
            self._settle(in_flight, error)

    def _settle(self, in_flight: InFlight, error: StorageError | None) -> None:
        self._queues.end(in_flight.keys, in_flight.member_id)
        try:
            if error is None:
                self._now_durable(in_flight)
            else:
                now_ms = self._clock.now_ms()
                code = NOT_LEADER_OR_FOLLOWER if isinstance(error, LedElsewhere) else KAFKA_STORAGE_ERROR
                self._carry_out(self._machine.on_append_failed(in_flight.outcome, code, now_ms), now_ms)
        except Exception:
            self._in_flight.put_back(in_flight)  # who waits for it has not been told yet
            self._fail("when its records had been stored" if error is None else "when its records could not be stored")
            return
        if in_flight.then is not None:
            for event in in_flight.then:
                event()
        for key in in_flight.keys:
            self._queues.let_through(key)
        self._unanswered.forget_deadlines()

    def _now_durable(self, in_flight: InFlight) -> None:
        outcome = in_flight.outcome
        records = outcome.records
        if isinstance(records, list):
            self._replay(records, in_flight.base_offset)
        if outcome.step is None:
            self._release(outcome.replies)
            return
        now_ms = self._clock.now_ms()
        follow_up = self._machine.on_durable(outcome.step, now_ms)
        self._release(outcome.replies)
        self._carry_out(follow_up, now_ms)

    def _give_up_waiting(self, ticks_ms: int) -> None:
        """Slow storage: who waits gets an error, the records stay and may still become durable (T027)."""
        appended_ms = ticks_ms - self._commit_timeout_ms
        for in_flight in list(takewhile(lambda each: each.appended_ms <= appended_ms, self._in_flight)):
            if not in_flight.is_overdue:
                in_flight.is_overdue = True
                self._tell_overdue(in_flight)
            if self._closed:
                return  # it failed over this, and everybody has been told
        self._unanswered.give_up(ticks_ms)

    def _tell_overdue(self, in_flight: InFlight) -> None:
        outcome = in_flight.outcome
        self._decide(lambda: self._machine.on_append_overdue(outcome, self._clock.now_ms()))
        in_flight.outcome = Outcome(outcome.records, step=outcome.step)  # nobody waits for it any longer

    # -- ending

    def _fail(self, when: str) -> None:
        fault = exc_info()[1]
        _failures.error("coordinator shard of %s failed %s; it will be loaded again", self._log, when, exc_info=fault)
        self._close(NOT_COORDINATOR)
        self._on_failed(self)

    def _close(self, error: int) -> None:
        self._closed = True
        in_flight = list(self._in_flight)  # it may be all that keeps their tickets alive
        self._alarm.leave(self._on_alarm)
        self._wheel.clear()
        self._in_flight.clear()
        self._queues.clear()
        self._unanswered.refuse_all(error)
        self._refuse_in_flight(in_flight, error)

    # -- of the kind of shard

    @abstractmethod
    def _replay(self, records: list[Record], base_offset: int) -> None:
        """These records of one outcome are durable."""

    @abstractmethod
    def _keys_of(self, records: list[Record]) -> tuple[str, ...]:
        """Whose later events have to wait until these records are durable."""

    def _stepping_member(self, records: list[Record]) -> str:
        """The member that these records are about alone, if its group need not wait for them; else ""."""
        return ""

    @abstractmethod
    def _refuse_in_flight(self, in_flight: list[InFlight], error: int) -> None:
        """The shard ends: tell those who wait for records and are not among the unanswered."""
