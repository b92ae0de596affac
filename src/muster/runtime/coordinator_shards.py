"""The life of the shards of one kind on this node: led, loaded, active, failed, given up.

    INITIAL -> LOADING -> ACTIVE;  LOADING | ACTIVE -> FAILED;  any -> CLOSED;  FAILED -> LOADING

Leadership comes and goes with `elect` and `resign` and their epochs. What shards decide about, and how their log is read, is the
business of the coordinator: `coordinator` of groups, `transaction_coordinator` of transactions.
"""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections import deque
from collections.abc import Callable
from enum import Enum
from typing import Final, Generic, TypeVar

from mypy_extensions import mypyc_attr

from muster.core.hashing import partition_for
from muster.log.contract import NotReadYet, PartitionLog, StorageError
from muster.runtime.alarm import Alarm
from muster.runtime.clock import Clock
from muster.runtime.group_commit import GroupCommit
from muster.runtime.loader import Load, LoadError
from muster.runtime.runner import ShardRunner
from muster.wire.errors import COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR
from muster.wire.value import Value

_log = logging.getLogger(__name__)

RELOAD_AFTER_FAILURE_MS: Final = 1_000
RELOAD_AFTER_READ_ERROR_MS: Final = 10_000
_REMEMBERED_KEYS: Final = 65_536

R = TypeVar("R", bound=ShardRunner)


class ShardState(Enum):
    INITIAL = "initial"
    LOADING = "loading"
    ACTIVE = "active"
    FAILED = "failed"
    CLOSED = "closed"


class LedPartition(Value, Generic[R]):
    """One partition led by this node: its shard, or what stands in the way of one."""

    __match_args__ = ("partition", "epoch", "state", "runner", "load_ms")
    __slots__ = __match_args__

    def __init__(
        self,
        partition: int,
        epoch: int,
        state: ShardState = ShardState.INITIAL,
        runner: R | None = None,
        load_ms: int = 0,
    ) -> None:
        self.partition = partition
        self.epoch = epoch
        self.state = state
        self.runner = runner
        self.load_ms = load_ms


