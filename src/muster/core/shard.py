"""The state machine of one coordinator partition: routes requests, timers, records and steps to the files that decide.

Holds the live groups, the durable facts and the committed offsets. `facts` and `offsets` change in `replay` only (law 2);
groups are rebuilt from them when the log has been loaded. Knows nothing of logs, sockets or clocks; the runtime calls it,
one call at a time, and carries the outcomes out as `muster.core.contract` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import assert_never, cast

from muster.core.classic.counters import Counters
from muster.core.classic.describe import describe_group, list_groups
from muster.core.classic.expiry import on_session_timer
from muster.core.classic.group import Group
from muster.core.classic.heartbeat import heartbeat
from muster.core.classic.join import creation_failed
from muster.core.classic.join_static import replacement_failed
from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.classic.rebalance import on_join_timer, start
from muster.core.classic.stored import loaded_group, simple_group
from muster.core.classic.sync import assignment_lost, assignment_stored, on_sync_timer
from muster.core.classic.unload import unload_group
from muster.core.config import GroupConfig
from muster.core.consumer.describe import describe_consumer_group
from muster.core.consumer.downgrade import downgraded
from muster.core.consumer.fence import on_classic_timer, on_revoke_timer
from muster.core.consumer.fence import on_session_timer as on_consumer_session_timer
from muster.core.consumer.group import ConsumerGroup
from muster.core.consumer.group_times import GroupTimes
from muster.core.consumer.loaded import restart_timers, start_timers, stop_timers
from muster.core.consumer.notes import state_changes
from muster.core.consumer.records import TOMBSTONES, ConsumerGroupRecord, CurrentStored, EpochErased
from muster.core.consumer.regex import on_regex_timer
from muster.core.consumer.requests import DescribeConsumerGroup
from muster.core.consumer.topics import NoTopics, TopicView
from muster.core.contract import Outcome, StateMachine, Ticket, TimerKey
from muster.core.group_writes import decide_write
from muster.core.offsets.commit import commit_offsets
from muster.core.offsets.delete import delete_offsets
from muster.core.offsets.end_transaction import end_transaction
from muster.core.offsets.expire import EXPIRE_TIMER, erase_topics, expire_offsets
from muster.core.offsets.fetch import fetch_offsets
from muster.core.offsets.run import OffsetRun
from muster.core.offsets.store import OffsetStore
from muster.core.offsets.txn_commit import commit_in_transaction
from muster.core.offsets.view import ShardView
from muster.core.records import (
    EndTransactionMarker,
    GroupErased,
    GroupStored,
    OffsetCommitted,
    OffsetErased,
    OffsetsCommitted,
    Record,
    TransactionalOffset,
    UnknownRecord,
)
from muster.core.refusal import after_failed_append, mapped_append_error, refused_after_timeout
from muster.core.replies import Reply
from muster.core.requests import (
    DescribeGroup,
    Heartbeat,
    ListGroups,
    OffsetCommit,
    OffsetDelete,
    OffsetFetch,
    Request,
    TxnOffsetCommit,
)
from muster.core.steps import CreateGroup, Downgrade, ReplaceStaticMember, StoreAssignments, TellJournal
from muster.wire.errors import REQUEST_TIMED_OUT
from muster.wire.value import Value

_NOTHING = Outcome()


class Shard(ShardView, StateMachine):
    """Requests that `refusal.invalid_before_routing` turns away must not come here: it is asked before the routing."""

    def __init__(
        self,
        config: GroupConfig,
        new_id: Callable[[], str],
        topics: TopicView | None = None,
        times: GroupTimes | None = None,
    ) -> None:
        """`new_id` gives the text of a fresh random UUID each time. Without `topics` there are none; without `times` no group
        has settings of its own."""
        self.config = config
        self.new_id = new_id
        self.groups: dict[str, Group] = {}
        """Live groups. While the log is being replayed only the simple ones are here."""
        self.facts: dict[str, GroupStored] = {}
        """The last durable record of each group that has one."""
        self.consumer_groups: dict[str, ConsumerGroup] = {}
        """Durable facts: these groups change in `replay` only."""
        self.storing: set[str] = set()
        self.topics: TopicView = NoTopics() if topics is None else topics
        self.times = GroupTimes(config) if times is None else times
        self.regex_filters: dict[str, Callable[[str], bool] | None] = {}
        self.offsets = OffsetStore()
        self.counters = Counters()

    # -- a client asked

    def handle(self, request: Request, ticket: Ticket, now_ms: int, member_checked: bool = False) -> Outcome:
        """`member_checked`, for a commit: a heartbeat of its member would be answered NONE, and has been taken."""
        if type(request) is Heartbeat:
            return heartbeat(self.groups, request, ticket, now_ms, self.consumer_groups)
        if type(request) is OffsetCommit:
            return commit_offsets(self, request, ticket, now_ms, member_checked)
        match request:
            case OffsetFetch():
                return fetch_offsets(self, request, ticket, now_ms)
            case TxnOffsetCommit():
                return commit_in_transaction(self, request, ticket, now_ms)
            case OffsetDelete():
                return delete_offsets(self, request, ticket, now_ms)
            case DescribeGroup():
                return Outcome(replies=[(ticket, describe_group(self.groups, request, self.consumer_groups))])
            case DescribeConsumerGroup():
                return Outcome(replies=[(ticket, describe_consumer_group(self, request))])
            case ListGroups():
                return Outcome(replies=[(ticket, list_groups(self.groups, self.consumer_groups, request))])
            case _:
                return self._handle_write(request, ticket, now_ms)

    def is_being_created(self, group_id: str) -> bool:
        """A member was told of the group, and its first record is not durable yet."""
        group = self.groups.get(group_id)
        return group is not None and not group.is_committed

    def _handle_write(self, request: Request, ticket: Ticket, now_ms: int) -> Outcome:
        builder = self._builder(now_ms)
        decide_write(self, request, ticket, builder)
        return self._outcome(builder)

    def _outcome(self, builder: OutcomeBuilder) -> Outcome:
        group_id: str | None = None
        member_id: str | None = None
        for record in builder.records:
            if isinstance(record, ConsumerGroupRecord):
                group_id = record.group_id
                self.storing.add(group_id)
                if isinstance(record, CurrentStored):
                    member_id = record.member_id
        if group_id is not None and builder.step is None:
            builder.step = TellJournal(builder.notes, group_id, member_id, builder.now_ms)
        return builder.outcome()

    def on_marker(
        self, marker: EndTransactionMarker, ticket: Ticket, now_ms: int, raises_epoch: bool = False
    ) -> Outcome:
        """The transaction coordinator has ended a transaction. `raises_epoch`: its epoch must be higher than the transaction's."""
        return end_transaction(self, marker, ticket, now_ms, raises_epoch)

    # -- a deadline passed

    def on_timer(self, key: TimerKey, now_ms: int) -> Outcome:
        """The runtime has seen to it that a timer which was moved or cancelled does not come here (spec 6.2)."""
        if key == EXPIRE_TIMER:
            return self._expire(now_ms)
        kind, group_id, *member = key
        group = self.groups.get(group_id)
        builder = self._builder(now_ms)
        if group is None:
            consumers = self.consumer_groups.get(group_id)
            if consumers is None:
                self.regex_filters.pop(group_id, None)
                return _NOTHING
            self._on_consumer_timer(kind, consumers, member, builder)
            return self._outcome(builder)
        if kind == "session":
            on_session_timer(group, member[0], builder)
        elif kind == "join" and not member:
            on_join_timer(group, builder)
        elif kind == "sync" and not member:
            on_sync_timer(group, builder)
        else:
            # Of a consumer group that was here before.
            assert kind in ("revoke", "regex") or member, f"nobody set a timer {key!r}"
        return builder.outcome()

    def _on_consumer_timer(self, kind: str, group: ConsumerGroup, member: list[str], builder: OutcomeBuilder) -> None:
        match kind:
            case "session":
                on_consumer_session_timer(self, group, member[0], builder)
            case "revoke":
                on_revoke_timer(self, group, member[0], builder)
            case "regex":
                on_regex_timer(self, group, builder)
            case "join" | "sync" if member:
                on_classic_timer(self, group, member[0], builder, "rejoin_missed" if kind == "join" else "sync_missed")
            case _:
                pass  # of the classic group that was here before

    def _expire(self, now_ms: int) -> Outcome:
        outcome = expire_offsets(self, now_ms)
        for record in outcome.records:
            if isinstance(record, ConsumerGroupRecord):
                self.storing.add(record.group_id)
        return outcome

    # -- ownership

    def on_loaded(self, now_ms: int) -> Outcome:
        """Every record has been replayed: bring the groups to life. Everybody gets a full session to show up (T019)."""
        builder = self._builder(now_ms)
        for fact in self.facts.values():
            group = self.groups[fact.group_id] = loaded_group(fact)
            for member in group.members.values():
                builder.start_session(member)
            if len(group.members) > self.config.max_size:
                start(group, builder, "group_too_large")
        for consumers in self.consumer_groups.values():
            start_timers(self, consumers, builder)
        builder.set_timer(EXPIRE_TIMER, now_ms + self.config.offsets_retention_check_interval_ms)
        return builder.outcome()

    def on_unload(self, now_ms: int) -> Outcome:
        builder = self._builder(now_ms)
        for group in self.groups.values():
            unload_group(group, builder)
        for consumers in self.consumer_groups.values():
            stop_timers(consumers, builder)
        builder.cancel_timer(EXPIRE_TIMER)
        return builder.outcome()

    def on_topics_deleted(self, names: Iterable[str], now_ms: int) -> Outcome:
        return erase_topics(self, names, now_ms)

    # -- records

    def replay(self, record: Record, log_offset: int) -> None:
        """Apply a durable record to the facts, the same way while loading and while serving.

        A live group is not disturbed by its own record: it is already where the record says, or has moved on.
        """
        if isinstance(record, OffsetsCommitted):
            self.offsets.put_topic(record, log_offset)
            self._offsets_replayed(record.group_id, record.commit_timestamp_ms)
            return
        match record:
            case OffsetErased():
                self.offsets.erase(record.group_id, record.topic, record.partition)
            case GroupStored():
                self.facts[record.group_id] = record
                self.consumer_groups.pop(record.group_id, None)
                group = self.groups.get(record.group_id)
                if group is not None:
                    group.is_committed = True
            case GroupErased():
                # The offsets stay: they have tombstones of their own (spec 5.7).
                self.facts.pop(record.group_id, None)
                erased = self.groups.pop(record.group_id, None)
                if erased is not None:
                    # It may have become a consumer group: who holds on to a member must not answer for it any longer.
                    for member in erased.members.values():
                        member.is_gone = True
            case ConsumerGroupRecord():
                self._replay_consumer(record)
            case UnknownRecord():
                self.counters.unknown_records += 1
            case OffsetCommitted():
                self.offsets.put(record, log_offset)
                self._offsets_replayed(record.group_id, record.commit_timestamp_ms)
            case TransactionalOffset():
                self.offsets.put_pending(record, log_offset)
                self._offsets_replayed(record.committed.group_id, record.committed.commit_timestamp_ms)
            case EndTransactionMarker():
                self.offsets.end_transaction(record)
            case _:
                assert_never(record)

    def _replay_consumer(self, record: ConsumerGroupRecord) -> None:
        group_id = record.group_id
        self.storing.discard(group_id)
        group = self.consumer_groups.get(group_id)
        if isinstance(record, EpochErased):
            self.consumer_groups.pop(group_id, None)
        elif group is not None:
            group.replay(record)
        elif not isinstance(record, TOMBSTONES):
            # Deviates: Kafka does not load a log in which a classic group with members becomes one without a tombstone
            # (spec 5.7).
            self.facts.pop(group_id, None)
            self.groups.pop(group_id, None)
            group = self.consumer_groups[group_id] = ConsumerGroup(group_id)
            group.replay(record)

    def replay_loaded(self, group_id: str, topic: str, run: OffsetRun) -> None:
        """`replay` of commits of one group to one topic, as the loader reads them: a million records in a second."""
        self.offsets.put_run(group_id, topic, run)
        self._offsets_replayed(group_id, run.committed_ms[0])

    def _offsets_replayed(self, group_id: str, committed_ms: int) -> None:
        """An offset of a group that nobody knows makes it a simple group; if there is a fact, `on_loaded` knows better."""
        group = self.groups.get(group_id)
        if group is not None:
            group.is_committed = True
        elif group_id not in self.consumer_groups:
            self.groups[group_id] = simple_group(group_id, committed_ms)

    def on_durable(self, step: Value, now_ms: int) -> Outcome:
        builder = self._builder(now_ms)
        match step:
            case StoreAssignments():
                assignment_stored(self.groups.get(step.group_id), step, builder)
            case TellJournal():
                builder.journal.extend(step.events)
                self._note_state(step, builder)
            case Downgrade():
                downgraded(self, step, builder)
            case CreateGroup() | ReplaceStaticMember():
                pass  # the group is where the records say already
            case _:
                raise AssertionError(f"nobody asked for {step!r}")
        return builder.outcome()

    def _note_state(self, step: TellJournal, builder: OutcomeBuilder) -> None:
        group = self.consumer_groups.get(step.group_id) if step.group_id is not None else None
        if group is not None:
            builder.journal.extend(state_changes(group, step.at_ms, step.events, step.member_id))

    def on_append_failed(self, outcome: Outcome, error_code: int, now_ms: int) -> Outcome:
        """The facts never changed. Who waited hears the mapped error, and live groups that ran ahead come back."""
        self.offsets.lost(outcome.records)
        builder = self._builder(now_ms)
        concerned = {record.group_id: None for record in outcome.records if isinstance(record, ConsumerGroupRecord)}
        for group_id in concerned:
            self.storing.discard(group_id)
            consumers = self.consumer_groups.get(group_id)
            if consumers is not None:
                restart_timers(self, consumers, outcome.records, builder)
        error = mapped_append_error("group", error_code)
        match outcome.step:
            case ReplaceStaticMember() as step:
                replacement_failed(self.groups.get(step.group_id), step, outcome, error, builder)
                return builder.outcome()
            case StoreAssignments() as step:
                assignment_lost(self.groups.get(step.group_id), step, error, builder)
            case CreateGroup() as step:
                creation_failed(self.groups, step, error, builder)
            case _:
                pass  # nothing ran ahead of its records
        for ticket, reply in outcome.replies:
            builder.reply(ticket, after_failed_append(cast(Reply, reply), error_code))
        return builder.outcome()

    def on_append_overdue(self, outcome: Outcome, now_ms: int) -> Outcome:
        """Storage is slow: who waits hears so, as Kafka tells them. The records may still become durable (T027).

        Parked SyncGroups are told like after a failed append, and the group begins anew: when the assignments do become
        durable it has moved on (spec 3.10).
        """
        builder = self._builder(now_ms)
        for ticket, reply in outcome.replies:
            builder.reply(ticket, refused_after_timeout(cast(Reply, reply)))
        step = outcome.step
        if isinstance(step, StoreAssignments):
            error = mapped_append_error("group", REQUEST_TIMED_OUT)
            assignment_lost(self.groups.get(step.group_id), step, error, builder)
        return builder.outcome()

    def _builder(self, now_ms: int) -> OutcomeBuilder:
        return OutcomeBuilder(self.config, self.counters, self.new_id, now_ms)

    def __repr__(self) -> str:
        return f"<Shard: {len(self.groups)} groups, {self.offsets.count} offsets>"
