"""One partition's log in the database. What was appended lately is read from memory, the rest by short queries.

Everything here belongs to the loop's thread, except what a compaction does (see `compaction`). The commit that makes
appends durable is the store's: one statement for all logs of a tick.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

from muster.log.compactable import CompactableLog
from muster.log.compaction_round import Source
from muster.log.contract import CompactionOvertaken, Fenced, LogConfig, StorageError, TimestampOffset
from muster.log.postgres.compaction import PostgresTarget
from muster.log.postgres.line import Line
from muster.log.postgres.questions import Questions
from muster.log.postgres.segments import PostgresSegment, SegmentReader, SegmentRow
from muster.log.postgres.tail import Tail
from muster.log.segment_rules import count_before, count_droppable, must_roll, rolls_by_clock
from muster.log.staging import StagedBatch, StagedLog, joined_up_to
from muster.log.timestamps import first_at_or_after
from muster.log.transaction_index import AbortedTransaction, TransactionScan
from muster.wire.batch import BatchHeader, EndMarker, decode_marker, decode_records, parse_header
from muster.wire.errors import WireError

_ROWS_A_QUERY: Final = 4_000

_SIZES: Final = """
SELECT base_offset, octet_length(content) FROM muster.batches
WHERE partition_id = %s AND next_offset > %s AND base_offset >= coalesce(
    (SELECT max(base_offset) FROM muster.batches WHERE partition_id = %s AND base_offset <= %s), 0)
ORDER BY base_offset LIMIT %s
"""
_BY_TIME: Final = """
SELECT base_offset, content FROM muster.batches
WHERE partition_id = %s AND next_offset > %s AND max_timestamp >= %s AND base_offset > %s
ORDER BY base_offset LIMIT 1
"""
"""None of these names the end of the log: a question stays the same while the log grows. Rows beyond it are left out here."""
_TRANSACTIONAL: Final = """
SELECT base_offset, next_offset, substring(content FOR 512) FROM muster.batches
WHERE partition_id = %s AND base_offset >= %s AND base_offset < %s AND get_byte(substring(content FROM 23 FOR 1), 0) & 16 <> 0
ORDER BY base_offset LIMIT %s
"""
"""The beginnings of the batches with the transactional bit; markers are shorter than this, so they are whole."""
_NEW_START: Final = """
UPDATE muster.partitions SET start_offset = greatest(start_offset, %s)
WHERE id = %s AND owner = %s AND epoch = %s RETURNING id
"""
_DROP: Final = "DELETE FROM muster.batches WHERE partition_id = %s AND segment_base < %s AND base_offset < %s"
"""By both: a compaction gives later batches the number of an earlier segment, before this node's memory knows of it."""


