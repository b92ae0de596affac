"""Which shard answers, and may it yet: the life of the shards of this node.

    INITIAL -> LOADING -> ACTIVE;  LOADING | ACTIVE -> FAILED;  any -> CLOSED;  FAILED -> LOADING

A group's shard is the one of its `__consumer_offsets` partition (spec 1.2). While it is not active the answers of
spec 1.5 are given here, before the core sees anything. Leadership comes and goes with `elect` and `resign` and their
epochs.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from enum import Enum
from typing import Final

from mypy_extensions import mypyc_attr

from muster.core.config import GroupConfig
from muster.core.hashing import partition_for
from muster.core.journal import JournalEvent
from muster.core.records import EndTransactionMarker
from muster.core.refusal import invalid_before_routing, refused
from muster.core.replies import MarkerReply
from muster.core.requests import Heartbeat, ListGroups, Request
from muster.core.shard import Shard
from muster.log.contract import PartitionLog, StorageError
from muster.runtime.alarm import Alarm
from muster.runtime.clock import Clock
from muster.runtime.group_commit import GroupCommit
from muster.runtime.group_runner import GroupRunner
from muster.runtime.journal_writer import JournalWriter
from muster.runtime.loader import Load, LoadError
from muster.runtime.offsets_log import OffsetsLog
from muster.runtime.runner import ShardRunner
from muster.runtime.session_token import SessionToken
from muster.runtime.tickets import Redeemable
from muster.wire.errors import (
    COORDINATOR_LOAD_IN_PROGRESS,
    COORDINATOR_NOT_AVAILABLE,
    NOT_COORDINATOR,
    NOT_LEADER_OR_FOLLOWER,
)
from muster.wire.value import Value

_log = logging.getLogger(__name__)

RELOAD_AFTER_FAILURE_MS = 1_000
RELOAD_AFTER_READ_ERROR_MS = 10_000


class ShardState(Enum):
    INITIAL = "initial"
    LOADING = "loading"
    ACTIVE = "active"
    FAILED = "failed"
    CLOSED = "closed"


_ACTIVE: Final = ShardState.ACTIVE
_REMEMBERED_GROUPS: Final = 65_536


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


class LedPartition(Value):
    """One partition led by this node: its shard, or what stands in the way of one."""

    __match_args__ = ("partition", "epoch", "state", "runner", "load_ms")
    __slots__ = __match_args__

    def __init__(
        self,
        partition: int,
        epoch: int,
        state: ShardState = ShardState.INITIAL,
        runner: GroupRunner | None = None,
        load_ms: int = 0,
    ) -> None:
        self.partition = partition
        self.epoch = epoch
        self.state = state
        self.runner = runner
        self.load_ms = load_ms


@mypyc_attr(allow_interpreted_subclasses=True)
class Coordinator:
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
    ) -> None:
        """`open_log` gives a partition's log and how large a batch it takes (max.message.bytes)."""
        self._config = config
        self._clock = clock
        self._alarm = alarm
        self.commit = commit
        self._journal = journal
        self._new_id = new_id
        self._open_log = open_log
        self._call_soon = call_soon
        self.places: dict[int, LedPartition] = {}
        self.partition_count = 0
        self._partitions: dict[str, int] = {}
        """Of the groups that were asked for."""
        self.active = False
        self.may_speak: Callable[[], bool] | None = None
        """In a cluster: whether this node's lease holds. Without one it always may."""
        self.unknown_records = 0
        self.undecodable_records = 0
        self._loads: deque[Callable[[], bool]] = deque()
        """Shards that are being loaded; the first one is at it."""

    # -- life

    def start(self, partition_count: int) -> None:
        """From now on there is a coordinator here. The number of partitions is not looked at again (spec 1.2)."""
        self.partition_count = partition_count
        self._partitions.clear()
        self.active = True

    def stop(self) -> None:
        """Unload everything: whoever waits is told to look elsewhere before the connections close (spec 1.4)."""
        self.active = False
        for partition in list(self.places):
            self.resign(partition)

    def elect(self, partition: int, epoch: int) -> None:
        """This node leads the partition from `epoch` on. An epoch that is not news is ignored."""
        place = self.places.get(partition)
        if place is None:
            place = self.places[partition] = LedPartition(partition, epoch)
        elif epoch <= place.epoch:
            return
        else:
            place.epoch = epoch
        if place.state in (ShardState.INITIAL, ShardState.FAILED):
            self._load(place)

    def resign(self, partition: int, epoch: int | None = None) -> None:
        """This node leads the partition no more. A stale or equal epoch must not unload (spec 1.4)."""
        place = self.places.get(partition)
        if place is None or (epoch is not None and epoch <= place.epoch):
            return
        del self.places[partition]
        place.state = ShardState.CLOSED
        runner, place.runner = (
            place.runner,
            None,
        )  # they know each other: the next load would freeze them, offsets and all
        if runner is not None:
            runner.unload()

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
        partition = self._partitions.get(request.group_id)
        if partition is None:
            partition = self._partition_of(request.group_id)
        place = self.places.get(partition)
        if place is None or place.runner is None or place.state is not _ACTIVE:
            ticket.redeem(refused(request, self._why_not(place)))
            return
        place.runner.submit(request, ticket)

    def session_token(self, request: Heartbeat) -> SessionToken | None:
        """For later requests of the member that sent this heartbeat; None if they have to be submitted like any other."""
        partition = self._partitions.get(request.group_id)
        place = None if partition is None else self.places.get(partition)
        if place is None or place.runner is None or place.state is not _ACTIVE:
            return None
        return place.runner.session_token(request, place, self.may_speak)

    def _partition_of(self, group_id: str) -> int:
        """Every request asks for its group's partition, and hashing a name takes longer than all the rest of the way."""
        if len(self._partitions) >= _REMEMBERED_GROUPS:
            self._partitions.clear()
        partition = self._partitions[group_id] = partition_for(group_id, self.partition_count)
        return partition

    def shard_of(self, group_id: str) -> Shard | None:
        """The shard that answers for a group, if it is here and loaded."""
        partition = self._partitions.get(group_id)
        place = self.places.get(self._partition_of(group_id) if partition is None else partition)
        if place is None or place.runner is None or place.state is not _ACTIVE:
            return None
        return place.runner.shard

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

    def _why_not(self, place: LedPartition | None) -> int:
        loading = place is not None and place.state is ShardState.LOADING
        return COORDINATOR_LOAD_IN_PROGRESS if loading else NOT_COORDINATOR

    # -- loading

    def _load(self, place: LedPartition) -> None:
        place.state = ShardState.LOADING
        place.runner = None
        began_ms = self._clock.ticks_ms()
        try:
            log, max_batch_bytes = self._open_log(place.partition)
        except StorageError as error:
            self._load_failed(place, str(error), try_again=True)
            return

        def when_settled(_: StorageError | None) -> None:
            self._replay(place, log, max_batch_bytes, began_ms)

        if log.durable_offset < log.end_offset:
            # Records of the runner that failed are still on their way: what was loaded without them would not be what
            # the log says.
            self.commit.when_durable(log, log.end_offset, when_settled)
        else:
            when_settled(None)

    def _replay(self, place: LedPartition, log: PartitionLog, max_batch_bytes: int, began_ms: int) -> None:
        shard = Shard(self._config.groups, self._new_id)
        load = Load(shard, log, self._config.load_buffer_bytes)
        offsets_log = OffsetsLog(log, self.commit, place.epoch, max_batch_bytes, self._config.compression_codec)

        def is_over() -> bool:
            if self.places.get(place.partition) is not place or place.state is not ShardState.LOADING:
                return True  # resigned meanwhile
            try:
                finished = load.step()
            except LoadError as unreadable:
                self._load_failed(place, str(unreadable))
                return True
            except StorageError as error:
                self._load_failed(place, str(error), try_again=True)
                return True
            except Exception:
                # A broken invariant while replaying is one of the shard's, as in its runner (law 5).
                _log.exception("replaying partition %d failed", place.partition)
                self._load_failed(place, "the shard does not take what the log holds; the fault is above")
                return True
            if finished:
                self._loaded(place, shard, offsets_log, load, began_ms)
            return finished

        if load.is_over:
            is_over()
        else:
            self._in_turn(is_over)

    def _in_turn(self, step: Callable[[], bool]) -> None:
        """Ask again and again until it says that it is over. One load at a time, a step a turn of the loop: clients are
        served between two steps, however many shards there are."""
        self._loads.append(step)
        if len(self._loads) == 1:
            self._call_soon(self._load_on)

    def _load_on(self) -> None:
        is_over = True  # also for a load that ends with an exception: the others go on
        try:
            is_over = self._loads[0]()
        finally:
            if is_over:
                self._loads.popleft()
            if self._loads:
                self._call_soon(self._load_on)

    def _loaded(self, place: LedPartition, shard: Shard, log: OffsetsLog, load: Load, began_ms: int) -> None:
        place.load_ms = self._clock.ticks_ms() - began_ms
        self.unknown_records += load.unknown_records
        self.undecodable_records += load.undecodable_records
        if load.undecodable_records:
            _log.error(
                "%s: %d records cannot be decoded and were skipped, the first %s; 'muster log dump' shows them",
                log,
                load.undecodable_records,
                load.first_undecodable,
            )
        if load.unknown_records:
            _log.warning("%s: %d records of unknown types were skipped and kept", log, load.unknown_records)
        if load.records:
            _log.info("%s: %d records loaded in %d ms", log, load.records, place.load_ms)
        place.runner = GroupRunner(
            shard,
            log,
            self._clock,
            self._alarm,
            self._journal,
            self._config.commit_timeout_ms,
            lambda runner: self._shard_failed(place, runner),
        )
        place.state = ShardState.ACTIVE
        place.runner.loaded()
        if self.may_speak is not None and place.epoch > 0:
            self._tell_of_taking_over(shard)

    def _tell_of_taking_over(self, shard: Shard) -> None:
        """A node that was killed cannot say that its groups have gone elsewhere: whoever has them now does."""
        now_ms = self._clock.now_ms()
        for group in shard.groups.values():
            state: dict[str, object] = {"from": "Dead", "to": group.state.value}
            self._journal.write(
                JournalEvent("state_changed", now_ms, group.group_id, group.generation, "taken_over", detail=state)
            )

    def _load_failed(self, place: LedPartition, why: str, *, try_again: bool = False) -> None:
        """What a disk refuses it may give later; what a log holds stays what it is."""
        place.state = ShardState.FAILED
        until = "it can be read" if try_again else "the log is repaired"
        _log.error(
            "the coordinator of partition %d cannot be loaded: %s; its groups get NOT_COORDINATOR until %s",
            place.partition,
            why,
            until,
        )
        if try_again:
            self._load_later(place, RELOAD_AFTER_READ_ERROR_MS)

    def _shard_failed(self, place: LedPartition, runner: ShardRunner) -> None:
        """A broken invariant: the log is right, the memory was not. Load it again, after a pause that keeps a shard that
        fails at once from taking all the time there is."""
        if place.runner is not runner or place.state is ShardState.CLOSED:
            return
        place.state = ShardState.FAILED
        place.runner = None
        self._load_later(place, RELOAD_AFTER_FAILURE_MS)

    def _load_later(self, place: LedPartition, delay_ms: int) -> None:
        def again() -> None:
            if self.places.get(place.partition) is place and place.state is ShardState.FAILED:
                self._load(place)

        self._clock.wake_at(self._clock.ticks_ms() + delay_ms, again)
