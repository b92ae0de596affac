"""A shard and the world around it, small enough to read: a clock that is moved by hand, timers, a log, and who asked.

Carries outcomes out in the order that `muster.core.contract` states. Appends are durable at once unless they are held; held
ones are released or failed by hand. With `orderly` events of a group wait while its group records are in flight, as in the
real runtime; without it the core has to cope by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Self, TypeVar, cast

from muster.core.classic.group import Group
from muster.core.classic.states import GroupState
from muster.core.config import GroupConfig
from muster.core.consumer.records import ConsumerGroupRecord
from muster.core.consumer.requests import DescribeConsumerGroup
from muster.core.consumer.topics import TopicView
from muster.core.contract import Outcome, TimerKey
from muster.core.journal import JournalEvent
from muster.core.records import EndTransactionMarker, GroupErased, GroupStored, Record, SingleRecord, singly
from muster.core.replies import (
    CommitReply,
    DeleteReply,
    DescribeReply,
    FetchReply,
    HeartbeatReply,
    JoinReply,
    LeaveReply,
    ListReply,
    MarkerReply,
    Reply,
    SyncReply,
)
from muster.core.requests import (
    DeleteGroup,
    DescribeGroup,
    Heartbeat,
    JoinGroup,
    LeaveGroup,
    LeavingMember,
    ListGroups,
    OffsetCommit,
    OffsetFetch,
    Request,
    SyncGroup,
    TxnOffsetCommit,
)
from muster.core.shard import Shard
from muster.wire.i32_array import i32_array
from muster.wire.value import Value
from tests.core.commit_entries import by_topic
from tests.core.invariants import check_shard, check_timers

R = TypeVar("R")

RANGE = (("range", b"range metadata"),)
SESSION_MS = 10_000
REBALANCE_MS = 30_000
START_MS = 1_000_000
BUSY_GROUP_RETRY_MS = 1_000


class Call(Generic[R]):
    """A ticket: one request and, once it is answered, the one reply to it."""

    def __init__(self, request: Request | EndTransactionMarker) -> None:
        self.request = request
        self._replies: list[Reply] = []
        self.answered_ms: int | None = None

    def redeem(self, reply: Reply, now_ms: int) -> None:
        assert not self._replies, f"{self.request!r} is answered twice: {self._replies[0]!r}, then {reply!r}"
        self._replies.append(reply)
        self.answered_ms = now_ms

    @property
    def waiting(self) -> bool:
        return not self._replies

    @property
    def reply(self) -> R:
        assert self._replies, f"{self.request!r} is not answered yet"
        return cast(R, self._replies[0])


@dataclass
class InFlight:
    outcome: Outcome
    group_ids: frozenset[str]


class World:
    def __init__(
        self, config: GroupConfig | None = None, *, orderly: bool = False, topics: TopicView | None = None
    ) -> None:
        self.now_ms = START_MS
        self.ids = 0
        self.shard = Shard(config or GroupConfig(), self._new_id, topics)
        self.timers: dict[TimerKey, int] = {}
        self.log: list[SingleRecord] = []
        self.appended: list[list[Record]] = []
        """Every batch that was asked for, durable or not."""
        self.journal: list[JournalEvent] = []
        self.in_flight: list[InFlight] = []
        self.holding = False
        self.calls: list[Call[object]] = []
        self.watch: Callable[[], None] | None = None
        """Called whenever an outcome has been carried out."""
        self._orderly = orderly
        self._queue: list[tuple[str, Callable[[], Outcome]]] = []
        self.apply(self.shard.on_loaded(self.now_ms))

    # -- carrying out

    def _new_id(self) -> str:
        self.ids += 1
        return f"uuid{self.ids}"

    def apply(self, outcome: Outcome) -> None:
        for key, deadline_ms in outcome.timers:
            self.timers.pop(key, None)
            if deadline_ms is not None:
                self.timers[key] = deadline_ms
        self._release(outcome.early_replies)
        self.journal.extend(outcome.journal)
        if outcome.records:
            self.appended.append(list(outcome.records))
            kinds = GroupStored | GroupErased | ConsumerGroupRecord
            ids = frozenset(record.group_id for record in outcome.records if isinstance(record, kinds))
            self.in_flight.append(InFlight(outcome, ids))
            if not self.holding:
                self.settle()
        else:
            assert outcome.step is None, "a step without records never comes"
            self._release(outcome.replies)
        check_shard(self.shard)
        check_timers(self.shard, self.timers)
        if self.watch is not None:
            self.watch()

    def _release(self, replies: Sequence[tuple[object, Value]]) -> None:
        for ticket, reply in replies:
            assert isinstance(ticket, Call)
            ticket.redeem(cast(Reply, reply), self.now_ms)

    def settle(self, error: int | None = None) -> None:
        """The oldest append in flight is durable, or failed with this error of the log."""
        in_flight = self.in_flight.pop(0)
        outcome = in_flight.outcome
        if error is not None:
            self.apply(self.shard.on_append_failed(outcome, error, self.now_ms))
        else:
            for record in outcome.records:
                self.shard.replay(record, len(self.log))
                self.log.extend(singly([record]))
            follow_up = self.shard.on_durable(outcome.step, self.now_ms) if outcome.step is not None else None
            self._release(outcome.replies)
            if follow_up is not None:
                self.apply(follow_up)
        self._let_through()

    def _let_through(self) -> None:
        for index, (group_id, event) in enumerate(self._queue):
            if not self._is_busy(group_id):
                del self._queue[index]
                self.apply(event())
                self._let_through()
                return

    def _is_busy(self, group_id: str) -> bool:
        return self._orderly and any(group_id in in_flight.group_ids for in_flight in self.in_flight)

    def hold(self) -> None:
        self.holding = True

    def release(self) -> None:
        """Everything in flight becomes durable, and so does what follows."""
        self.holding = False
        while self.in_flight:
            self.settle()

    def fail(self, error: int) -> None:
        """Everything in flight is lost; later appends work again."""
        self.holding = False
        while self.in_flight:
            self.settle(error)

    # -- time

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
        if len(key) > 1 and self._is_busy(key[1]):
            self.timers[key] = self.now_ms + BUSY_GROUP_RETRY_MS
            return
        del self.timers[key]
        self.apply(self.shard.on_timer(key, self.now_ms))

    def remaining(self, *key: str) -> int | None:
        """How long until the timer fires; None if it is not set."""
        deadline_ms = self.timers.get(key)
        return None if deadline_ms is None else deadline_ms - self.now_ms

    # -- asking

    def ask(self, request: Request) -> Call[object]:
        call: Call[object] = Call(request)
        self.calls.append(call)
        group_id = "" if isinstance(request, ListGroups) else request.group_id
        reads = isinstance(
            request,
            ListGroups | DescribeGroup | DescribeConsumerGroup | OffsetCommit | TxnOffsetCommit | OffsetFetch,
        )
        if not reads and self._is_busy(group_id):
            self._queue.append((group_id, lambda: self.shard.handle(request, call, self.now_ms)))
        else:
            self.apply(self.shard.handle(request, call, self.now_ms))
        return call

    def join(
        self,
        member_id: str = "",
        *,
        group: str = "g",
        instance: str | None = None,
        client: str = "client",
        host: str = "/127.0.0.1",
        session: int = SESSION_MS,
        rebalance: int = REBALANCE_MS,
        type_: str = "consumer",
        protocols: tuple[tuple[str, bytes], ...] = RANGE,
        reason: str | None = None,
        known: bool = False,
        skip: bool = False,
    ) -> Call[JoinReply]:
        """Without `known` like a client below v4, with it like v4+; with `skip` like v9+."""
        request = JoinGroup(
            group,
            member_id,
            instance,
            client,
            host,
            session,
            rebalance,
            type_,
            protocols,
            reason,
            known,
            skip,
        )
        return cast("Call[JoinReply]", self.ask(request))

    def sync(
        self,
        member_id: str,
        generation: int,
        assignments: dict[str, bytes] | None = None,
        *,
        group: str = "g",
        instance: str | None = None,
        type_: str | None = None,
        name: str | None = None,
    ) -> Call[SyncReply]:
        pairs = tuple((assignments or {}).items())
        return cast("Call[SyncReply]", self.ask(SyncGroup(group, generation, member_id, instance, type_, name, pairs)))

    def heartbeat(
        self, member_id: str, generation: int, *, group: str = "g", instance: str | None = None
    ) -> Call[HeartbeatReply]:
        return cast("Call[HeartbeatReply]", self.ask(Heartbeat(group, generation, member_id, instance)))

    def leave(self, *leaving: str | tuple[str, str | None], group: str = "g") -> Call[LeaveReply]:
        pairs = [(entry, None) if isinstance(entry, str) else entry for entry in leaving]
        members = tuple(LeavingMember(member_id, instance, "bye") for member_id, instance in pairs)
        return cast("Call[LeaveReply]", self.ask(LeaveGroup(group, members)))

    def commit(
        self,
        offset: int = 1,
        *,
        group: str = "g",
        member_id: str = "",
        generation: int = -1,
        instance: str | None = None,
        topic: str = "t",
        metadata: str = "",
    ) -> Call[CommitReply]:
        entry = (topic, 0, offset, -1, metadata, None)
        request = OffsetCommit(group, generation, member_id, instance, None, by_topic([entry]), True)
        return cast("Call[CommitReply]", self.ask(request))

    def txn_commit(
        self,
        offset: int = 1,
        *,
        producer: int = 9,
        epoch: int = 0,
        group: str = "g",
        member_id: str = "",
        generation: int = -1,
        instance: str | None = None,
        topic: str = "t",
        metadata: str = "",
    ) -> Call[CommitReply]:
        entries = by_topic([(topic, 0, offset, -1, metadata, None)])
        request = TxnOffsetCommit(group, generation, member_id, instance, producer, epoch, entries)
        return cast("Call[CommitReply]", self.ask(request))

    def end(
        self, *, commit: bool, producer: int = 9, epoch: int = 0, coordinator: int = 0, raises: bool = False
    ) -> Call[MarkerReply]:
        """The transaction coordinator has a marker written."""
        marker = EndTransactionMarker(producer, epoch, commit, coordinator)
        call: Call[object] = Call(marker)
        self.calls.append(call)
        self.apply(self.shard.on_marker(marker, call, self.now_ms, raises))
        return cast("Call[MarkerReply]", call)

    def fetch(self, *, group: str = "g", stable: bool = False) -> FetchReply:
        return cast(FetchReply, self.ask(OffsetFetch(group, None, stable)).reply)

    def fetched(self, *, group: str = "g", topic: str = "t", stable: bool = False) -> tuple[int, int]:
        """Offset and error of partition 0."""
        asked = OffsetFetch(group, [(topic, i32_array([0]))], stable)
        ((_, ((_, offset, _, _, error),)),) = cast(FetchReply, self.ask(asked).reply).listed()
        return offset, error

    def describe(self, group: str = "g") -> DescribeReply:
        return cast(DescribeReply, self.ask(DescribeGroup(group)).reply)

    def list_groups(self, states: tuple[str, ...] = (), types: tuple[str, ...] = ()) -> ListReply:
        return cast(ListReply, self.ask(ListGroups(states, types)).reply)

    def delete(self, group: str = "g") -> Call[DeleteReply]:
        return cast("Call[DeleteReply]", self.ask(DeleteGroup(group)))

    # -- situations

    @property
    def group(self) -> Group:
        return self.shard.groups["g"]

    def state(self) -> GroupState:
        """A call, so that type checkers do not think it stays what it was."""
        return self.group.state

    def completing(self, *instances: str | None, **details: int) -> list[str]:
        """A new group `g` in CompletingRebalance with these members (None: a dynamic one); the first leads. Their ids."""
        joins = [self.join(instance=instance, **details) for instance in instances]  # type: ignore[arg-type]
        while any(join.waiting for join in joins):
            deadline_ms = self.timers[("join", "g")]
            self.advance(deadline_ms - self.now_ms)
        return [join.reply.member_id for join in joins]

    def stable(self, *instances: str | None, **details: int) -> list[str]:
        """The same, and everybody has synced: member number i was assigned the byte i."""
        ids = self.completing(*instances, **details)
        plan = {member_id: bytes([index]) for index, member_id in enumerate(ids)}
        syncs = [self.sync(member_id, self.group.generation, plan) for member_id in ids[::-1]]
        assert all(sync.reply.error == 0 for sync in syncs)
        return ids

    def restart(self) -> Self:
        """Another node takes over: a fresh shard, loaded from what is durable."""
        heir = World.__new__(type(self))
        heir.__dict__.update(self.__dict__)
        heir.shard = Shard(self.shard.config, self._new_id, self.shard.topics)
        heir.timers, heir.in_flight, heir._queue, heir.calls, heir.watch = {}, [], [], [], None
        heir.log = []
        for record in self.log:
            heir.shard.replay(record, len(heir.log))
            heir.log.append(record)
        heir.apply(heir.shard.on_loaded(self.now_ms))
        return heir

    def kinds(self) -> list[str]:
        return [event.kind for event in self.journal]


def numbered(count: int) -> tuple[None, ...]:
    """So many dynamic members, for `completing` and `stable`."""
    return (None,) * count


def assert_errors(calls: Sequence[Call[JoinReply]] | Sequence[Call[SyncReply]], *codes: int) -> None:
    assert [call.reply.error for call in calls] == list(codes)
