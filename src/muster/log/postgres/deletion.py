"""Deletes partitions of deleted topics, a few batches a transaction.

A partition may have more batches than one statement can delete in the time that it is given; such a statement would be
rolled back and begin anew each time. Here what was deleted stays deleted, however often somebody has to begin again.

The caller has made sure that the partition's topic is gone. Then it is gone for good, since topic ids and the ids of
rows are never given out twice: nothing has to be locked in between, and several nodes may delete the same partition.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from muster.log.postgres.line import Line

MOST_BATCHES: Final = 1_000
MOST_BYTES: Final = 16 * 1024 * 1024
"""Of one transaction; a batch that is larger goes alone."""

_DELETE_SOME: Final = """
WITH held AS MATERIALIZED (
    SELECT base_offset, octet_length(content) AS size FROM muster.batches
    WHERE partition_id = %(id)s AND base_offset > %(after)s
    ORDER BY base_offset LIMIT %(batches)s FOR UPDATE SKIP LOCKED
), slice AS MATERIALIZED (
    SELECT base_offset FROM (
        SELECT base_offset, sum(size) OVER (ORDER BY base_offset) - size AS bytes_before FROM held
    ) AS summed WHERE bytes_before < %(bytes)s
), deleted AS (
    DELETE FROM muster.batches AS batch USING slice
    WHERE batch.partition_id = %(id)s AND batch.base_offset = slice.base_offset
)
SELECT max(base_offset) FROM slice
"""
"""Batches that another node is just deleting are left to it."""
_DELETE: Final = "DELETE FROM muster.partitions WHERE id = %s"
"""With the batches that came or were left in the meantime."""


def delete_partition(line: Line, partition_id: int) -> None:
    """StorageError if the database cannot be asked any more; what is deleted by then stays so."""
    after: int | None = -1
    while after is not None:
        after = line.run(partial(_delete_some, partition_id, after))
    line.run(lambda connection: connection.execute(_DELETE, (partition_id,)))


def _delete_some(partition_id: int, after: int, connection: Any) -> int | None:
    """The last offset that was deleted; None if there was nothing left."""
    values = {"id": partition_id, "after": after, "batches": MOST_BATCHES, "bytes": MOST_BYTES}
    row = connection.execute(_DELETE_SOME, values).fetchone()
    return None if row is None or row[0] is None else int(row[0])
