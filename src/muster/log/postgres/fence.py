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

from muster.log.staging import StagedBatch

if TYPE_CHECKING:
    import psycopg

_APPEND: Final = """
WITH held AS MATERIALIZED (
    SELECT partition.id, share.new_end FROM muster.partitions AS partition
    JOIN unnest(%s::bigint[], %s::integer[], %s::bigint[], %s::bigint[]) AS share(id, epoch, expected_end, new_end)
        ON partition.id = share.id
    WHERE partition.owner = %s AND partition.epoch = share.epoch AND partition.end_offset = share.expected_end
    ORDER BY partition.id FOR NO KEY UPDATE OF partition
), moved AS (
    UPDATE muster.partitions AS partition SET end_offset = held.new_end
    FROM held WHERE partition.id = held.id
    RETURNING partition.id
), stored AS (
    INSERT INTO muster.batches
        (partition_id, base_offset, next_offset, segment_base, max_timestamp, appended_at_ms, content)
    SELECT batch.* FROM unnest(
        %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[], %s::bigint[], %s::bytea[]
    ) AS batch(partition_id, base_offset, next_offset, segment_base, max_timestamp, appended_at_ms, content)
    JOIN moved ON moved.id = batch.partition_id
)
SELECT id FROM moved
"""


class Share(NamedTuple):
    """What one log has staged for this tick."""

    partition_id: int
    epoch: int
    batches: Sequence[StagedBatch]
    segment_bases: Sequence[int]
    """The segment that each batch belongs to."""


def append(connection: psycopg.Connection[Any], node_id: int, shares: Sequence[Share]) -> set[int]:
    """Store what may be stored, in one transaction; returns the ids of the partitions that took their share."""
    rows = [
        (share.partition_id, batch, segment_base)
        for share in shares
        for batch, segment_base in zip(share.batches, share.segment_bases, strict=True)
    ]
    cursor = connection.execute(
        _APPEND,
        (
            [share.partition_id for share in shares],
            [share.epoch for share in shares],
            [share.batches[0].base_offset for share in shares],
            [share.batches[-1].next_offset for share in shares],
            node_id,
            [partition_id for partition_id, _, _ in rows],
            [batch.base_offset for _, batch, _ in rows],
            [batch.next_offset for _, batch, _ in rows],
            [segment_base for _, _, segment_base in rows],
            [batch.max_timestamp for _, batch, _ in rows],
            [batch.now_ms for _, batch, _ in rows],
            [batch.bytes for _, batch, _ in rows],
        ),
        binary=True,
    )
    return {int(row[0]) for row in cursor}
