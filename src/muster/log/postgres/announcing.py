"""Makes the rows of partitions of which the catalog says that they are there.

Records of another topic under the same name are never touched here. Until release 0.2 logs were found by name alone, so
they may be the topic's own, from before it was made anew; only the operator knows (decision 0012).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from muster.log.contract import DocumentChanged, StorageError
from muster.log.postgres.schema import tell_others

_KNOWN: Final = "SELECT version FROM muster.documents WHERE name = %s FOR SHARE"
_STRANGERS: Final = """
SELECT id FROM muster.partitions WHERE topic = %s AND topic_id <> %s ORDER BY id FOR UPDATE
"""
_DROP_EMPTY: Final = """
DELETE FROM muster.partitions
WHERE id = ANY(%s) AND NOT EXISTS (SELECT FROM muster.batches WHERE partition_id = partitions.id)
"""
_KEPT: Final = "SELECT partition, topic_id FROM muster.partitions WHERE id = ANY(%s) ORDER BY partition"
_MAKE: Final = """
INSERT INTO muster.partitions (topic, topic_id, partition) SELECT %s, %s, unnest(%s::integer[])
ON CONFLICT (topic, partition) DO NOTHING
"""


def announce(
    connection: Any, known: tuple[str, int | None], topic: str, topic_id: UUID, partitions: Sequence[int]
) -> None:
    """Make what is missing of these. `known`: the catalog's document and the version that was read; None: it was not.

    DocumentChanged if there is another version, and nothing was done. StorageError if rows with records are another topic's.
    """
    with connection.transaction():
        _refuse_if_changed(connection, known)
        kept = _drop_empty_strangers(connection, topic, topic_id)
        if connection.execute(_MAKE, (topic, topic_id, list(partitions))).rowcount:
            tell_others(connection, f"partitions of {topic}")
    if kept:
        names = ", ".join(f"{topic}-{partition} (of topic id {other})" for partition, other in kept)
        raise StorageError(
            f"these hold records of another topic of that name, and are led by nobody: {names};"
            " `muster cluster check` says what to do"
        )


def _refuse_if_changed(connection: Any, known: tuple[str, int | None]) -> None:
    document, version = known
    row = connection.execute(_KNOWN, (document,)).fetchone()
    if version is not None and version != (0 if row is None else row[0]):
        raise DocumentChanged(f"{document} was changed by another node")


def _drop_empty_strangers(connection: Any, topic: str, topic_id: UUID) -> list[tuple[int, UUID]]:
    """Number and topic id of those that stay. Nobody can append to a row between the two looks at it: they are locked."""
    strangers = [partition_id for (partition_id,) in connection.execute(_STRANGERS, (topic, topic_id))]
    if not strangers:
        return []
    connection.execute(_DROP_EMPTY, (strangers,))
    return list(connection.execute(_KEPT, (strangers,)).fetchall())
