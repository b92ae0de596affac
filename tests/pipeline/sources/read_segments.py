"""A batch read of data directories through the Spark source, with its options by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from muster.pipeline.sources.positions import Positions
from muster.pipeline.sources.segments import segment_options

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def read_segments(
    spark: SparkSession,
    directories: Sequence[str],
    *,
    cluster: str = "default",
    topic: str | None = None,
    table: str = "log",
    starts: Positions | None = None,
    ends: Positions | None = None,
) -> DataFrame:
    """Rows of `log`, `b_log_record`, `b_journal_event` or `b_quarantine` from data directories; a batch read."""
    from muster.pipeline.sources.spark_source import END_OFFSETS, START_OFFSETS, TABLE, offsets_text
    from muster.pipeline.sources.spark_sources import SegmentDataSource

    spark.dataSource.register(SegmentDataSource)
    options = segment_options(directories, cluster, topic) | {TABLE: table}
    if starts is not None:
        options[START_OFFSETS] = offsets_text(starts)
    if ends is not None:
        options[END_OFFSETS] = offsets_text(ends)
    return spark.read.format(SegmentDataSource.name()).options(**options).load()