@mypyc_attr(allow_interpreted_subclasses=True)
class CoordinatorShards(Generic[R]):
    def __init__(
        self,
        clock: Clock,
        alarm: Alarm,
        commit: GroupCommit,
        open_log: Callable[[int], tuple[PartitionLog, int]],
        call_soon: Callable[[Callable[[], None]], object],
    ) -> None:
        """`open_log` gives a partition's log and how large a batch it takes (max.message.bytes)."""
        self._clock = clock
        self._alarm = alarm
        self.commit = commit
        self._open_log = open_log
        self._call_soon = call_soon
        self.places: dict[int, LedPartition[R]] = {}
        self.partition_count = 0
        self._partitions: dict[str, int] = {}
        """Of the keys that were asked for: groups, transactional ids."""
        self.active = False
        self.may_speak: Callable[[], bool] | None = None
        """In a cluster: whether this node's lease holds. Without one it always may."""
        self.unknown_records = 0
        self.undecodable_records = 0
        self._loads: deque[Callable[[], bool]] = deque()
        """Shards that are being loaded; the first one is at it."""
        self._is_step_last = False
        """Whether that one is over with the step that was done last."""
        self.read_apart: Callable[[Callable[[], None], Callable[[], None]], None] | None = None
        """Where logs are in a database: has a step done, as often as it lacks something that has to be read first, then calls
        back."""

    # -- of the kind of coordinator

    @abstractmethod
    def _new_load(self, log: PartitionLog) -> Load:
        """A reader of the log, with the fresh shard that it fills."""

    @abstractmethod
    def _new_runner(self, place: LedPartition[R], load: Load, log: PartitionLog, max_batch_bytes: int) -> R:
        """For the shard that was loaded."""

    # -- life

    def start(self, partition_count: int) -> None:
        """From now on there is a coordinator here. The number of partitions is not looked at again (spec 1.2)."""
        self.count_partitions(partition_count)
        self.active = True

    def count_partitions(self, partition_count: int) -> None:
        """Keys are found by this number from now on."""
        self.partition_count = partition_count
        self._partitions.clear()

    def stop(self) -> None:
        """Unload everything. Waiting requests are answered NOT_COORDINATOR before the connections close (spec 1.4)."""
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

    # -- where a key belongs

    def partition_of(self, key: str) -> int:
        """The partition of a group or a transactional id. Remembered: every request asks for it, and hashing a name takes longer
        than all the rest of the way."""
        partition = self._partitions.get(key)
        if partition is None:
            if len(self._partitions) >= _REMEMBERED_KEYS:
                self._partitions.clear()
            partition = self._partitions[key] = partition_for(key, self.partition_count)
        return partition

    def _why_not(self, place: LedPartition[R] | None) -> int:
        loading = place is not None and place.state is ShardState.LOADING
        return COORDINATOR_LOAD_IN_PROGRESS if loading else NOT_COORDINATOR

    # -- loading

    def _load(self, place: LedPartition[R]) -> None:
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

    def _replay(self, place: LedPartition[R], log: PartitionLog, max_batch_bytes: int, began_ms: int) -> None:
        load = self._new_load(log)

        def is_over() -> bool:
            if self.places.get(place.partition) is not place or place.state is not ShardState.LOADING:
                return True  # resigned meanwhile
            try:
                finished = load.step()
            except NotReadYet:
                return False  # it is read, and the step is done again
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
                self._loaded(place, load, log, max_batch_bytes, began_ms)
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
        if self.read_apart is not None:
            self.read_apart(self._load_step, self._load_next)
            return
        try:
            self._load_step()
        finally:
            self._load_next()

    def _load_step(self) -> None:
        self._is_step_last = True  # also for a load that ends with an exception: the others go on
        is_done = False
        try:
            self._is_step_last = self._loads[0]()
            is_done = True
        finally:
            if not is_done and self.read_apart is not None:
                self._call_soon(self._load_next)  # nobody calls back then

    def _load_next(self) -> None:
        if self._is_step_last:
            self._loads.popleft()
        if self._loads:
            self._call_soon(self._load_on)

    def _loaded(
        self, place: LedPartition[R], load: Load, log: PartitionLog, max_batch_bytes: int, began_ms: int
    ) -> None:
        place.load_ms = self._clock.ticks_ms() - began_ms
        name = f"{log.topic}-{log.partition}"
        self.unknown_records += load.unknown_records
        self.undecodable_records += load.undecodable_records
        if load.undecodable_records:
            _log.error(
                "%s: %d records cannot be decoded and were skipped, the first %s; 'muster log dump' shows them",
                name,
                load.undecodable_records,
                load.first_undecodable,
            )
        if load.unknown_records:
            _log.warning("%s: %d records of unknown types were skipped and kept", name, load.unknown_records)
        if load.records:
            _log.info("%s: %d records loaded in %d ms", name, load.records, place.load_ms)
        runner = place.runner = self._new_runner(place, load, log, max_batch_bytes)
        place.state = ShardState.ACTIVE
        runner.loaded()

    def _load_failed(self, place: LedPartition[R], why: str, *, try_again: bool = False) -> None:
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

    def _shard_failed(self, place: LedPartition[R], runner: ShardRunner) -> None:
        """A broken invariant: the log is right, the memory was not. Load it again, after a pause that keeps a shard that
        fails at once from taking all the time there is."""
        if place.runner is not runner or place.state is ShardState.CLOSED:
            return
        place.state = ShardState.FAILED
        place.runner = None
        self._load_later(place, RELOAD_AFTER_FAILURE_MS)

    def _load_later(self, place: LedPartition[R], delay_ms: int) -> None:
        def again() -> None:
            if self.places.get(place.partition) is place and place.state is ShardState.FAILED:
                self._load(place)

        self._clock.wake_at(self._clock.ticks_ms() + delay_ms, again)
