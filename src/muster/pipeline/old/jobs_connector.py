"""A batch whose records Spark's Kafka connector fetches: rows go from Java to our Python workers, which decode and write them.

The connector gives every log partition a task of its own and keeps its order, so files come out as those of our own readers do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from muster.pipeline.old.jobs_files import BatchFiles
from muster.pipeline.old.jobs_tasks import WRITTEN_SQL, files_in, part_of, written_rows
from muster.pipeline.schemas import TABLES
from muster.pipeline.sources.connector_logs import ConnectorLogs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from muster.pipeline.old.jobs_ingest import Piece
    from muster.pipeline.old.manifest import DataFile


def write_by_connector(spark: SparkSession, root: Path, number: int, pieces: list[Piece]) -> dict[str, list[DataFile]]:
    """Files by table of batch `number`. One Spark job a topic."""
    by_topic: dict[str, list[Piece]] = {}
    for piece in pieces:
        by_topic.setdefault(piece.log.topic, []).append(piece)
    rows: list[Any] = []
    for same in by_topic.values():
        log = same[0].log
        assert isinstance(log, ConnectorLogs)
        write = _WriteRows(log.cluster, log.topic, same[0].partition_count, root, number)
        frame = log.frame(spark, [piece.stretch for piece in same])
        rows += frame.mapInArrow(write, WRITTEN_SQL).collect()
    return files_in(rows)


@dataclass(frozen=True, slots=True)
class _WriteRows:
    """Runs in a Python worker on the rows of one Spark task."""

    cluster: str
    topic: str
    partition_count: int | None
    root: Path
    number: int

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from muster.pipeline.old.jobs_ingest import add_decoded

        files: dict[int, BatchFiles] = {}
        try:
            for batch in batches:
                for partition, rows in _by_partition(batch):
                    if partition not in files:
                        part = part_of(self.cluster, self.topic, partition)
                        files[partition] = BatchFiles(self.root, self.number, part)
                    add_decoded(files[partition], self.topic, self.partition_count, rows)
        except BaseException:
            for begun in files.values():
                begun.abandon()
            raise
        for task, each in enumerate(files.values()):
            yield written_rows(each.close(), task)


def _by_partition(batch: pa.RecordBatch) -> list[tuple[int, pa.RecordBatch]]:
    schema = TABLES["b_log_record"]
    rows = pa.RecordBatch.from_arrays(
        [batch.column(name).cast(schema.field(name).type) for name in schema.names], schema=schema
    )
    numbers = rows.column("log_partition")
    return [(number.as_py(), rows.filter(pc.equal(numbers, number))) for number in numbers.unique()]
