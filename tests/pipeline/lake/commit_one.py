"""A transaction of one table, with its change by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from muster.pipeline.lake.commit import Change, Signature, commit_change
from muster.pipeline.lake.files import DataFile
from muster.pipeline.lake.location import Location


def commit(
    location: Location,
    table: str,
    batch_id: int | None,
    added: Iterable[DataFile],
    replaced_parts: Set[str] | None = None,
    remove_all: bool = False,
    metadata: Mapping[str, str] | None = None,
) -> int:
    """Commit one table. The version it has afterwards, also if this batch was committed before."""
    change = Change(tuple(added), frozenset(replaced_parts or ()), remove_all)
    return commit_change(location, table, Signature(batch_id, metadata or {}), change)
