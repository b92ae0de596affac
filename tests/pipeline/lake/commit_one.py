"""A transaction of one table, with its change by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from muster.pipeline.lake.commit import Change, Signature, commit_change
from muster.pipeline.lake.files import DataFile
from muster.pipeline.lake.location import Location


def commit(
    location: Location,
    table: str,
    number: int | None,
    added: Iterable[DataFile],
    replaced_parts: Set[str] | None = None,
    remove_all: bool = False,
    metadata: Mapping[str, str] | None = None,
) -> int:
    """Commit one table, in the round of this number or outside of one. The version it has afterwards."""
    change = Change(tuple(added), frozenset(replaced_parts or ()), remove_all)
    return commit_change(location, table, Signature(number, metadata or {}), change)
