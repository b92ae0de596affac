"""Puts partitions of deleted topics aside at once, and deletes what they hold later, a few batches a transaction.

A partition that is put aside gives its name up, so that a topic of that name can be made anew, and has no owner, so that nobody
appends to it. Its row says so by a name that no topic can have, which is the list of what there is to delete: it outlives
whoever began.

A partition may have more batches than one statement can delete in the time that it is given; such a statement would be
rolled back and begin anew each time. Here what was deleted stays deleted, however often somebody has to begin again.
What was put aside never comes back, so nothing is locked in between, and several nodes may delete the same partition.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

if TYPE_CHECKING:
    from muster.log.postgres.line import Line

MOST_BATCHES: Final = 1_000
MOST_BYTES: Final = 16 * 1024 * 1024
"""Of one transaction; a batch that is larger goes alone."""

OF_TOPICS: Final = "NOT starts_with(topic, 'deleted/')"
"""Of rows of `muster.partitions`: they are not put aside."""
PUT_ASIDE_SINCE: Final = 3
"""Nodes that speak this schema version know that partitions which are put aside are led by nobody."""
_RENAME: Final = """
UPDATE muster.partitions AS partition
SET topic = 'deleted/' || partition.id, owner = NULL, epoch = partition.epoch + 1
FROM held WHERE partition.id = held.id
"""
_PUT_ASIDE: Final = f"""
WITH held AS MATERIALIZED (
    SELECT id FROM muster.partitions WHERE topic = %(topic)s AND partition = %(partition)s AND topic_id = %(topic_id)s
    FOR UPDATE
)
{_RENAME}"""  # noqa: S608
_PUT_ASIDE_UNLESS_CHANGED: Final = f"""
WITH known AS (SELECT version FROM muster.documents WHERE name = %(document)s FOR SHARE), held AS MATERIALIZED (
    SELECT id FROM muster.partitions
    WHERE topic = ANY(%(topics)s) AND partition = coalesce(%(partition)s::integer, partition)
        AND coalesce((SELECT version FROM known), 0) = %(version)s
    ORDER BY id FOR UPDATE
)
{_RENAME}"""  # noqa: S608
"""Rows are locked in the order of `fence`. Whoever appended first is waited for."""

_NEXT: Final = "SELECT min(id) FROM muster.partitions WHERE starts_with(topic, 'deleted/')"
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
"""With the batches that were left in the meantime."""


def put_aside(connection: Any, topic: str, partition: int, topic_id: UUID) -> None:
    """The partition of the topic with this id, if there is one."""
    connection.execute(_PUT_ASIDE, {"topic": topic, "partition": partition, "topic_id": topic_id})


def put_aside_unless_changed(
    connection: Any, known: tuple[str, int], topics: Sequence[str], partition: int | None = None
) -> None:
    """All partitions under these names, or the one with this number. `known`: a document and its version, by which no topic has
    one of the names; if somebody has changed it since, nothing is done."""
    document, version = known
    values = {"document": document, "version": version, "topics": list(topics), "partition": partition}
    connection.execute(_PUT_ASIDE_UNLESS_CHANGED, values)


class Deletion:
    """Deletes what was put aside, by this node or another one."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._at: tuple[int, int] | None = None
        """The partition that is being deleted, and up to which offset it is."""

    def do_some(self) -> bool:
        """One slice, or the row of a partition that is empty by now. False if there is nothing to delete; StorageError if the
        database cannot be asked any more: what is deleted by then stays so."""
        at, self._at = self._at, None
        if at is None:
            row = self._line.run(lambda connection: connection.execute(_NEXT).fetchone())
            if row is None or row[0] is None:
                return False
            at = (row[0], -1)
        partition_id, after = at
        last = self._line.run(partial(_delete_some, partition_id, after))
        if last is None:
            self._line.run(lambda connection: connection.execute(_DELETE, (partition_id,)))
        else:
            self._at = (partition_id, last)
        return True


def _delete_some(partition_id: int, after: int, connection: Any) -> int | None:
    """The last offset that was deleted; None if there was nothing left."""
    values = {"id": partition_id, "after": after, "batches": MOST_BATCHES, "bytes": MOST_BYTES}
    row = connection.execute(_DELETE_SOME, values).fetchone()
    return None if row is None or row[0] is None else int(row[0])
