"""Lakes for tests that need no Spark: tables of a few rows, published as the jobs do it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from muster.pipeline.decode.row_schemas import ROW_TABLES
from muster.pipeline.old.jobs_files import BatchFiles
from muster.pipeline.old.lake import Lake, LakeWriter, appended
from muster.pipeline.old.manifest import Batch
from muster.pipeline.schemas import GOLD, TABLES

Row = dict[str, Any]


def schema_of(table: str) -> pa.Schema:
    return ROW_TABLES[table.removesuffix(".rows")] if table.endswith(".rows") else TABLES[table]


def append(writer: LakeWriter, rows: dict[str, list[Row]], part: str = "__consumer_offsets-0") -> None:
    """One batch of these tables, as ingestion publishes it."""
    files = BatchFiles(writer.root, writer.manifest.next_batch, part)
    for table, content in rows.items():
        files.add(table, pa.RecordBatch.from_pylist(content, schema=schema_of(table)))
    writer.publish(appended(writer, files.close()))


def publish_gold(writer: LakeWriter, rows: dict[str, list[Row]], at_ms: int, provisional: bool = False) -> None:
    """All gold tables, those that are not given without rows, as the publishing job does it."""
    written = {}
    number = writer.manifest.next_batch
    for table in GOLD:
        files = BatchFiles(writer.root, number, "gold")
        files.add(table, pa.RecordBatch.from_pylist(rows.get(table, []), schema=TABLES[table]))
        written[table] = Batch(number, tuple(file for new in files.close().values() for file in new))
    manifest = writer.manifest.with_replaced(written)
    gold_of = writer.manifest.revision
    writer.publish(replace(manifest, gold_of_revision=gold_of, gold_at_ms=at_ms, provisional=provisional))


def gold_lake(
    root: Path, rows: dict[str, list[Row]], at_ms: int = 1_800_000_000_000, provisional: bool = False
) -> Lake:
    with Lake.open_or_create(root).write(clock=lambda: at_ms) as writer:
        publish_gold(writer, rows, at_ms, provisional)
    return Lake.open(root)


def bronze(offset: int, record_ms: int, value: bytes = b"v", dt: str = "2026-11-15") -> Row:
    return {
        "cluster": "east",
        "log_topic": "__consumer_offsets",
        "log_partition": 0,
        "log_offset": offset,
        "record_ms": record_ms,
        "key": b"k",
        "value": value,
        "dt": dt,
    }
