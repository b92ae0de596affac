"""The segments of a log in the database: ranges of its batches that are closed, compacted and dropped together.

Kafka's rules about time and size speak of segments, so there are some here too; each batch's row names its own. What
the rules need to know of them is held in memory and read once, when the log is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from muster.log.contract import CompactionOvertaken
from muster.log.postgres.line import Line
from muster.log.staging import StagedBatch
from muster.wire.batch import BatchHeader, parse_header

if TYPE_CHECKING:
    import psycopg

_SEGMENTS: Final = """
SELECT partition_id, segment_base, sum(octet_length(content))::bigint, count(*)::integer, max(max_timestamp), max(appended_at_ms),
    (array_agg(CASE WHEN max_timestamp >= 0 THEN max_timestamp ELSE appended_at_ms END ORDER BY base_offset))[1]
FROM muster.batches WHERE partition_id = ANY(%s) GROUP BY partition_id, segment_base ORDER BY partition_id, segment_base
"""
_CONTENT: Final = """
SELECT base_offset, content FROM muster.batches
WHERE partition_id = %s AND segment_base = %s AND base_offset > %s ORDER BY base_offset LIMIT 256
"""


@dataclass(slots=True, eq=False)
class PostgresSegment:
    """One segment, as the rules and a compaction see it."""

    base_offset: int
    read: Callable[[int], Iterator[bytes]]
    size: int = 0
    batches: int = 0
    max_timestamp: int = -1
    last_append_ms: int = -1
    first_time_ms: int | None = None

    @property
    def last_time_ms(self) -> int | None:
        if not self.batches:
            return None
        return self.max_timestamp if self.max_timestamp >= 0 else self.last_append_ms

    def add(self, batch: StagedBatch) -> None:
        if self.first_time_ms is None:
            self.first_time_ms = batch.time_ms
        self.size += len(batch.bytes)
        self.batches += 1
        self.max_timestamp = max(self.max_timestamp, batch.max_timestamp)
        self.last_append_ms = batch.now_ms

    def all_batches(self) -> Iterator[tuple[BatchHeader, bytes]]:
        found = 0
        for content in self.read(self.base_offset):
            found += 1
            yield parse_header(content), content
        if not found and self.batches:
            raise CompactionOvertaken(f"the segment at offset {self.base_offset} went while it was compacted")


class SegmentReader:
    """Reads segments of one partition; `line` is that of whoever asks."""

    def __init__(self, line: Line, partition_id: int) -> None:
        self._line = line
        self._partition_id = partition_id

    def content(self, segment_base: int) -> Iterator[bytes]:
        """Every batch of a segment, some hundred rows at a time."""
        after = -1
        while True:
            rows = self._line.run(
                lambda connection, after=after: connection.execute(  # type: ignore[misc]
                    _CONTENT, (self._partition_id, segment_base, after), binary=True
                ).fetchall()
            )
            for _, content in rows:
                yield bytes(content)
            if not rows:
                return
            after = rows[-1][0]


SegmentRow = tuple[Any, ...]
"""Base offset, size, batches, largest timestamp, time of the last append, time of the first batch."""


def read_segments(connection: psycopg.Connection[Any], partition_ids: Sequence[int]) -> dict[int, list[SegmentRow]]:
    """What is kept of the segments of these partitions; those without any are missing."""
    found: dict[int, list[SegmentRow]] = {}
    for partition_id, *segment in connection.execute(_SEGMENTS, (list(partition_ids),)):
        found.setdefault(partition_id, []).append(tuple(segment))
    return found
