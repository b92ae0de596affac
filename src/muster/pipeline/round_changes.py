"""What a round changes, table by table: the files that come, and the parts that they replace. Knows neither Spark nor any table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from muster.pipeline.lake.commit import Change
from muster.pipeline.lake.files import DataFile
from muster.pipeline.lake.reader import Lake


class RoundChanges:
    """The changes of one round, made step by step; `_held` shows a table as they leave it so far."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake
        self._changes: dict[str, Change] = {}

    def _add(self, table: str, files: Iterable[DataFile]) -> None:
        before = self._changes.get(table, Change())
        self._changes[table] = replace(before, added=(*before.added, *files))

    def _replace(self, table: str, files: Iterable[DataFile], parts: frozenset[str]) -> None:
        """These files take the place of all that the table holds of these parts."""
        before = self._changes.get(table, Change())
        kept = [file for file in before.added if file.part not in parts]
        self._changes[table] = replace(before, added=(*kept, *files), replaced_parts=before.replaced_parts | parts)

    def _held(self, table: str) -> list[DataFile]:
        """The files of a table as this round leaves them so far."""
        change = self._changes.get(table, Change())
        held = [] if change.remove_all else self._lake.table_files(table)
        return [*(file for file in held if file.part not in change.replaced_parts), *change.added]
