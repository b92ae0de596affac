"""Which log partitions a task takes together when tables are made: one large one, or many small ones.

A group's records and its journal lie in log partitions of the same number, so whoever has both has whole groups. Small ones go
together because every task writes a file a table. Knows the manifest, not what is in the files.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from muster.pipeline.decode.row_schemas import ROW_TABLES
from muster.pipeline.old.jobs_ingest import rows_table
from muster.pipeline.old.manifest import DataFile, Manifest

BUNDLE_ROWS: Final = 500_000
"""Records of log partitions that are put together."""
_TABLES: Final = tuple(dict.fromkeys(("b_log_record", "b_journal_event", *map(rows_table, ROW_TABLES))))


@dataclass(slots=True)
class Home:
    """Where some groups live: the files of one number of log partition, of the coordinator's log and of the journal."""

    name: str
    files: dict[str, list[DataFile]] = field(default_factory=lambda: defaultdict(list))

    def paths(self, table: str) -> tuple[str, ...]:
        return tuple(file.path for file in self.files.get(table, ()))

    def rows(self, table: str) -> int:
        return sum(file.rows for file in self.files.get(table, ()))

    @property
    def records(self) -> int:
        return self.rows("b_log_record")


def homes(manifest: Manifest) -> list[Home]:
    found: dict[str, Home] = {}
    for table in _TABLES:
        for file in manifest.files(table):
            name = _home_of(file.part)
            found.setdefault(name, Home(name)).files[table].append(file)
    return [found[name] for name in sorted(found)]


def bundles(those: Iterable[Home], rows: int = BUNDLE_ROWS) -> Iterator[tuple[Home, ...]]:
    """In the order that they come; a bundle is closed when it has enough."""
    together: list[Home] = []
    for home in those:
        if together and sum(each.records for each in together) + home.records > rows:
            yield tuple(together)
            together = []
        together.append(home)
    if together:
        yield tuple(together)


def _home_of(part: str) -> str:
    """`TOPIC-NUMBER-CLUSTER` without its topic (`jobs_tasks.part_of`)."""
    pieces = part.rsplit("-", 2)
    return "-".join(pieces[1:]) if len(pieces) == 3 else part
