"""Where a round of compaction puts its result: the rows of the segments are rewritten in place, a few megabytes at a time.

Each piece is one transaction that checks owner, epoch and start of the log first: a node that was fenced, or whom
retention overtook, changes nothing. What is written is sound at any point, because pieces go from old to new, and a
batch that lost records is still that batch. Runs in the compaction's thread, except for `swap`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from muster.log.compaction_round import Source
from muster.log.contract import CompactionOvertaken
from muster.log.postgres.segments import PostgresSegment
from muster.log.staging import StagedBatch, left_by_compaction
from muster.wire.batch import BatchHeader

if TYPE_CHECKING:
    from muster.log.postgres.partition_log import PostgresLog

PIECE_BYTES: Final = 4 * 1_048_576

_LOCK: Final = "SELECT start_offset FROM muster.partitions WHERE id = %s AND owner = %s AND epoch = %s FOR UPDATE"
_ERASE: Final = """
DELETE FROM muster.batches WHERE partition_id = %s AND base_offset >= %s AND base_offset < %s AND base_offset <> ALL(%s)
"""
_REWRITE: Final = """
UPDATE muster.batches AS batch
SET content = left_over.content, max_timestamp = left_over.max_timestamp, segment_base = %s
FROM unnest(%s::bigint[], %s::bigint[], %s::bytea[]) AS left_over(base_offset, max_timestamp, content)
WHERE batch.partition_id = %s AND batch.base_offset = left_over.base_offset
    AND (batch.segment_base <> %s OR batch.content <> left_over.content)
"""


class PostgresTarget:
    """The compacted form of some neighbouring segments of one log."""

    def __init__(self, log: PostgresLog, group: Sequence[Source], after: int) -> None:
        """`after`: the offset at which the segment behind the group begins."""
        self._log = log
        self._group = group
        self._after = after
        self._segment = PostgresSegment(group[0].base_offset, log.segment_reader().content)
        self._first_end = group[1].base_offset if len(group) > 1 else after
        self._written_to = group[0].base_offset
        self._piece: list[StagedBatch] = []
        self._piece_bytes = 0
        self._markers: list[int] = []

    def add(self, header: BatchHeader, batch: bytes) -> None:
        if header.is_control:
            self._markers.append(header.last_offset)
        if self._piece_bytes >= PIECE_BYTES:
            self._write(header.base_offset)
        staged = left_by_compaction(header, batch)
        self._segment.add(staged)
        self._piece.append(staged)
        self._piece_bytes += len(batch)

    def seal(self) -> None:
        self._write(self._after)

    def swap(self) -> None:
        self._log.replace_segments(self._group, self._segment, self._after)
        self._log.drop_aborted(self._segment.base_offset, self._after, self._markers)

    def sweep(self) -> None:
        """Nothing is left behind."""

    def discard(self) -> None:
        """What is rewritten already is as good as what it replaced."""

    def _write(self, up_to: int) -> None:
        log, piece = self._log, self._piece

        def rewrite(connection: Any) -> None:
            with connection.transaction():
                row = connection.execute(_LOCK, (log.partition_id, log.node_id, log.epoch)).fetchone()
                if row is None:
                    raise log.fenced()
                if row[0] >= self._first_end:
                    raise CompactionOvertaken(f"{log!r}: retention was quicker than a compaction")
                bases = [batch.base_offset for batch in piece]
                connection.execute(_ERASE, (log.partition_id, self._written_to, up_to, bases))
                connection.execute(
                    _REWRITE,
                    (
                        self._segment.base_offset,
                        bases,
                        [batch.max_timestamp for batch in piece],
                        [batch.bytes for batch in piece],
                        log.partition_id,
                        self._segment.base_offset,
                    ),
                )

        log.upkeep.run(rewrite)
        self._written_to = up_to
        self._piece, self._piece_bytes = [], 0
