"""What a lake holds right now: which files of which table count, and how far each log has been read.

The manifest is one JSON file, replaced as a whole; whoever reads a lake reads it first and opens no file that it does not name.
Pure: texts to values and back. `lake` does the files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from muster.pipeline.lake.errors import LakeError as LakeError

FORMAT: Final = "muster-lake"
FILE_NAME: Final = "manifest.json"
PARQUET: Final = "parquet"
DELTA: Final = "delta"
TABLE_FORMATS: Final = (PARQUET, DELTA)

Offsets = dict[str, dict[str, dict[int, int]]]
"""cluster -> log topic -> partition -> the next offset to read"""


@dataclass(frozen=True, slots=True)
class DataFile:
    """One Parquet file. `part` and `dt` say whose rows it holds, so that small files can be merged without looking inside."""

    path: str  # relative to the lake
    rows: int
    size: int
    part: str = ""
    dt: str = ""
    first_ms: int | None = None
    last_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    number: int
    files: tuple[DataFile, ...]

    @property
    def rows(self) -> int:
        return sum(file.rows for file in self.files)


@dataclass(frozen=True, slots=True)
class Retired:
    """A batch that no table names any more; its files stay a while for readers that still hold the older manifest."""

    table: str
    number: int
    at_ms: int = -1  # set when it is published


@dataclass(frozen=True, slots=True)
class Manifest:
    schema_version: int
    revision: int = 0
    published_ms: int = 0
    next_batch: int = 1
    tables: Mapping[str, tuple[Batch, ...]] = field(default_factory=dict)
    next_offsets: Mapping[str, Mapping[str, Mapping[int, int]]] = field(default_factory=dict)
    retired: tuple[Retired, ...] = ()
    silver_from_ms: int = 0  # rows before are only those that still count as state: retention took the others
    gold_of_revision: int = -1  # the revision that the gold tables were computed from
    gold_at_ms: int = 0  # the moment that they speak of
    table_format: str = PARQUET  # with `delta`, Delta's transaction logs follow this manifest (`lake_delta`)
    provisional: bool = False  # a log had not yet been read to the end that it had when reading began

    def batches(self, table: str) -> tuple[Batch, ...]:
        return self.tables.get(table, ())

    def files(self, table: str) -> list[DataFile]:
        return [file for batch in self.batches(table) for file in batch.files]

    def rows(self, table: str) -> int:
        return sum(batch.rows for batch in self.batches(table))

    def offset_of(self, cluster: str, topic: str, partition: int) -> int | None:
        return self.next_offsets.get(cluster, {}).get(topic, {}).get(partition)

    def with_appended(self, added: Mapping[str, Batch]) -> Manifest:
        tables = dict(self.tables)
        for table, batch in added.items():
            if batch.files:
                tables[table] = (*self.batches(table), batch)
        return replace(self, tables=tables)

    def with_replaced(self, given: Mapping[str, Batch]) -> Manifest:
        """These tables hold that batch and nothing else; what they held before is retired."""
        tables = dict(self.tables)
        retired = list(self.retired)
        for table, batch in given.items():
            retired += [Retired(table, old.number) for old in self.batches(table) if old.number != batch.number]
            tables[table] = (batch,)
        return replace(self, tables=tables, retired=tuple(retired))

    def with_offsets(self, cluster: str, read: Iterable[tuple[str, int, int]]) -> Manifest:
        """(log topic, partition, next offset) were read of that cluster."""
        offsets: Offsets = {name: {t: dict(p) for t, p in topics.items()} for name, topics in self.next_offsets.items()}
        for topic, partition, next_offset in read:
            offsets.setdefault(cluster, {}).setdefault(topic, {})[partition] = next_offset
        return replace(self, next_offsets=offsets)

    def published(self, now_ms: int) -> Manifest:
        """As it stands on disk: what was retired since the last time is retired now."""
        stamped = tuple(gone if gone.at_ms >= 0 else replace(gone, at_ms=now_ms) for gone in self.retired)
        return replace(
            self, revision=self.revision + 1, next_batch=self.next_batch + 1, published_ms=now_ms, retired=stamped
        )

    def to_json(self) -> str:
        content = {
            "format": FORMAT,
            "schema_version": self.schema_version,
            "table_format": self.table_format,
            "revision": self.revision,
            "published_ms": self.published_ms,
            "next_batch": self.next_batch,
            "silver_from_ms": self.silver_from_ms,
            "gold_of_revision": self.gold_of_revision,
            "gold_at_ms": self.gold_at_ms,
            "provisional": self.provisional,
            "next_offsets": {
                cluster: {
                    topic: {str(p): offset for p, offset in sorted(parts.items())} for topic, parts in topics.items()
                }
                for cluster, topics in self.next_offsets.items()
            },
            "tables": {table: [_batch_to_json(batch) for batch in batches] for table, batches in self.tables.items()},
            "retired": [[gone.table, gone.number, gone.at_ms] for gone in self.retired],
        }
        return json.dumps(content, separators=(",", ":"))


def parse_manifest(text: str, where: str, known_version: int) -> Manifest:
    """Refuses what is no manifest, and what another version wrote, before looking further."""
    try:
        content = json.loads(text)
    except ValueError as error:
        raise LakeError(f"{where} is not JSON ({error}): is this a lake of `muster pipeline run`?") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise LakeError(f"{where} is not the manifest of a lake of `muster pipeline run`")
    version = content.get("schema_version")
    if version != known_version:
        raise LakeError(
            f"{where}: this lake has schema version {version}, this muster reads and writes {known_version}; use a muster that "
            "knows the lake's version, or make a new lake with `muster pipeline run --lake OTHER`"
        )
    try:
        return _from_json(content)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise LakeError(f"{where} is damaged ({type(error).__name__}: {error}); make a new lake") from None


def _from_json(content: dict[str, Any]) -> Manifest:
    return Manifest(
        schema_version=content["schema_version"],
        table_format=content.get("table_format", PARQUET),
        revision=content["revision"],
        published_ms=content["published_ms"],
        next_batch=content["next_batch"],
        silver_from_ms=content["silver_from_ms"],
        gold_of_revision=content["gold_of_revision"],
        gold_at_ms=content["gold_at_ms"],
        provisional=content["provisional"],
        next_offsets={
            cluster: {topic: {int(p): offset for p, offset in parts.items()} for topic, parts in topics.items()}
            for cluster, topics in content["next_offsets"].items()
        },
        tables={table: tuple(map(_batch_from_json, batches)) for table, batches in content["tables"].items()},
        retired=tuple(Retired(*gone) for gone in content["retired"]),
    )


def _batch_to_json(batch: Batch) -> dict[str, Any]:
    files = [[f.path, f.rows, f.size, f.part, f.dt, f.first_ms, f.last_ms] for f in batch.files]
    return {"batch": batch.number, "files": files}


def _batch_from_json(content: dict[str, Any]) -> Batch:
    return Batch(content["batch"], tuple(DataFile(*file) for file in content["files"]))
