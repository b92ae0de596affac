"""Logs in memory, for tests and throw-away brokers: the same rules as `files`, nothing survives.

`MemoryStore.failure` makes commits fail on purpose, so that callers can test what they do about a broken disk.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from muster.log.compactable import CompactableLog
from muster.log.compaction_round import Source
from muster.log.contract import CompactionOvertaken, Durability, LogConfig, StorageError, TimestampOffset
from muster.log.segment_rules import count_before, count_droppable, must_roll, rolls_by_clock
from muster.log.staging import Settled, StagedBatch, StagedLog, joined_up_to, left_by_compaction
from muster.log.timestamps import first_at_or_after
from muster.wire.batch import BatchHeader, parse_header


class MemorySegment:
    """Consecutive batches that retention drops together."""

    def __init__(self, base_offset: int) -> None:
        self.base_offset = base_offset
        self.size = 0
        self.bases: list[int] = []
        self.batches: list[bytes] = []
        self.positions: list[int] = []
        self.max_timestamp = -1
        self.first_time_ms: int | None = None
        self._last_append_ms = -1

    @property
    def last_time_ms(self) -> int | None:
        if not self.batches:
            return None
        return self.max_timestamp if self.max_timestamp >= 0 else self._last_append_ms

    def add(self, batch: StagedBatch) -> None:
        if self.first_time_ms is None:
            self.first_time_ms = batch.time_ms
        self.bases.append(batch.base_offset)
        self.batches.append(batch.bytes)
        self.positions.append(self.size)
        self.size += len(batch.bytes)
        self.max_timestamp = max(self.max_timestamp, batch.max_timestamp)
        self._last_append_ms = batch.now_ms

    def all_batches(self) -> Iterator[tuple[BatchHeader, bytes]]:
        for batch in self.batches:
            yield parse_header(batch), batch


class MemoryTarget:
    """The compacted form of some neighbouring segments."""

    def __init__(self, log: MemoryLog, group: Sequence[Source]) -> None:
        self._log = log
        self._group = group
        self._segment = MemorySegment(group[0].base_offset)
        self._next_offset = group[0].base_offset
        self._markers: list[int] = []

    def add(self, header: BatchHeader, batch: bytes) -> None:
        self._next_offset = header.next_offset
        if header.is_control:
            self._markers.append(header.last_offset)
        self._segment.add(left_by_compaction(header, batch))

    def seal(self) -> None:
        """Nothing to make durable."""

    def swap(self) -> None:
        self._log.replace_segments(self._group, self._segment)
        self._log.drop_aborted(self._segment.base_offset, self._next_offset, self._markers)

    def sweep(self) -> None:
        """Nothing is left behind."""

    def discard(self) -> None:
        """Nobody has seen it."""


class MemoryLog(CompactableLog):
    """A `PartitionLog` whose segments are lists."""

    def __init__(self, topic: str, partition: int, config: LogConfig, announce: Callable[[StagedLog], None]) -> None:
        super().__init__(topic, partition, config, announce)
        self._segments = [MemorySegment(0)]

    def store(self, batches: list[StagedBatch]) -> None:
        """The batches of a commit count as durable from here on."""
        for batch in batches:
            active = self._segments[-1]
            if must_roll(
                self.config,
                size=active.size,
                first_time_ms=active.first_time_ms,
                base_offset=active.base_offset,
                batch_size=len(batch.bytes),
                batch_time_ms=batch.time_ms,
                last_offset=batch.next_offset - 1,
            ):
                active = self._roll(batch.base_offset)
            active.add(batch)
            self.durable_offset = batch.next_offset
        if self._new_aborted:
            self.settle_aborted()

    def read(self, offset: int, max_bytes: int, *, at_least_one: bool = True) -> bytes:
        batches = (batch for _, batch in self._batches_from(offset))
        return joined_up_to(batches, max_bytes, at_least_one=at_least_one)

    def read_headers(self, offset: int) -> Iterator[tuple[int, BatchHeader]]:
        for position, batch in self._batches_from(offset):
            yield position, parse_header(batch)

    def offset_for_timestamp(self, timestamp_ms: int) -> TimestampOffset | None:
        for segment in self._segments:
            if segment.max_timestamp < timestamp_ms:
                continue
            for batch in segment.batches:
                header = parse_header(batch)
                if header.max_timestamp >= timestamp_ms and header.last_offset >= self.start_offset:
                    found = first_at_or_after(batch, header, timestamp_ms, self.start_offset, repr(self))
                    if found is not None:
                        return found
        return None

    def max_timestamp(self) -> TimestampOffset | None:
        newest = max(segment.max_timestamp for segment in self._segments)
        return self.offset_for_timestamp(newest) if newest >= 0 else None

    def delete_before(self, offset: int) -> None:
        self.start_offset = max(self.start_offset, min(offset, self.durable_offset))
        bases_after = [segment.base_offset for segment in self._segments[1:]]
        del self._segments[: count_before(self.start_offset, bases_after)]

    def apply_retention(self, now_ms: int) -> int:
        if rolls_by_clock(self.config, self._segments[-1], now_ms):
            self._roll(self.durable_offset)
        count = count_droppable(self.config, self._segments[:-1], self.size_bytes(), now_ms)
        del self._segments[:count]
        self.start_offset = max(self.start_offset, self._segments[0].base_offset)
        return count

    def size_bytes(self) -> int:
        return sum(segment.size for segment in self._segments)

    def _roll(self, base_offset: int) -> MemorySegment:
        self._segments.append(MemorySegment(base_offset))
        return self._segments[-1]

    def compaction_target(self, group: Sequence[Source]) -> MemoryTarget:
        return MemoryTarget(self, group)

    def replace_segments(self, group: Sequence[Source], segment: MemorySegment) -> None:
        """A compaction has something smaller to put in the place of these neighbours."""
        bases = [each.base_offset for each in group]
        at = next((index for index, each in enumerate(self._segments) if each is group[0]), None)
        if at is None or [each.base_offset for each in self._segments[at : at + len(group)]] != bases:
            raise CompactionOvertaken(f"{self!r}: retention was quicker than a compaction")
        self._segments[at : at + len(group)] = [segment]

    def _closed_and_active_base(self) -> tuple[Sequence[MemorySegment], int]:
        return self._segments[:-1], self._segments[-1].base_offset

    def _batches_from(self, offset: int) -> Iterator[tuple[int, bytes]]:
        if offset >= self.durable_offset:
            return
        first = max(0, bisect_right(self._segments, offset, key=lambda segment: segment.base_offset) - 1)
        for segment in self._segments[first:]:
            start = max(0, bisect_right(segment.bases, offset) - 1)
            if start < len(segment.batches) and parse_header(segment.batches[start]).last_offset < offset:
                start += 1  # compaction left a hole there
            yield from zip(segment.positions[start:], segment.batches[start:], strict=True)


class MemoryCommit:
    """A commit that has nothing to wait for."""

    def __init__(self, store: MemoryStore, taken: list[tuple[MemoryLog, list[StagedBatch]]]) -> None:
        self._store = store
        self._taken = taken
        self._failures: list[StorageError | None] = []

    def run(self) -> None:
        fails = self._store.failure
        self._failures = [fails(log.topic, log.partition) if fails else None for log, _ in self._taken]

    def finish(self) -> Settled:
        settled: list[tuple[MemoryLog, StorageError | None]] = []
        for (log, batches), failure in zip(self._taken, self._failures, strict=True):
            if failure is None:
                log.store(batches)
            else:
                self._store.forget_staged(log)
            settled.append((log, failure))
        return settled


class MemoryStore:
    """A `LogStore` that forgets everything."""

    def __init__(self) -> None:
        self.durability: Durability = "os"
        self.failure: Callable[[str, int], StorageError | None] | None = None
        """Asked for every log of a commit: an error makes that log's part fail. For tests."""
        self._logs: dict[tuple[str, int], MemoryLog] = {}
        self._topic_ids: dict[tuple[str, int], bytes] = {}
        self._documents: dict[str, bytes] = {}
        self._dirty: dict[MemoryLog, None] = {}

    def partitions(self) -> Sequence[tuple[str, int]]:
        return sorted(self._logs)

    def open(self, topic: str, partition: int, topic_id: bytes, config: LogConfig) -> MemoryLog:
        log = self._logs.get((topic, partition))
        if log is None:
            log = MemoryLog(topic, partition, config, self._on_first_staged)
            self._logs[topic, partition] = log
            self._topic_ids[topic, partition] = topic_id
        log.config = config
        return log

    def get(self, topic: str, partition: int) -> MemoryLog | None:
        return self._logs.get((topic, partition))

    def announce(self, topic: str, topic_id: bytes, partitions: Sequence[int]) -> None:
        """This node leads everything that is here."""

    def make_room(self, names: Sequence[str]) -> None:
        """The catalog deletes by itself what is left of a topic before it makes another one of that name."""

    def release(self, topic: str, partition: int) -> None:
        log = self._logs.get((topic, partition))
        if log is not None:
            self.forget_staged(log)

    def delete(self, topic: str, partition: int, topic_id: bytes | None = None) -> None:
        log = self._logs.pop((topic, partition), None)
        self._topic_ids.pop((topic, partition), None)
        if log is not None:
            self.forget_staged(log)

    def clear_some(self) -> bool:
        return False  # `delete` leaves nothing

    def topic_id_of(self, topic: str, partition: int) -> bytes | None:
        return self._topic_ids.get((topic, partition))

    def begin_commit(self) -> MemoryCommit | None:
        if not self._dirty:
            return None
        taken = [(log, log.take_staged()) for log in self._dirty]
        self._dirty = {}
        return MemoryCommit(self, taken)

    def read_document(self, name: str) -> bytes | None:
        return self._documents.get(name)

    def forget_document(self, name: str) -> None:
        """Nobody else writes it."""

    def write_document(self, name: str, content: bytes) -> None:
        self._documents[name] = content

    def close(self) -> None:
        commit = self.begin_commit()
        if commit is not None:
            commit.run()
            commit.finish()

    def forget_staged(self, log: MemoryLog) -> None:
        log.fall_back()
        self._dirty.pop(log, None)

    def _on_first_staged(self, log: StagedLog) -> None:
        assert isinstance(log, MemoryLog)
        self._dirty[log] = None
