"""One partition's log in files, seen from the loop's thread: reading, planning commits, retention.

Keeps the list of segments; the last one is active. Writing is planned here and done by `file_commit`; opening and
recovering is `file_open`'s.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from librt.threading import Lock

from muster.log.compactable import CompactableLog
from muster.log.compaction_round import CompactionRound, Source
from muster.log.contract import CompactionOvertaken, LogConfig, StorageError, TimestampOffset
from muster.log.disk import write_file
from muster.log.file_access import FileAccess
from muster.log.file_commit import Leftover, LogShare, SegmentWrite, put_back
from muster.log.file_compaction import FileTarget, remove_unfinished, segments_of
from muster.log.file_transactions import (
    begin_transactions,
    collect_aborted,
    expect_indexes,
    load_aborted,
    plan_transactions,
)
from muster.log.segment import TRANSACTION_INDEX_SUFFIX, Segment
from muster.log.segment_rules import count_before, count_droppable, must_roll, rolls_by_clock
from muster.log.staging import StagedBatch, StagedLog
from muster.log.sync_frames import log_mark
from muster.log.transaction_index import AbortedTransaction
from muster.wire.batch import BatchHeader


class FileLog(CompactableLog):
    """A `PartitionLog` whose segments are files."""

    def __init__(
        self,
        topic: str,
        partition: int,
        config: LogConfig,
        announce: Callable[[StagedLog], None],
        *,
        topic_id: bytes,
        directory: str,
        access: FileAccess,
        segments: list[Segment],
        start_offset: int,
        epochs: list[tuple[int, int]],
        creation_synced: bool,
        keep_start_offsets: Callable[[], None],
        clean_offset: int,
        keep_clean_offset: Callable[[tuple[str, int], int], None],
    ) -> None:
        super().__init__(topic, partition, config, announce)
        self.directory = directory
        self.start_offset = max(start_offset, segments[0].base_offset)
        self.end_offset = self.durable_offset = max(self.start_offset, segments[-1].index.next_offset)
        self.deleted = False
        self.guard = Lock()
        self.access = access
        self.journal_mark = log_mark(topic, partition, topic_id)
        self._segments = segments
        self.has_transactions = expect_indexes(segments)
        self._epochs = epochs
        self._creation_synced = creation_synced
        self._keep_start_offsets = keep_start_offsets
        self.clean_offset = clean_offset
        self.compaction_is_stuck = False
        """A swap failed and could not be undone: only a start can help."""
        self._keep_clean_offset = keep_clean_offset
        self._leftovers: list[Leftover] = []
        self._committing = False
        self._after_failure = False
        """The last commit failed: the file's old length, and what is written behind it, have to be synced as they are."""
        self._in_journal = False
        """Some of the active segment may be durable by the sync journal alone."""
        self._read_on: tuple[int, Segment, int] | None = None
        """(offset, segment, position) where the last read ended: readers come back for what follows."""

    @property
    def leader_epochs(self) -> Sequence[tuple[int, int]]:
        """(epoch, first offset written under it), ascending."""
        return self._epochs

    @property
    def first_segment_base(self) -> int:
        return self._segments[0].base_offset

    @property
    def recovery_point(self) -> int:
        """Everything before this offset is known to be synced, whatever the durability: it was closed."""
        return self._segments[-1].base_offset

    # Committing

    def plan_commit(self) -> LogShare:
        """Take over what is staged and decide which bytes go to which segment."""
        batches = self.take_staged()
        writes = self._plan_writes(batches)
        if self.has_transactions:
            new_aborted, self._new_aborted = self._new_aborted, []
            plan_transactions(writes, new_aborted)
        if len(writes) > 1:
            self._forecast_indexes(writes)
        self._committing = True
        leftovers, self._leftovers = self._leftovers, []
        return LogShare(
            self,
            writes,
            leftovers,
            self._plan_epochs(batches),
            sync_creation=not self._creation_synced,
            after_failure=self._after_failure,
        )

    def settle(self, share: LogShare) -> None:
        """The commit is over: the batches count, or everything staged is lost."""
        self._committing = False
        self._leftovers = share.leftovers
        self._after_failure = share.failure is not None
        if share.failure is not None:
            self.fall_back()
            return
        self._in_journal = self._in_journal or share.in_journal
        for write in share.writes:
            if write.segment is not self._segments[-1]:
                self._segments.append(write.segment)
            if write.batches:
                write.segment.add(write.batches, write.closing)
            if write.begins_transactions:
                write.segment.has_transaction_index = True
            if write.aborted:
                write.segment.aborted.extend(write.aborted)
        self.durable_offset = share.writes[-1].batches[-1].next_offset
        self._creation_synced = self._creation_synced or self.access.durability == "fsync"
        if share.new_epochs is not None:
            self._epochs = share.new_epochs

    def _plan_writes(self, batches: list[StagedBatch]) -> list[SegmentWrite]:
        active = self._segments[-1]
        writes = [SegmentWrite(active, active.size, not active.on_disk)]
        size, first_time_ms = active.size, active.first_time_ms
        for batch in batches:
            if must_roll(
                self.config,
                size=size,
                first_time_ms=first_time_ms,
                base_offset=writes[-1].segment.base_offset,
                batch_size=len(batch.bytes),
                batch_time_ms=batch.time_ms,
                last_offset=batch.next_offset - 1,
            ):
                writes.append(SegmentWrite(self._new_segment(batch.base_offset), 0, True))
                size, first_time_ms = 0, None
            writes[-1].add(batch)
            size += len(batch.bytes)
            if first_time_ms is None:
                first_time_ms = batch.time_ms
        return writes

    def _forecast_indexes(self, writes: list[SegmentWrite]) -> None:
        """All but the last segment are full after this."""
        for write in writes[:-1]:
            write.closing = write.segment.index.copy()
            for batch in write.batches:
                write.closing.note(batch.next_offset - 1, batch.max_timestamp, len(batch.bytes))

    def _plan_epochs(self, batches: list[StagedBatch]) -> list[tuple[int, int]] | None:
        newest = self._epochs[-1][0] if self._epochs else -1
        if batches[-1].leader_epoch <= newest:
            return None
        epochs = list(self._epochs)
        for batch in batches:
            if batch.leader_epoch > newest:
                newest = batch.leader_epoch
                epochs.append((newest, batch.base_offset))
        return epochs

    def _new_segment(self, base_offset: int) -> Segment:
        access = self.access
        segment = Segment(self.directory, base_offset, access.disk, access.readers, self.config.index_interval_bytes)
        segment.aborted = []
        return segment

    # Reading

    def read(self, offset: int, max_bytes: int, *, at_least_one: bool = True) -> bytes:
        place = self._place_of(offset)
        chunks: list[bytes] = []
        left = max_bytes
        while place is not None and (left > 0 or not chunks):
            segment, position = place
            chunk = segment.read_batches(position, left, at_least_one=at_least_one and not chunks)
            end = position + len(chunk)
            self._remember_end(segment, end)
            chunks.append(chunk)
            left -= len(chunk)
            place = self._start_of_next(segment) if end == segment.size else None
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    def read_headers(self, offset: int) -> Iterator[tuple[int, BatchHeader]]:
        place = self._place_of(offset)
        while place is not None:
            segment, position = place
            yield from segment.headers_from(position)
            place = self._start_of_next(segment)

    def offset_for_timestamp(self, timestamp_ms: int) -> TimestampOffset | None:
        for segment in self._segments:
            if segment.size and segment.max_timestamp >= timestamp_ms:
                found = segment.find_timestamp(timestamp_ms, self.start_offset)
                if found is not None:
                    return found
        return None

    def max_timestamp(self) -> TimestampOffset | None:
        newest = max(segment.max_timestamp for segment in self._segments)
        return self.offset_for_timestamp(newest) if newest >= 0 else None

    def size_bytes(self) -> int:
        return sum(segment.size for segment in self._segments)

    def _place_of(self, offset: int) -> tuple[Segment, int] | None:
        """Where the batch that holds `offset` begins; the next one if compaction left a hole there."""
        if offset >= self.durable_offset:
            return None
        if self._read_on is not None and self._read_on[0] == offset:
            _, segment, position = self._read_on
            if position < segment.size:
                return segment, position
        at = bisect_right(self._segments, offset, key=lambda segment: segment.base_offset) - 1
        segment = self._segments[max(0, at)]
        found = segment.find(offset)
        if found is not None:
            return segment, found
        return self._start_of_next(segment)

    def _start_of_next(self, segment: Segment) -> tuple[Segment, int] | None:
        for later in self._segments:
            if later.base_offset > segment.base_offset and later.size:
                return later, 0
        return None

    def _remember_end(self, segment: Segment, position: int) -> None:
        if position < segment.size:
            next_offset = segment.header_at(position).base_offset
        else:
            next_offset = segment.index.next_offset
        self._read_on = (next_offset, segment, position)

    # Transactions

    def aborted_transactions(self, from_offset: int, to_offset: int) -> list[AbortedTransaction]:
        return collect_aborted(self._segments, from_offset, to_offset)

    def note_aborted(self, aborted: AbortedTransaction) -> None:
        load_aborted(self._segments, len(self._segments) - 1)  # StorageError now rather than in the commit
        super().note_aborted(aborted)

    def mark_transactional(self) -> None:
        if not self.has_transactions:
            begin_transactions(self._segments[-1], self.access.disk)
            self.has_transactions = True

    # Dropping

    def delete_before(self, offset: int) -> None:
        before = self.start_offset
        self.start_offset = max(before, min(offset, self.durable_offset))
        if self.start_offset == before:
            return
        try:
            self._keep_start_offsets()
        except StorageError:
            self.start_offset = before
            raise
        bases_after = [segment.base_offset for segment in self._segments[1:]]
        self._drop_oldest(count_before(self.start_offset, bases_after))

    def apply_retention(self, now_ms: int) -> int:
        if not self._committing and not self._leftovers and rolls_by_clock(self.config, self._segments[-1], now_ms):
            self._roll_now()
        count = count_droppable(self.config, self._segments[:-1], self.size_bytes(), now_ms)
        self._drop_oldest(count)
        self.start_offset = max(self.start_offset, self.first_segment_base)
        return count

    def _roll_now(self) -> None:
        """Close the active segment outside of a commit. The new file holds the log's end, should all others go."""
        segment, disk = self._segments[-1], self.access.disk
        following = self._new_segment(self.durable_offset)
        try:
            disk.sync(self.access.writers.get(segment.log_path))
            self.access.writers.drop(segment.log_path)
            segment.save_indexes()
            if self.has_transactions:
                write_file(disk, following.path(TRANSACTION_INDEX_SUFFIX), b"", sync=True)
            write_file(disk, following.log_path, b"", sync=True)
            disk.sync_directory(self.directory)
        except OSError as error:
            self._leave_unbegun(following)
            raise StorageError(f"{self.directory}: a new segment cannot be begun: {error.strerror or error}") from error
        following.on_disk = True
        following.has_transaction_index = self.has_transactions
        self._segments.append(following)

    def _leave_unbegun(self, segment: Segment) -> None:
        """Its file must not stay: a start would take it for the newest, and what the segment before it gets for nothing."""
        leftover = Leftover(segment.log_path, None)
        self._after_failure = True
        try:
            put_back(self.access.disk, leftover)
        except OSError:
            self._leftovers.append(leftover)

    def _drop_oldest(self, count: int) -> None:
        self._read_on = None
        for _ in range(count):
            segment = self._segments[0]
            self.access.writers.drop(segment.log_path)
            try:
                segment.remove_files()
            except OSError as error:
                raise StorageError(f"{segment.log_path}: cannot be removed: {error.strerror}") from error
            del self._segments[0]

    # Compaction

    def dirty_ratio(self, now_ms: int, stable_offset: int | None = None) -> float | None:
        return None if self.compaction_is_stuck else super().dirty_ratio(now_ms, stable_offset)

    def begin_compaction(self, now_ms: int, stable_offset: int | None = None) -> CompactionRound:
        if self.has_transactions:
            for at in range(len(self._segments) - 1):
                load_aborted(self._segments, at)  # the round's thread may not read the log by the loop's files
        return super().begin_compaction(now_ms, stable_offset)

    def compaction_target(self, group: Sequence[Source]) -> FileTarget:
        remove_unfinished(self.access.disk, self.directory)
        return FileTarget(self, segments_of(group))

    def keep_clean_offset(self, clean_offset: int) -> None:
        with self.guard:
            self.refuse_if_deleted()
            self._keep_clean_offset((self.topic, self.partition), clean_offset)

    def refuse_if_deleted(self) -> None:
        """Under the guard: a topic that was deleted and made again has another directory of the same name."""
        if self.deleted:
            raise CompactionOvertaken(f"{self.directory}: was deleted while it was compacted")

    def has_neighbours(self, group: Sequence[Segment]) -> bool:
        """Whether these segments are still here, one behind the other."""
        at = next((index for index, segment in enumerate(self._segments) if segment is group[0]), None)
        return at is not None and self._segments[at : at + len(group)] == list(group)

    def replace_segments(self, group: Sequence[Segment], compacted: Segment) -> None:
        at = self._segments.index(group[0])
        self._segments[at : at + len(group)] = [compacted]
        self._read_on = None

    def _closed_and_active_base(self) -> tuple[Sequence[Segment], int]:
        return self._segments[:-1], self._segments[-1].base_offset

    # Closing

    def close(self) -> None:
        """Undo what a failed write left, sync what was not synced in its own file, save the active indexes."""
        active, disk = self._segments[-1], self.access.disk
        try:
            while self._leftovers:
                put_back(disk, self._leftovers[-1])
                self._leftovers.pop()
            if active.on_disk and (self._in_journal or self._after_failure or self.access.durability == "os"):
                disk.sync(self.access.writers.get(active.log_path))
            if active.on_disk:
                active.save_indexes()
        except OSError as error:
            raise StorageError(f"{self.directory}: cannot be closed: {error.strerror or error}") from error

    def release_files(self) -> None:
        """Let go of the open files, before the directory goes."""
        for segment in self._segments:
            self.access.readers.drop(segment.log_path)
            self.access.writers.drop(segment.log_path)
