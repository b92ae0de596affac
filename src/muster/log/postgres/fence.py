"""The one statement that appends: it is also the fence (docs/decisions/0012).

For each log of a tick the end of the partition moves, but only if this node still owns it, at the epoch that it
believes in, and the end is where it believes it to be. Batches are stored for those partitions alone. Who is missing
from the answer was overtaken.

Rows are locked by ascending id, here and by whoever moves partitions (`cluster.ownership`): in any other order a move
and an append could wait for each other until the database kills one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from muster.log.postgres.binary_arrays import bigints, byteas, integers
from muster.log.staging import StagedBatch

if TYPE_CHECKING:
    import psycopg
    from psycopg.pq.abc import PGresult

_STATEMENT: Final = b"muster_append"
_APPEND: Final = b"""
WITH held AS MATERIALIZED (
    SELECT partition.id, share.new_end FROM muster.partitions AS partition
    JOIN unnest($1::bigint[], $2::integer[], $3::bigint[], $4::bigint[]) AS share(id, epoch, expected_end, new_end)
        ON partition.id = share.id
    WHERE partition.owner = $5 AND partition.epoch = share.epoch AND partition.end_offset = share.expected_end
    ORDER BY partition.id FOR NO KEY UPDATE OF partition
), moved AS (
    UPDATE muster.partitions AS partition SET end_offset = held.new_end
    FROM held WHERE partition.id = held.id
    RETURNING partition.id
), stored AS (
    INSERT INTO muster.batches
        (partition_id, base_offset, next_offset, segment_base, max_timestamp, appended_at_ms, content)
    SELECT batch.* FROM unnest(
        $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bytea[]
    ) AS batch(partition_id, base_offset, next_offset, segment_base, max_timestamp, appended_at_ms, content)
    JOIN moved ON moved.id = batch.partition_id
)
SELECT id FROM moved
"""
_BINARY: Final = 1
_ALL_BINARY: Final = [_BINARY] * 12
_INTEGER_BYTES: Final = 4
_DONE: Final = (1, 2)
"""PGRES_COMMAND_OK, PGRES_TUPLES_OK."""


class Share(NamedTuple):
    """What one log has staged for this tick."""

    partition_id: int
    epoch: int
    batches: Sequence[StagedBatch]
    segment_bases: Sequence[int]
    """The segment that each batch belongs to."""


class Appender:
    """Says the statement on one line, in libpq's own words: it is the same each time, and psycopg's way from Python values to a
    message and back took longer than all else (measured: a commit of one batch 205 µs of CPU, now 82, the whole store included)."""

    def __init__(self, node_id: int) -> None:
        self._node_id = node_id.to_bytes(_INTEGER_BYTES, "big", signed=True)
        self._prepared_on: psycopg.Connection[Any] | None = None

    def append(self, connection: psycopg.Connection[Any], shares: Sequence[Share]) -> set[int]:
        """Store what may be stored, in one transaction; returns the ids of the partitions that took their share."""
        if self._prepared_on is not connection:
            _check(connection.pgconn.prepare(_STATEMENT, _APPEND))
            self._prepared_on = connection
        taken = connection.pgconn.exec_prepared(_STATEMENT, self._parameters(shares), _ALL_BINARY, _BINARY)
        _check(taken)
        return {int.from_bytes(taken.get_value(row, 0) or b"", "big") for row in range(taken.ntuples)}

    def _parameters(self, shares: Sequence[Share]) -> list[bytes]:
        rows = [
            (share.partition_id, batch, segment_base)
            for share in shares
            for batch, segment_base in zip(share.batches, share.segment_bases, strict=True)
        ]
        return [
            bigints([share.partition_id for share in shares]),
            integers([share.epoch for share in shares]),
            bigints([share.batches[0].base_offset for share in shares]),
            bigints([share.batches[-1].next_offset for share in shares]),
            self._node_id,
            bigints([partition_id for partition_id, _, _ in rows]),
            bigints([batch.base_offset for _, batch, _ in rows]),
            bigints([batch.next_offset for _, batch, _ in rows]),
            bigints([segment_base for _, _, segment_base in rows]),
            bigints([batch.max_timestamp for _, batch, _ in rows]),
            bigints([batch.now_ms for _, batch, _ in rows]),
            byteas([batch.bytes for _, batch, _ in rows]),
        ]


def _check(result: PGresult) -> None:
    """psycopg's error for what the database, or the loss of it, said."""
    if result.status not in _DONE:
        from psycopg.errors import error_from_result

        raise error_from_result(result)
