"""Compaction: many small files of a table become few, and rows older than their retention go. Needs no Spark.

Everything is written as one new batch and published in one step; the old files stay for readers as those of any replaced batch do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from muster.pipeline.old.jobs_files import BatchFiles
from muster.pipeline.old.lake import LakeWriter
from muster.pipeline.old.lake_retention import (
    GOLD_TIMES,
    RULES,
    Retention,
    kept_rows,
    newest_by_key,
    without_bytes,
)
from muster.pipeline.old.manifest import Batch, DataFile, Manifest, Retired
from muster.pipeline.schemas import GOLD, SILVER

LARGE_BYTES: Final = 128 << 20
"""A batch of at least this size is left alone, unless some of its rows are too old."""
_PORTION_ROWS: Final = 131_072


@dataclass(slots=True)
class Compacted:
    files_before: int = 0
    files_after: int = 0
    rows_dropped: int = 0


def kept_table(table: str) -> str:
    """Where gold from before silver's horizon is kept."""
    return f"{table}.kept"


def compact(writer: LakeWriter, retention: Retention, now_ms: int) -> Compacted:
    """`now_ms`: what ages are counted back from. Publishes only if there was something to do."""
    done = Compacted()
    manifest = writer.manifest
    horizon = retention.horizon(retention.silver_days, now_ms)
    appended_only = [t for t in manifest.tables if t not in SILVER and t not in GOLD and not t.endswith(".kept")]
    changed = _keep_old_gold(writer, retention, now_ms, horizon)
    for table in appended_only:
        chosen = _to_rewrite(manifest, table, retention, now_ms)
        if chosen:
            changed[table] = _rewrite(writer, table, chosen, retention, now_ms, done)
    if not changed:
        return done
    published = _replaced(manifest, changed)
    writer.publish(replace(published, silver_from_ms=max(manifest.silver_from_ms, min(horizon, now_ms))))
    return done


def _to_rewrite(manifest: Manifest, table: str, retention: Retention, now_ms: int) -> tuple[Batch, ...]:
    small = [b for b in manifest.batches(table) if sum(f.size for f in b.files) < LARGE_BYTES]
    chosen = {b.number for b in small} if len(small) > 1 else set()
    horizons = _horizons(table, retention, now_ms)
    if horizons:
        oldest = max(horizons)
        chosen |= {b.number for b in manifest.batches(table) if _begins(b) < oldest}
    return tuple(b for b in manifest.batches(table) if b.number in chosen)


def _horizons(table: str, retention: Retention, now_ms: int) -> list[int]:
    rule = RULES.get(table)
    if rule is None:
        return []
    days = [retention.silver_days if rule.layer == "silver" else retention.bronze_days]
    if table == "b_log_record":
        days.append(retention.bronze_days)
    return [retention.horizon(each, now_ms) for each in days]


def _begins(batch: Batch) -> float:
    return min((f.first_ms for f in batch.files if f.first_ms is not None), default=float("inf"))


def _rewrite(
    writer: LakeWriter, table: str, chosen: tuple[Batch, ...], retention: Retention, now_ms: int, done: Compacted
) -> tuple[tuple[Batch, ...], Batch]:
    """(the batches that are replaced, the batch that replaces them)"""
    rule = RULES.get(table)
    paths = [str(writer.root / file.path) for file in writer.manifest.files(table)]
    newest = newest_by_key(paths, rule) if rule else None
    number = writer.manifest.next_batch
    writer.directory(table)
    written: list[DataFile] = []
    files = [file for batch in chosen for file in batch.files]
    for part in sorted({file.part for file in files}):
        target = BatchFiles(writer.root, number, part)
        for rows in _portions(writer, [file for file in files if file.part == part]):
            kept = rows
            if rule is not None:
                days = retention.silver_days if rule.layer == "silver" else retention.bronze_days
                kept = kept_rows(rows, rule, retention.horizon(days, now_ms), newest)
            if table == "b_log_record":
                kept = without_bytes(kept, retention.horizon(retention.bronze_days, now_ms))
            done.rows_dropped += rows.num_rows - kept.num_rows
            for batch in kept.combine_chunks().to_batches():
                target.add(table, batch)
        written += [file for new in target.close().values() for file in new]
    done.files_before += len(files)
    done.files_after += len(written)
    return chosen, Batch(number, tuple(written))


def _portions(writer: LakeWriter, files: list[DataFile]) -> Iterator[pa.Table]:
    for file in files:
        for batch in pq.ParquetFile(writer.root / file.path).iter_batches(_PORTION_ROWS):
            yield pa.Table.from_batches([batch])


def _keep_old_gold(
    writer: LakeWriter, retention: Retention, now_ms: int, silver_horizon: int
) -> dict[str, tuple[tuple[Batch, ...], Batch]]:
    """Gold rows that will not come again, as tables of their own; those older than gold's retention go.

    Published gold contains what was kept before (`jobs_publish`), so it is all there is to look at.
    """
    oldest = retention.horizon(retention.gold_days, now_ms)
    changed: dict[str, tuple[tuple[Batch, ...], Batch]] = {}
    for table, time in GOLD_TIMES.items():
        had = writer.manifest.batches(kept_table(table))
        writer.directory(kept_table(table))
        target = BatchFiles(writer.root, writer.manifest.next_batch, "kept")
        for rows in _portions(writer, writer.manifest.files(table)):
            wanted = pc.and_(pc.less(rows[time], silver_horizon), pc.greater_equal(rows[time], oldest))
            for batch in rows.filter(wanted).combine_chunks().to_batches():
                target.add(kept_table(table), batch)
        new = Batch(writer.manifest.next_batch, tuple(file for new in target.close().values() for file in new))
        if new.rows != sum(batch.rows for batch in had):
            changed[kept_table(table)] = (had, new)
        # else: what was written is what is there, and goes with the next sweep
    return changed


def _replaced(manifest: Manifest, changed: dict[str, tuple[tuple[Batch, ...], Batch]]) -> Manifest:
    tables = dict(manifest.tables)
    retired = list(manifest.retired)
    for table, (old, new) in changed.items():
        gone = {batch.number for batch in old}
        left = [batch for batch in manifest.batches(table) if batch.number not in gone]
        tables[table] = (new, *left) if new.files else tuple(left)
        retired += [Retired(table, number) for number in sorted(gone)]
    return replace(manifest, tables=tables, retired=tuple(retired))
