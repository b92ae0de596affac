"""The direct path to current offsets on Spark: one task a log partition, rows of `s_current_offset` and nothing else comes back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from muster.pipeline.decode.current_offsets import current_offsets
from muster.pipeline.schemas import spark_schema
from muster.pipeline.sources.failure import SourceError
from muster.pipeline.sources.log_directories import log_folders
from muster.pipeline.sources.log_source import OFFSETS_TOPIC

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession


def read_current_offsets(
    spark: SparkSession,
    directories: Sequence[str],
    *,
    cluster: str = "default",
    partition_count: int | None = None,
) -> DataFrame:
    """Where every group is, from data directories that the workers see under the same paths."""
    folders = log_folders(directories, OFFSETS_TOPIC)
    if not folders:
        raise SourceError(f"{', '.join(directories)}: no partition of {OFFSETS_TOPIC} is there")

    def read(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            chosen = [folders[number] for number in batch.column(0).to_pylist()]
            yield from current_offsets(chosen, cluster=cluster, partition_count=partition_count).to_batches()

    numbers = spark.range(0, len(folders), 1, len(folders))
    return numbers.mapInArrow(read, spark_schema("s_current_offset"))
