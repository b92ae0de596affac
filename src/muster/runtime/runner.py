"""Carries out what one shard decides: records to the log, replies after they are durable, timers on a wheel.

    decide (core) -> record (log) -> answer (here)

Everything of one shard happens in the loop's thread, one event after the other. While a group has group records in
flight, later events of that group wait in a queue of their own; commits and reads do not. A broken invariant in the
core ends the shard: whoever waits is told to look for the coordinator again, and the owner of this runner reloads it
from the log (law 5).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from itertools import takewhile
from sys import exc_info
from time import monotonic
from typing import TYPE_CHECKING, cast

from muster.core.classic.heartbeat import stable_member
from muster.core.contract import Outcome, Ticket, TimerChange, TimerKey
from muster.core.fifo import Fifo
from muster.core.records import EndTransactionMarker, GroupErased, GroupStored, OffsetsCommitted, Record, log_length
from muster.core.refusal import refused, refused_in_flight
from muster.core.replies import CommitReply, MarkerReply, Reply
from muster.core.requests import (
    DescribeGroup,
    Heartbeat,
    ListGroups,
    OffsetCommit,
    OffsetFetch,
    Request,
    TxnOffsetCommit,
)
from muster.core.shard import Shard
from muster.log.contract import LedElsewhere, StorageError
from muster.runtime.alarm import Alarm
from muster.runtime.clock import Clock
from muster.runtime.group_queues import GroupQueues
from muster.runtime.in_flight import Event, InFlight
from muster.runtime.journal_writer import JournalWriter
from muster.runtime.log_limit import LogLimit
from muster.runtime.offsets_log import OffsetsLog, RecordsTooLarge
from muster.runtime.session_token import SessionToken
from muster.runtime.tickets import Redeemable
from muster.runtime.timings import Timing
from muster.runtime.unanswered import Unanswered
from muster.runtime.wheel import NEVER, TimerWheel
from muster.wire.errors import (
    KAFKA_STORAGE_ERROR,
    MESSAGE_TOO_LARGE,
    NOT_COORDINATOR,
    NOT_LEADER_OR_FOLLOWER,
    UNKNOWN_SERVER_ERROR,
)

if TYPE_CHECKING:
    from muster.runtime.coordinator import LedPartition

_failures = LogLimit(logging.getLogger(__name__), "failures of coordinator shards and their records", monotonic)

_LOGGED_CHARS = 100


class ShardRunner:
    def __init__(
        self,
        shard: Shard,
        log: OffsetsLog,
        clock: Clock,
        alarm: Alarm,
        journal: JournalWriter,
        commit_timeout_ms: int,
        on_failed: Callable[[ShardRunner], None],
    ) -> None:
        self.shard = shard
        self._log = log
        self._clock = clock
        self._alarm = alarm
        self._journal = journal
        self._commit_timeout_ms = commit_timeout_ms
        self._on_failed = on_failed
        self._wheel: TimerWheel[TimerKey] = TimerWheel()
        self._in_flight: Fifo[InFlight] = Fifo()
        self._queues = GroupQueues(self._timer_fired)
        self._unanswered = Unanswered()
        self._closed = False
        self._when_settled = self._settled
        """Made once: a bound method for each append would cost as much as a third of it."""
        self.waits = Timing()
        """How long records took from the append to being durable; Kafka calls it purgatory."""
        alarm.join(self._on_alarm)

    # -- what can happen to a shard

    def submit(self, request: Request, ticket: Redeemable) -> None:
        """A client asked."""
        if type(request) is Heartbeat and request.group_id not in self._queues.queues:
            self._handle(request, ticket)  # the hottest path, spared the questions below
            return
        if not isinstance(request, ListGroups):
            queue = self._queues.queues.get(request.group_id)
            if queue is not None and self._waits_for_group_records(request):
                # Deviates: a join that comes while the leader's plan is being stored waits for that; Kafka lets it in at
                # once and answers the parked SyncGroups REBALANCE_IN_PROGRESS (T103). Here they get their assignment
                # first.
                queue.append(self._put_off(request, ticket))
                return
            if isinstance(request, OffsetFetch) and request.require_stable and len(self._in_flight):
                self._in_flight.newest().follow_with(self._put_off(request, ticket))
                return
        self._handle(request, ticket)

    def _waits_for_group_records(self, request: Request) -> bool:
        """Commits and reads do not. But somebody who was told of a new group, by MEMBER_ID_REQUIRED, must find it: so a
        description of a group whose first record is in flight comes after that."""
        if isinstance(request, DescribeGroup):
            return self.shard.is_being_created(request.group_id)
        return not isinstance(request, OffsetCommit | OffsetFetch | TxnOffsetCommit)

    def submit_checked(self, commit: OffsetCommit, ticket: Redeemable) -> None:
        """A commit of a member whose `SessionToken` has just been renewed. Commits never wait for records of groups."""
        self._handle(commit, ticket, member_checked=True)

    def _put_off(self, request: Request, ticket: Redeemable) -> Event:
        """The request waits for records of others, but not for ever: then it is told so and not handled any more."""
        deadline_ms = self._clock.ticks_ms() + self._commit_timeout_ms
        self._unanswered.keep_until(deadline_ms, ticket, request)
        self._alarm.not_later_than(deadline_ms)

        def when_its_turn_comes() -> None:
            if not ticket.answered:
                self._handle(request, ticket)

        return when_its_turn_comes

    def session_token(
        self, request: Heartbeat, place: LedPartition, may_speak: Callable[[], bool] | None
    ) -> SessionToken | None:
        """For later requests of the member that sent this heartbeat; None if it is refused, or its group is not Stable."""
        group = self.shard.groups.get(request.group_id)
        member = None if group is None else stable_member(group, request)
        timer = None if member is None else self._wheel.timer_of(member.session_key)
        if group is None or member is None or timer is None:
            return None
        turns = self._queues
        return SessionToken(place, group, member, timer, turns.queues, turns.postponed, self._clock, may_speak)

    def loaded(self) -> None:
        """The log has been replayed."""
        self._decide(lambda: self.shard.on_loaded(self._clock.now_ms()))

    def interject(self, group_id: str, step: Callable[[int], Outcome]) -> None:
        """Something about a group that no client asked for and no timer brought, in its turn among the group's events.

        `step` is given the time and decides like the core does. For the test kit and for operators.
        """

        def decide() -> None:
            self._decide(lambda: step(self._clock.now_ms()))

        queue = self._queues.queues.get(group_id)
        if queue is None:
            decide()
        else:
            queue.append(decide)

    def end_transaction(self, marker: EndTransactionMarker, ticket: Redeemable, raises_epoch: bool) -> None:
        """The transaction coordinator has ended a transaction in this partition."""
        self._decide(lambda: self.shard.on_marker(marker, ticket, raises_epoch))
        if self._closed and not ticket.answered:
            ticket.redeem(MarkerReply(NOT_LEADER_OR_FOLLOWER))

    def topics_deleted(self, names: frozenset[str]) -> None:
        self._decide(lambda: self.shard.on_topics_deleted(names, self._clock.now_ms()))

    def unload(self) -> None:
        """This node no longer owns the partition, or stops: answer whoever waits, forget the rest."""
        if self._closed:
            return
        outcome = self.shard.on_unload(self._clock.now_ms())
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
        """Events that wait for records of their group."""
        return len(self._queues)

    @property
    def parked(self) -> int:
        """Requests without an answer yet."""
        tickets = [*self._unanswered.tickets(), *(ticket for ticket, _ in self._commits_in_flight())]
        return sum(not ticket.answered and not ticket.is_abandoned for ticket in tickets)

    def _commits_in_flight(self) -> Iterator[tuple[Redeemable, CommitReply | MarkerReply]]:
        for in_flight in self._in_flight:
            for ticket, reply in in_flight.outcome.replies:
                if isinstance(reply, CommitReply | MarkerReply):
                    yield cast(Redeemable, ticket), reply

    # -- deciding

    def _handle(self, request: Request, ticket: Redeemable, member_checked: bool = False) -> None:
        if self._closed:
            ticket.redeem(refused(request, NOT_COORDINATOR))
            return
        now_ms = self._clock.now_ms()
        try:
            self._carry_out(self.shard.handle(request, ticket, now_ms, member_checked), now_ms)
        except Exception:
            self._failed_at(request, ticket)
            return
        if not ticket.answered and type(request) is not OffsetCommit and type(request) is not TxnOffsetCommit:
            self._unanswered.keep(ticket, request)

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
            self._decide(lambda: self.shard.on_timer(key, self._clock.now_ms()))

    # -- carrying out

    def _carry_out(self, outcome: Outcome, now_ms: int) -> None:
        """`now_ms` is when it was decided."""
        ticks_ms = self._clock.ticks_ms()
        if isinstance(outcome.timers, list):
            self._set_timers(outcome.timers, ticks_ms - now_ms)
        if outcome.early_replies:
            self._release(outcome.early_replies)
        if outcome.journal:
            for event in outcome.journal:
                self._journal.write(event)
        records = outcome.records
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

    def _release(self, replies: list[tuple[Ticket, Reply]] | tuple[()]) -> None:
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
            self._carry_out(self.shard.on_append_failed(outcome, MESSAGE_TOO_LARGE, now_ms), now_ms)
            return
        in_flight = InFlight(outcome, base_offset, ticks_ms, _groups_of(records))
        self._in_flight.append(in_flight)
        self._queues.begin(in_flight.groups)
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
        self._queues.end(in_flight.groups)
        try:
            if error is None:
                self._now_durable(in_flight)
            else:
                now_ms = self._clock.now_ms()
                code = NOT_LEADER_OR_FOLLOWER if isinstance(error, LedElsewhere) else KAFKA_STORAGE_ERROR
                self._carry_out(self.shard.on_append_failed(in_flight.outcome, code, now_ms), now_ms)
        except Exception:
            self._in_flight.put_back(in_flight)  # who waits for it has not been told yet
            self._fail("when its records had been stored" if error is None else "when its records could not be stored")
            return
        if in_flight.then is not None:
            for event in in_flight.then:
                event()
        for group_id in in_flight.groups:
            self._queues.let_through(group_id)
        self._unanswered.forget_deadlines()

    def _now_durable(self, in_flight: InFlight) -> None:
        outcome = in_flight.outcome
        log_offset = in_flight.base_offset
        records = outcome.records
        if isinstance(records, list):
            for record in records:
                self.shard.replay(record, log_offset)
                log_offset += log_length(record)
        if outcome.step is None:
            self._release(outcome.replies)
            return
        now_ms = self._clock.now_ms()
        follow_up = self.shard.on_durable(outcome.step, now_ms)
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
        self._decide(lambda: self.shard.on_append_overdue(outcome, self._clock.now_ms()))
        in_flight.outcome = Outcome(outcome.records, step=outcome.step)  # nobody waits for it any longer

    # -- ending

    def _fail(self, when: str) -> None:
        fault = exc_info()[1]
        _failures.error("coordinator shard of %s failed %s; it will be loaded again", self._log, when, exc_info=fault)
        self._close(NOT_COORDINATOR)
        self._on_failed(self)

    def _failed_at(self, request: Request, ticket: Redeemable) -> None:
        self._fail(f"while handling {_named(request)}")
        if not ticket.answered:
            ticket.redeem(refused(request, UNKNOWN_SERVER_ERROR))

    def _close(self, error: int) -> None:
        self._closed = True
        # Taken before they are forgotten: what is in flight may be all that keeps their tickets alive.
        commits = list(self._commits_in_flight())
        self._alarm.leave(self._on_alarm)
        self._wheel.clear()
        self._in_flight.clear()
        self._queues.clear()
        self._unanswered.refuse_all(error)
        for ticket, reply in commits:
            if not ticket.answered:
                ticket.redeem(refused_in_flight(reply, error))


def _groups_of(records: list[Record]) -> tuple[str, ...]:
    if type(records[0]) is OffsetsCommitted:
        return ()  # a commit has nothing but offsets
    return tuple({record.group_id: None for record in records if isinstance(record, GroupStored | GroupErased)})


def _named(request: Request) -> str:
    """A request in a log line: what it is and whose, not all that a client may have put into it."""
    group = "" if isinstance(request, ListGroups) else f" of group {request.group_id[:_LOGGED_CHARS]!r}"
    return type(request).__name__ + group
