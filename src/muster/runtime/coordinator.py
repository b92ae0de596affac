"""The coordinator of groups: which shard answers, and may it yet.

A group's shard is the one of its `__consumer_offsets` partition (spec 1.2). While it is not active the answers of spec 1.5 are
given here, before the core sees anything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast

from mypy_extensions import mypyc_attr

from muster.core.config import GroupConfig
from muster.core.consumer.group_times import GroupTimes
from muster.core.consumer.requests import ConsumerHeartbeat
from muster.core.consumer.topics import TopicView
from muster.core.journal import JournalEvent
from muster.core.records import EndTransactionMarker
from muster.core.refusal import invalid_before_routing, refused
from muster.core.replies import MarkerReply
from muster.core.requests import Heartbeat, ListGroups, Request
from muster.core.shard import Shard
from muster.log.contract import PartitionLog
from muster.runtime.alarm import Alarm
from muster.runtime.clock import Clock
from muster.runtime.coordinator_shards import CoordinatorShards, LedPartition, ShardState
from muster.runtime.group_commit import GroupCommit
from muster.runtime.group_runner import GroupRunner
from muster.runtime.journal_writer import JournalWriter
from muster.runtime.loader import Load
from muster.runtime.offsets_load import OffsetsLoad
from muster.runtime.offsets_log import OffsetsLog
from muster.runtime.session_token import SessionToken
from muster.runtime.tickets import Redeemable
from muster.wire.errors import (
    COORDINATOR_LOAD_IN_PROGRESS,
    COORDINATOR_NOT_AVAILABLE,
    NOT_COORDINATOR,
    NOT_LEADER_OR_FOLLOWER,
)
from muster.wire.value import Value

_ACTIVE: Final = ShardState.ACTIVE


class CoordinatorConfig(Value):
    """What the coordinator itself needs to know; decisions depend on `groups` alone."""

    __match_args__ = ("groups", "load_buffer_bytes", "commit_timeout_ms", "compression_codec")
    __slots__ = __match_args__

    def __init__(
        self,
        groups: GroupConfig,
        load_buffer_bytes: int = 5_242_880,
        commit_timeout_ms: int = 5_000,
        compression_codec: int = 0,
    ) -> None:
        self.groups = groups
        self.load_buffer_bytes = load_buffer_bytes
        self.commit_timeout_ms = commit_timeout_ms
        self.compression_codec = compression_codec


@mypyc_attr(allow_interpreted_subclasses=True)
class Coordinator(CoordinatorShards[GroupRunner]):
    def __init__(
        self,
        config: CoordinatorConfig,
        clock: Clock,
        alarm: Alarm,
        commit: GroupCommit,
        journal: JournalWriter,
        new_id: Callable[[], str],
        open_log: Callable[[int], tuple[PartitionLog, int]],
        call_soon: Callable[[Callable[[], None]], object],
        topics: TopicView | None = None,
    ) -> None:
        """`open_log` gives a partition's log and how large a batch it takes (max.message.bytes). `topics` are those that
        consumer groups can subscribe to."""
        super().__init__(clock, alarm, commit, open_log, call_soon)
        self._config = config
        self._journal = journal
        self._new_id = new_id
        self._topics = topics
        self.times = GroupTimes(config.groups)
        """What groups have set for themselves; written by `GroupConfigs`."""

    # -- requests

    def submit(self, request: Request, ticket: Redeemable) -> None:
        """Route a request that names a group. Checks go in the order of spec 1.5; loading is tested before ownership."""
        assert not isinstance(request, ListGroups), "asked of every shard: list_groups"
        if not self.active:
            ticket.redeem(refused(request, COORDINATOR_NOT_AVAILABLE))
            return
        if self.may_speak is not None and not self.may_speak():
            ticket.redeem(refused(request, NOT_COORDINATOR))
            return
        invalid = invalid_before_routing(request, self._config.groups)
        if invalid is not None:
            ticket.redeem(invalid)
            return
        place = self.places.get(self.partition_of(request.group_id))
        if place is None or place.runner is None or place.state is not _ACTIVE:
            ticket.redeem(refused(request, self._why_not(place)))
            return
        place.runner.submit(request, ticket)

    def session_token(self, request: Heartbeat | ConsumerHeartbeat) -> SessionToken | None:
        """For later requests of the member that sent this heartbeat; None if they have to be submitted like any other."""
        partition = self._partitions.get(request.group_id)
        place = None if partition is None else self.places.get(partition)
        if place is None or place.runner is None or place.state is not _ACTIVE:
            return None
        return place.runner.session_token(request, place, self.may_speak)

    def shard_of(self, group_id: str) -> Shard | None:
        """The shard that answers for a group, if it is here and loaded."""
        runner = self.runner_of(group_id)
        return None if runner is None else runner.shard

    def runner_of(self, group_id: str) -> GroupRunner | None:
        """What carries out the decisions of the group's shard, if it is here and loaded."""
        place = self.places.get(self.partition_of(group_id))
        if place is None or place.runner is None or place.state is not _ACTIVE:
            return None
        return place.runner

    def list_groups(self, request: ListGroups, ticket_for: Callable[[], Redeemable]) -> int:
        """Ask every active shard, each with a ticket of its own; returns the error that stands before any asking."""
        if not self.active:
            return COORDINATOR_NOT_AVAILABLE
        if any(place.state is ShardState.LOADING for place in self.places.values()):
            return COORDINATOR_LOAD_IN_PROGRESS
        for place in self.places.values():
            if place.state is ShardState.ACTIVE and place.runner is not None:
                place.runner.submit(request, ticket_for())
        return 0

    def end_transaction(
        self, partition: int, marker: EndTransactionMarker, ticket: Redeemable, raises_epoch: bool = False
    ) -> None:
        """WriteTxnMarkers for a partition of `__consumer_offsets`. Who cannot write it answers as any log does (T192)."""
        place = self.places.get(partition) if self.active and (self.may_speak is None or self.may_speak()) else None
        if place is None or place.runner is None or place.state is not _ACTIVE:
            ticket.redeem(MarkerReply(NOT_LEADER_OR_FOLLOWER))
        else:
            place.runner.end_transaction(marker, ticket, raises_epoch)

    def topics_deleted(self, names: frozenset[str]) -> None:
        """Committed offsets of topics that are gone are erased at once (spec 4.5)."""
        for place in self.places.values():
            if place.state is ShardState.ACTIVE and place.runner is not None:
                place.runner.topics_deleted(names)

    def shards(self) -> list[Shard]:
        """The active ones, for metrics."""
        return [
            place.runner.shard
            for place in self.places.values()
            if place.runner is not None and place.state is ShardState.ACTIVE
        ]

    # -- loading

    def _new_load(self, log: PartitionLog) -> Load:
        shard = Shard(self._config.groups, self._new_id, self._topics, self.times)
        return OffsetsLoad(shard, log, self._config.load_buffer_bytes)

    def _new_runner(
        self, place: LedPartition[GroupRunner], load: Load, log: PartitionLog, max_batch_bytes: int
    ) -> GroupRunner:
        return GroupRunner(
            cast(OffsetsLoad, load).shard,
            OffsetsLog(log, self.commit, place.epoch, max_batch_bytes, self._config.compression_codec),
            self._clock,
            self._alarm,
            self._journal,
            self._config.commit_timeout_ms,
            lambda runner: self._shard_failed(place, runner),
        )

    def _loaded(
        self, place: LedPartition[GroupRunner], load: Load, log: PartitionLog, max_batch_bytes: int, began_ms: int
    ) -> None:
        super()._loaded(place, load, log, max_batch_bytes, began_ms)
        if self.may_speak is not None and place.epoch > 0:
            self._tell_of_taking_over(cast(OffsetsLoad, load).shard)

    def _tell_of_taking_over(self, shard: Shard) -> None:
        """Tell the journal that groups moved here. A node that was killed cannot do that, so the node that loads them does."""
        now_ms = self._clock.now_ms()
        states = [(group.group_id, group.generation, group.state.value) for group in shard.groups.values()]
        states += [(group.group_id, group.epoch, group.state().value) for group in shard.consumer_groups.values()]
        for group_id, generation, state in states:
            moved: dict[str, object] = {"from": "Dead", "to": state}
            self._journal.write(JournalEvent("state_changed", now_ms, group_id, generation, "taken_over", detail=moved))