class PostgresLog(CompactableLog):
    """A `PartitionLog` over rows of `muster.batches`, at one epoch. A later epoch is another object."""

    def __init__(
        self,
        topic: str,
        partition: int,
        config: LogConfig,
        announce: Callable[[StagedLog], None],
        row: dict[str, Any],
        segments: Sequence[SegmentRow],
        node_id: int,
        lines: tuple[Line, Line],
        questions: Questions,
    ) -> None:
        """`row`: the partition's row. `segments`: what `read_segments` found of it.
        `lines`: for changes from the loop's thread, and for compaction in another. `questions`: for reading."""
        super().__init__(topic, partition, config, announce)
        self.partition_id: int = row["id"]
        self.topic_id: bytes = row["topic_id"].bytes
        self.epoch: int = row["epoch"]
        self.node_id = node_id
        self.start_offset = row["start_offset"]
        self.end_offset = self.durable_offset = row["end_offset"]
        self.clean_offset = row["clean_offset"]
        self.has_transactions = self.is_known_transactional = row["has_transactions"]
        self._scan = TransactionScan(knows_all_open=True) if self.has_transactions else None
        """Looks for what was aborted before this node led it; begun when somebody asks, None when it is done."""
        self._scanned_to = self.start_offset
        self._scan_end = self.end_offset
        self._found_aborted: list[AbortedTransaction] = []
        self.is_uncertain = False
        """The connection broke during a commit to it: only what the next opening reads can be trusted."""
        self._line, self.upkeep = lines
        self._questions = questions
        self._tail = Tail()
        read = SegmentReader(self.upkeep, self.partition_id).content
        self._segments = [PostgresSegment(base, read, *known) for base, *known in segments]
        if not self._segments:
            self._roll(self.durable_offset)

    # -- appending

    def segment_bases(self, batches: Sequence[StagedBatch]) -> list[int]:
        """The segment that each of these will belong to, if they become durable."""
        active = self._segments[-1]
        size, first_time_ms, base = active.size, active.first_time_ms, active.base_offset
        bases = []
        for batch in batches:
            if must_roll(
                self.config,
                size=size,
                first_time_ms=first_time_ms,
                base_offset=base,
                batch_size=len(batch.bytes),
                batch_time_ms=batch.time_ms,
                last_offset=batch.next_offset - 1,
            ):
                size, first_time_ms, base = 0, None, batch.base_offset
            bases.append(base)
            size += len(batch.bytes)
            first_time_ms = batch.time_ms if first_time_ms is None else first_time_ms
        return bases

    def store(self, batches: Sequence[StagedBatch], segment_bases: Sequence[int]) -> None:
        """The batches of a commit are durable from here on."""
        for batch, base in zip(batches, segment_bases, strict=True):
            if self._segments[-1].base_offset != base:
                self._roll(base)
            self._segments[-1].add(batch)
            self._tail.add(batch)
            self.durable_offset = batch.next_offset
        if self._new_aborted:
            self.settle_aborted()

    # -- reading

    def read(self, offset: int, max_bytes: int, *, at_least_one: bool = True) -> bytes:
        if offset >= self.durable_offset:
            return b""
        if self._tail.holds(offset):
            return joined_up_to(self._tail.batches_from(offset), max_bytes, at_least_one=at_least_one)
        sizes = self._questions.ask(_SIZES, (self.partition_id, offset, self.partition_id, offset, _ROWS_A_QUERY))
        last, total = None, 0
        for base, size in sizes:
            is_too_much = total + size > max_bytes and not (at_least_one and last is None)
            if is_too_much or base >= self.durable_offset:
                break
            last, total = base, total + size
        if last is None:
            return b""
        rows = self._questions.content(self.partition_id, sizes[0][0], last, total)
        return b"".join(bytes(content) for _, content in rows)

    def read_headers(self, offset: int) -> Iterator[tuple[int, BatchHeader]]:
        """The position of a batch is its base offset: there are no files."""
        is_first = True
        while offset < self.durable_offset:
            if self._tail.holds(offset):
                for batch in list(self._tail.batches_from(offset)):
                    header = parse_header(batch)
                    yield header.base_offset, header
                return
            rows = self._questions.headers(self.partition_id, offset, is_first=is_first)
            if not rows:
                return
            for base, next_offset, head in rows:
                if base >= self.durable_offset:
                    return
                yield base, parse_header(bytes(head))
                offset = next_offset
            is_first = False

    def offset_for_timestamp(self, timestamp_ms: int) -> TimestampOffset | None:
        after = -1
        while True:
            rows = self._questions.ask(_BY_TIME, (self.partition_id, self.start_offset, timestamp_ms, after))
            if not rows or rows[0][0] >= self.durable_offset:
                return None
            after, content = rows[0]
            batch = bytes(content)
            found = first_at_or_after(batch, parse_header(batch), timestamp_ms, self.start_offset, repr(self))
            if found is not None:
                return found

    def max_timestamp(self) -> TimestampOffset | None:
        newest = max(segment.max_timestamp for segment in self._segments)
        return self.offset_for_timestamp(newest) if newest >= 0 else None

    def size_bytes(self) -> int:
        return sum(segment.size for segment in self._segments)

    # -- transactions

    def aborted_transactions(self, from_offset: int, to_offset: int) -> list[AbortedTransaction]:
        if self._scan is not None:
            self._find_aborted(self._scan)
        return super().aborted_transactions(from_offset, to_offset)

    def mark_transactional(self) -> None:
        self._line.run(
            lambda connection: connection.execute(
                "UPDATE muster.partitions SET has_transactions = true WHERE id = %s", (self.partition_id,)
            )
        )
        self.has_transactions = self.is_known_transactional = True

    def _find_aborted(self, scan: TransactionScan) -> None:
        """StorageError may end it between two answers: the next call goes on from there."""
        while rows := self._transactional_from(self._scanned_to):
            for base_offset, next_offset, head in rows:
                header = parse_header(head)
                if not header.is_control:
                    scan.note(header)
                elif (marker := _marker(head, header, f"{self!r} at offset {base_offset}")) is not None:
                    aborted = scan.end(header, marker)
                    if aborted is not None:
                        self._found_aborted.append(aborted)
                self._scanned_to = next_offset
        self._aborted = self._found_aborted + self._aborted
        self._scan = None

    def _transactional_from(self, offset: int) -> Sequence[tuple[int, int, bytes]]:
        """Base offset, next offset and beginning of transactional batches that were there when the log was opened."""
        rows = self._questions.ask(_TRANSACTIONAL, (self.partition_id, offset, self._scan_end, _ROWS_A_QUERY))
        return [(base, next_offset, bytes(head)) for base, next_offset, head in rows]

    # -- deleting

    def delete_before(self, offset: int) -> None:
        start = max(self.start_offset, min(offset, self.durable_offset))
        count = count_before(start, [segment.base_offset for segment in self._segments[1:]])
        self._drop(count, start)

    def apply_retention(self, now_ms: int) -> int:
        if rolls_by_clock(self.config, self._segments[-1], now_ms):
            self._roll(self.durable_offset)
        count = count_droppable(self.config, self._segments[:-1], self.size_bytes(), now_ms)
        if count:
            self._drop(count, max(self.start_offset, self._segments[count].base_offset))
        return count

    def _drop(self, count: int, start: int) -> None:
        kept_from = self._segments[count].base_offset

        def change(connection: Any) -> bool:
            with connection.transaction():
                row = connection.execute(_NEW_START, (start, self.partition_id, self.node_id, self.epoch)).fetchone()
                if row is not None and count:
                    connection.execute(_DROP, (self.partition_id, kept_from, kept_from))
                return row is not None

        if not self._line.run(change):
            raise self.fenced()
        # Others had their turn while the database was asked: a compaction may have put fewer segments in the place of these.
        self.start_offset = max(self.start_offset, start)
        del self._segments[: count_before(kept_from, [segment.base_offset for segment in self._segments[1:]])]
        self._tail.drop_before(kept_from)

    # -- compaction

    def compaction_target(self, group: Sequence[Source]) -> PostgresTarget:
        after = next(
            (later.base_offset for each, later in pairwise(self._segments) if each is group[-1]), self.durable_offset
        )
        return PostgresTarget(self, group, after)

    def keep_clean_offset(self, clean_offset: int) -> None:
        self.upkeep.run(
            lambda connection: connection.execute(
                "UPDATE muster.partitions SET clean_offset = %s WHERE id = %s AND owner = %s AND epoch = %s",
                (clean_offset, self.partition_id, self.node_id, self.epoch),
            )
        )

    def replace_segments(self, group: Sequence[Source], segment: PostgresSegment, after: int) -> None:
        """A compaction has something smaller in the place of these neighbours; their rows are rewritten already."""
        at = next((index for index, each in enumerate(self._segments) if each is group[0]), None)
        if at is None or self._segments[at : at + len(group)] != list(group):
            raise CompactionOvertaken(f"{self!r}: retention was quicker than a compaction")
        self._segments[at : at + len(group)] = [segment]
        self._tail.drop_before(after)

    def segment_reader(self) -> SegmentReader:
        return SegmentReader(self.upkeep, self.partition_id)

    def fenced(self) -> StorageError:
        return Fenced(f"{self.topic}-{self.partition}: another node leads it since a later epoch than {self.epoch}")

    def _roll(self, base_offset: int) -> None:
        self._segments.append(PostgresSegment(base_offset, SegmentReader(self.upkeep, self.partition_id).content))

    def _closed_and_active_base(self) -> tuple[Sequence[PostgresSegment], int]:
        return self._segments[:-1], self._segments[-1].base_offset


def _marker(batch: bytes, header: BatchHeader, place: str) -> EndMarker | None:
    """None for what compaction left of a control batch."""
    try:
        records = decode_records(batch, header)
        return decode_marker(records[0].key, records[0].value) if records else None
    except WireError as error:
        raise StorageError(f"{place}: a marker is damaged: {error}") from error
