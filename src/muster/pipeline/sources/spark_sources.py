"""The Spark data sources by name, for our jobs and for jobs of the user's own: `muster_segments` and `muster_broker`.

    register(spark)
    spark.readStream.format("muster_broker").option("bootstrap", "broker:9092").load()

Batch and stream; rows of `log`, or of the raw tables in `log_tasks.READABLE`; docs/pipeline.md has the options.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from muster.pipeline.sources.broker import brokers_from
from muster.pipeline.sources.log_source import LogSource
from muster.pipeline.sources.segments import segments_from
from muster.pipeline.sources.spark_source import LogDataSource

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class SegmentDataSource(LogDataSource):
    @classmethod
    def name(cls) -> str:
        return "muster_segments"

    def log_sources(self) -> tuple[LogSource, ...]:
        return segments_from(self.options)


class BrokerDataSource(LogDataSource):
    @classmethod
    def name(cls) -> str:
        return "muster_broker"

    def log_sources(self) -> tuple[LogSource, ...]:
        return brokers_from(self.options)


def register(spark: SparkSession) -> None:
    """Make both names known to a session."""
    for source in (SegmentDataSource, BrokerDataSource):
        spark.dataSource.register(source)
