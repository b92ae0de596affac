"""Lakes for tests that need no Spark: small tables written by Arrow, committed and published as a round does it."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from muster.pipeline.lake.commit import Change, Signature, commit_all
from muster.pipeline.lake.files import list_batch
from muster.pipeline.lake.location import Location, batch_directory, table_directory
from muster.pipeline.lake.reader import Lake
from muster.pipeline.lake.rounds import Round, open_or_create, publish_round
from muster.pipeline.lake.tables import partition_columns, schema_of
from muster.pipeline.schemas import GOLD, TABLES

Row = dict[str, Any]
AT_MS = 1_800_000_000_000


def rows_of(table: str, rows: list[Row]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=schema_of(table))


def write_files(
    location: Location, batch: str, tables: dict[str, pa.Table], part: str = "new", rows_in_a_group: int = 5_000
) -> None:
    """What Spark would leave: one Parquet file a table (of the log: a day) in the directory of the batch."""
    assert location.local is not None
    for name, rows in tables.items():
        directory = location.local / table_directory(name) / batch_directory(name, batch)
        for piece, below in _pieces(name, rows, part):
            (directory / below).mkdir(parents=True, exist_ok=True)
            pq.write_table(
                piece, directory / below / f"part-{secrets.token_hex(4)}.parquet", row_group_size=rows_in_a_group
            )


def _pieces(name: str, rows: pa.Table, part: str) -> list[tuple[pa.Table, str]]:
    if not partition_columns(name):
        return [(rows, f"part={part}")]
    days = rows["dt"].to_pylist()
    return [
        (rows.filter(pa.array([day == each for day in days])).drop_columns(["dt"]), f"dt={each}")
        for each in sorted(set(days))
    ]


def publish(
    path: str | Path,
    appended: dict[str, pa.Table] | None = None,
    replaced: dict[str, pa.Table] | None = None,
    part: str = "now",
    rows_in_a_group: int = 5_000,
    **said: Any,
) -> Round:
    """One more round: rows that are added to tables, and parts that take the place of what was there."""
    location = Location.parse(path)
    last = open_or_create(location)
    batch_id = last.batch_id + 1
    batch = f"{batch_id:08d}-{secrets.token_hex(4)}"
    write_files(location, batch, appended or {}, "new", rows_in_a_group)
    write_files(location, batch, replaced or {}, part, rows_in_a_group)
    found = list_batch(location, batch)
    changes = {
        name: Change(
            tuple(found.get(name, ())), replaced_parts=frozenset([part]) if name in (replaced or {}) else frozenset()
        )
        for name in {**(appended or {}), **(replaced or {})}
    }
    versions = commit_all(location, Signature(batch_id, {"batch": batch}, base=last.versions), changes)
    this = last.following(versions, **{"batch_id": batch_id, "at_ms": AT_MS, **said})
    publish_round(location, this)
    return this


def make_lake(
    path: str | Path,
    tables: dict[str, pa.Table],
    gold_at_ms: int = AT_MS,
    provisional: bool = False,
    rows_in_a_group: int = 5_000,
) -> Lake:
    """A lake whose gold is finished. Gold tables that are not given have no rows."""
    empty = {name: TABLES[name].empty_table() for name in GOLD if name not in tables}
    said: dict[str, Any] = {"gold_at_ms": gold_at_ms, "provisional": provisional}
    publish(path, replaced={**empty, **tables}, rows_in_a_group=rows_in_a_group, **said)
    return Lake.open(path)


def gold_lake(path: str | Path, rows: dict[str, list[Row]], at_ms: int = AT_MS, provisional: bool = False) -> Lake:
    return make_lake(path, {name: rows_of(name, few) for name, few in rows.items()}, at_ms, provisional)
