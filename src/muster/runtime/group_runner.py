"""The runner of a shard of groups: what clients may ask of it, and in which order it happens.

While a group has group records in flight, later events of that group wait; commits and reads do not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, cast

from muster.core.classic.heartbeat import stable_member
from muster.core.consumer.records import ConsumerGroupRecord, CurrentStored
from muster.core.consumer.requests import ConsumerHeartbeat, DescribeConsumerGroup
from muster.core.consumer.steady import steady_consumer, stepping_member
from muster.core.records import (
    EndTransactionMarker,
    GroupErased,
    GroupStored,
    OffsetsCommitted,
    ProducerRecord,
    Record,
    log_length,
)
from muster.core.refusal import refused, refused_in_flight
from muster.core.replies import CommitReply, MarkerReply
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
from muster.core.steady_member import SteadyMember
from muster.runtime.alarm import Alarm
from muster.runtime.clock import Clock
from muster.runtime.in_flight import InFlight
from muster.runtime.journal_writer import JournalWriter
from muster.runtime.offsets_log import OffsetsLog
from muster.runtime.runner import ShardRunner
from muster.runtime.session_token import SessionToken
from muster.runtime.tickets import Redeemable
from muster.wire.errors import NOT_COORDINATOR, NOT_LEADER_OR_FOLLOWER, UNKNOWN_SERVER_ERROR

if TYPE_CHECKING:
    from muster.runtime.coordinator_shards import LedPartition

_LOGGED_CHARS = 100


class MarkerWatch:
    """Whether a transaction of a producer has ended here since the watch began. An offset that was found to be in a transaction
    before its end must not be written behind it (KIP-890)."""

    __slots__ = ("has_seen_marker",)

    def __init__(self) -> None:
        self.has_seen_marker = False


class GroupRunner(ShardRunner):
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
        super().__init__(shard, log, clock, alarm, journal, commit_timeout_ms, on_failed, refused)
        self.shard = shard
        self._marker_watches: dict[int, list[MarkerWatch]] = {}
        """By producer id, while another node is asked about the producer's transaction."""

    # -- what can happen to a shard of groups

    def submit(self, request: Request, ticket: Redeemable) -> None:
        """A client asked."""
        if type(request) is Heartbeat and request.group_id not in self._queues.queues:
            self._handle(request, ticket)  # the hottest path, spared the questions below
            return
        if not isinstance(request, ListGroups):
            group_id = request.group_id
            if group_id in self._queues.queues and self._waits_for_group_records(request):
                stepping = None
                if isinstance(request, ConsumerHeartbeat):
                    heartbeat = request
                    member_id = stepping_member(self.shard, heartbeat)
                    if member_id and self._queues.may_step(group_id, member_id):
                        self._handle(request, ticket)
                        return
                    stepping = lambda: stepping_member(self.shard, heartbeat)  # noqa: E731
                # Deviates: a join that comes while the leader's plan is being stored waits for that; Kafka lets it in at
                # once and answers the parked SyncGroups REBALANCE_IN_PROGRESS (T103). Here they get their assignment
                # first.
                later = self._put_off(request, ticket, lambda: self._handle(request, ticket))
                self._queues.wait(group_id, later, stepping)
                return
            if isinstance(request, OffsetFetch) and request.require_stable and len(self._in_flight):
                later = self._put_off(request, ticket, lambda: self._handle(request, ticket))
                self._in_flight.newest().follow_with(later)
                return
        self._handle(request, ticket)

    def _waits_for_group_records(self, request: Request) -> bool:
        """Commits and reads do not. But somebody who was told of a new group, by MEMBER_ID_REQUIRED, must find it: so a
        description of a group whose first record is in flight comes after that."""
        if isinstance(request, DescribeGroup):
            return self.shard.is_being_created(request.group_id)
        return not isinstance(request, OffsetCommit | OffsetFetch | TxnOffsetCommit | DescribeConsumerGroup)

    def submit_checked(self, commit: OffsetCommit, ticket: Redeemable) -> None:
        """A commit of a member whose `SessionToken` has just been renewed. Commits never wait for records of groups."""
        self._handle(commit, ticket, member_checked=True)

    def session_token(
        self,
        request: Heartbeat | ConsumerHeartbeat,
        place: LedPartition[GroupRunner],
        may_speak: Callable[[], bool] | None,
    ) -> SessionToken | None:
        """For later requests of the member that sent this heartbeat; None if the next one may be answered otherwise."""
        member: SteadyMember | None = (
            stable_member(self.shard.groups, request)
            if isinstance(request, Heartbeat)
            else steady_consumer(self.shard, request)
        )
        timer = None if member is None else self._wheel.timer_of(member.session_key)
        if member is None or timer is None:
            return None
        turns = self._queues
        return SessionToken(place, member, timer, turns.queues, turns.postponed, self._clock, may_speak)

    def end_transaction(self, marker: EndTransactionMarker, ticket: Redeemable, raises_epoch: bool) -> None:
        """The transaction coordinator has ended a transaction in this partition."""
        if self._marker_watches:
            for watch in self._marker_watches.pop(marker.producer_id, ()):
                watch.has_seen_marker = True
        self._decide(lambda: self.shard.on_marker(marker, ticket, self._clock.now_ms(), raises_epoch))
        if self._closed and not ticket.answered:
            ticket.redeem(MarkerReply(NOT_LEADER_OR_FOLLOWER))

    def watch_markers(self, producer_id: int) -> MarkerWatch:
        """From now on, until `stop_watching`."""
        watch = MarkerWatch()
        self._marker_watches.setdefault(producer_id, []).append(watch)
        return watch

    def stop_watching(self, producer_id: int, watch: MarkerWatch) -> None:
        watches = self._marker_watches.get(producer_id)
        if watches is not None and watch in watches:
            watches.remove(watch)
            if not watches:
                del self._marker_watches[producer_id]

    def topics_deleted(self, names: frozenset[str]) -> None:
        self._decide(lambda: self.shard.on_topics_deleted(names, self._clock.now_ms()))

    @property
    def parked(self) -> int:
        """Requests without an answer yet."""
        tickets = [*self._unanswered.tickets(), *[ticket for ticket, _ in _commits(self._in_flight)]]
        return sum(not ticket.answered and not ticket.is_abandoned for ticket in tickets)

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

    # -- what its records mean

    def _replay(self, records: list[Record], base_offset: int) -> None:
        log_offset = base_offset
        for record in records:
            self.shard.replay(record, log_offset)
            log_offset += log_length(record)

    def _keys_of(self, records: list[Record]) -> tuple[str, ...]:
        first = records[0]
        if type(first) is OffsetsCommitted or isinstance(first, ProducerRecord):
            return ()  # a commit has nothing but offsets, a transaction's too, and a marker is alone
        return tuple(
            {
                record.group_id: None
                for record in records
                if isinstance(record, GroupStored | GroupErased | ConsumerGroupRecord)
            }
        )

    def _stepping_member(self, records: list[Record]) -> str:
        record = records[0]
        return record.member_id if len(records) == 1 and isinstance(record, CurrentStored) else ""

    # -- ending

    def _failed_at(self, request: Request, ticket: Redeemable) -> None:
        self._fail(f"while handling {_named(request)}")
        if not ticket.answered:
            ticket.redeem(refused(request, UNKNOWN_SERVER_ERROR))

    def _refuse_in_flight(self, in_flight: list[InFlight], error: int) -> None:
        for ticket, reply in _commits(in_flight):
            if not ticket.answered:
                ticket.redeem(refused_in_flight(reply, error))


def _commits(in_flight: Iterable[InFlight]) -> Iterator[tuple[Redeemable, CommitReply | MarkerReply]]:
    for each in in_flight:
        for ticket, reply in each.outcome.replies:
            if isinstance(reply, CommitReply | MarkerReply):
                yield cast(Redeemable, ticket), reply


def _named(request: Request) -> str:
    """A request in a log line: what it is and whose, not all that a client may have put into it."""
    group = "" if isinstance(request, ListGroups) else f" of group {request.group_id[:_LOGGED_CHARS]!r}"
    return type(request).__name__ + group
