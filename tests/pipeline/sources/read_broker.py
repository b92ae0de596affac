"""A batch read of a live broker through the Spark source, with its options by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from muster.pipeline.sources.broker import broker_options
from muster.pipeline.sources.positions import Positions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def read_broker(
    spark: SparkSession,
    bootstrap: str,
    *,
    cluster: str = "default",
    topic: str | None = None,
    table: str = "log",
    starts: Positions | None = None,
    ends: Positions | None = None,
    properties: Mapping[str, str] | None = None,
) -> DataFrame:
    """Rows of `log`, `b_log_record`, `b_journal_event` or `b_quarantine` from a live broker; a batch read.

    `properties`: Kafka's client properties that concern security.
    """
    from muster.pipeline.sources.spark_source import END_OFFSETS, START_OFFSETS, TABLE, offsets_text
    from muster.pipeline.sources.spark_sources import BrokerDataSource

    spark.dataSource.register(BrokerDataSource)
    options = broker_options(bootstrap, cluster, topic, properties) | {TABLE: table}
    if starts is not None:
        options[START_OFFSETS] = offsets_text(starts)
    if ends is not None:
        options[END_OFFSETS] = offsets_text(ends)
    return spark.read.format(BrokerDataSource.name()).options(**options).load()
