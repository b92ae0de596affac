"""The same records through Spark's own Kafka connector, where its Maven package is on the class path.

For clusters behind TLS or SASL and for those who have the connector anyway: every `kafka.*` option goes through. The connector
shows neither batches nor producers nor control records, so those columns are null; it reads committed records only, so that what
an aborted transaction wrote does not count (traps 5 and 8). Our own reader (`broker`) sees more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from muster.pipeline.sources.failure import SourceError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SOURCE_NAME: Final = "kafka"
_BY_CONSUMER: Final = "spark.sql.streaming.kafka.useDeprecatedOffsetFetching"
"""The connector finds partitions by an admin client that hides internal topics, and would read nothing; its older way by a
consumer sees them."""


def open_stream(spark: SparkSession, options: Mapping[str, str]) -> DataFrame:
    """The connector's own columns, as a stream."""
    spark.conf.set(_BY_CONSUMER, "true")
    try:
        return spark.readStream.format("kafka").options(**options).load()
    except Exception as error:
        raise _explained(error) from error


def connector_options(
    bootstrap: str, partitions: Mapping[str, Sequence[int]], options: Mapping[str, str]
) -> dict[str, str]:
    """What the connector is asked for. Offsets of markers and of what compaction took are missing: that is no data loss.

    Partitions are assigned: of a topic without any the connector would join a group to find them, which the log would show.
    """
    return {
        "kafka.bootstrap.servers": bootstrap,
        "assign": json.dumps({topic: list(numbers) for topic, numbers in partitions.items()}),
        "kafka.isolation.level": "read_committed",
        "failOnDataLoss": "false",
        **options,
    }


def _explained(error: Exception) -> SourceError:
    if "data source: kafka" in str(error).lower() or "DATA_SOURCE_NOT_FOUND" in str(error):
        return SourceError(
            "Spark's Kafka connector is not on the class path: add the Maven package"
            " org.apache.spark:spark-sql-kafka-0-10_2.13 of your Spark's version (spark.jars.packages),"
            " or read through Muster's own reader"
        )
    return SourceError(f"Spark's Kafka connector: {error}")
