"""Finished `s_offset_commit`, a task a log partition: from the files of its decoded rows to files, without a shuffle.

All of a group's records lie in one log partition, so its neighbours do too (`tables.commit_rows`). Several times as quick as the
same in Spark SQL, for about 120 bytes of memory a record of the partition: beyond `MOST_ROWS` the other way is taken.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.parquet as pq

from muster.pipeline.decode.row_schemas import ROW_TABLES
from muster.pipeline.jobs_files import BatchFiles
from muster.pipeline.jobs_ingest import rows_table
from muster.pipeline.jobs_tasks import FileTask, run_tasks
from muster.pipeline.manifest import Batch, DataFile, Manifest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TABLE: Final = "s_offset_commit"
MOST_ROWS: Final = 8_000_000
"""Decoded rows of one log partition that a worker takes on: about 1 GB."""
_PORTION: Final = 131_072


def fits_in_workers(manifest: Manifest) -> bool:
    return (
        max((sum(f.rows for f in files) for files in _by_part(manifest, rows_table(TABLE)).values()), default=0)
        <= MOST_ROWS
    )


def finish_commits(spark: SparkSession, root: Path, manifest: Manifest) -> Batch:
    """Every log partition's commits, finished, as files of the next batch. The directory must be empty."""
    decoded = _by_part(manifest, rows_table(TABLE))
    markers, bronze = _by_part(manifest, rows_table("txn_marker")), _by_part(manifest, "b_log_record")
    tasks = [
        FileTask(part, _OnePartition(root, _paths(files), _paths(markers.get(part, ())), _paths(bronze.get(part, ()))))
        for part, files in sorted(decoded.items())
    ]
    files = run_tasks(spark, root, manifest.next_batch, tasks)
    return Batch(manifest.next_batch, tuple(files.get(TABLE, ())))


def _by_part(manifest: Manifest, table: str) -> dict[str, list[DataFile]]:
    found: dict[str, list[DataFile]] = defaultdict(list)
    for file in manifest.files(table):
        found[file.part].append(file)
    return found


def _paths(files: Sequence[DataFile]) -> tuple[str, ...]:
    return tuple(file.path for file in files)


@dataclass(frozen=True, slots=True)
class _OnePartition:
    """The files of one log partition: decoded commits, ends of transactions, and bronze for the holes in it."""

    root: Path
    decoded: tuple[str, ...]
    markers: tuple[str, ...]
    bronze: tuple[str, ...]

    def __call__(self, files: BatchFiles) -> None:
        from muster.pipeline.tables.commit_rows import faithful_from, finished_commit_rows

        markers = [pq.ParquetFile(self.root / path).read() for path in self.markers]
        ends = pa.concat_tables(markers) if markers else ROW_TABLES["txn_marker"].empty_table()
        whole_from = faithful_from(batch.column(0) for batch in in_log_order(self.root, self.bronze, ["log_offset"]))
        decoded = self.decoded
        for rows in finished_commit_rows(lambda: in_log_order(self.root, decoded), ends, whole_from):
            files.add(TABLE, rows)


def in_log_order(root: Path, paths: Sequence[str], columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
    """The rows of files of one log partition by offset. Files that reach into each other (a day's end, compaction) are sorted."""
    ranges = sorted((*_offsets_of(root / path), path) for path in paths)
    if all(before[1] < after[0] for before, after in pairwise(ranges)):
        for _, _, path in ranges:
            yield from pq.ParquetFile(root / path).iter_batches(_PORTION, columns=columns)
        return
    rows = pa.concat_tables([pq.ParquetFile(root / path).read(columns) for path in paths])
    yield from rows.sort_by("log_offset").combine_chunks().to_batches(_PORTION)


def _offsets_of(path: Path) -> tuple[int, int]:
    """First and last offset in a file, from its footer."""
    footer = pq.ParquetFile(path).metadata
    column = footer.schema.names.index("log_offset")
    groups = [footer.row_group(index).column(column).statistics for index in range(footer.num_row_groups)]
    return min((g.min for g in groups), default=-1), max((g.max for g in groups), default=-1)
