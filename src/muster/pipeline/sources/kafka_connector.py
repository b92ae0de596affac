"""The same records through Spark's own Kafka connector, where its Maven package is on the class path.

For clusters behind TLS or SASL and for those who have the connector anyway: every `kafka.*` option goes through. The connector
shows neither batches nor producers nor control records, so those columns are null; it reads committed records only, so that what
an aborted transaction wrote does not count (traps 5 and 8). Our own reader (`broker`) sees more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from muster.core.internal_topics import CONSUMER_OFFSETS
from muster.pipeline.schemas import TABLES, spark_schema
from muster.pipeline.sources.failure import SourceError

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

SOURCE_NAME: Final = "kafka"
_BY_CONSUMER: Final = "spark.sql.streaming.kafka.useDeprecatedOffsetFetching"
"""The connector finds partitions by an admin client that hides internal topics, and would read nothing; its older way by a
consumer sees them."""


def read_kafka(
    spark: SparkSession,
    bootstrap: str,
    *,
    cluster: str = "default",
    topic: str = CONSUMER_OFFSETS,
    starts: Mapping[int, int] | None = None,
    ends: Mapping[int, int] | None = None,
    options: Mapping[str, str] | None = None,
) -> DataFrame:
    """`b_log_record` rows, a batch read of [starts, ends). Where offsets are given, every partition has to be named."""
    asked = connector_options(bootstrap, {topic: sorted(starts or ends or ())}, options)
    if starts is not None:
        asked["startingOffsets"] = _offsets(topic, starts)
    if ends is not None:
        asked["endingOffsets"] = _offsets(topic, ends)
    spark.conf.set(_BY_CONSUMER, "true")
    try:
        raw = spark.read.format("kafka").options(**asked).load()
    except Exception as error:
        raise _explained(error) from error
    return as_bronze(raw, cluster)


def open_stream(spark: SparkSession, options: Mapping[str, str]) -> DataFrame:
    """The connector's own columns, as a stream."""
    spark.conf.set(_BY_CONSUMER, "true")
    try:
        return spark.readStream.format("kafka").options(**options).load()
    except Exception as error:
        raise _explained(error) from error


def connector_options(
    bootstrap: str, partitions: Mapping[str, Sequence[int]], options: Mapping[str, str] | None = None
) -> dict[str, str]:
    """What the connector is asked for. Offsets of markers and of what compaction took are missing: that is no data loss.

    Partitions that are named are assigned; of a topic without any, the connector joins a group to find them, which the log shows.
    """
    named = all(partitions.values())
    assigned = {topic: list(numbers) for topic, numbers in partitions.items()}
    what = {"assign": json.dumps(assigned)} if named else {"subscribe": ",".join(partitions)}
    return {
        "kafka.bootstrap.servers": bootstrap,
        **what,
        "kafka.isolation.level": "read_committed",
        "failOnDataLoss": "false",
        **(options or {}),
    }


def as_bronze(raw: DataFrame, cluster: str) -> DataFrame:
    """The connector's columns as ours. What it cannot know is null, not guessed."""
    from pyspark.sql import functions as F

    known: dict[str, Column] = {
        "cluster": F.lit(cluster),
        "log_topic": F.col("topic"),
        "log_partition": F.col("partition"),
        "log_offset": F.col("offset"),
        "record_ms": F.unix_millis("timestamp"),
        "key": F.col("key"),
        "value": F.col("value"),
        "is_control": F.lit(False),
        "source": F.lit(SOURCE_NAME),
        "dt": _utc_date(F.unix_millis("timestamp")),
    }
    types = {field.name: field.dataType for field in spark_schema("b_log_record")}
    return raw.select(
        *[known.get(name, F.lit(None)).cast(types[name]).alias(name) for name in TABLES["b_log_record"].names]
    )


def _utc_date(time_ms: Column) -> Column:
    """The date in UTC whatever the session's time zone is."""
    from pyspark.sql import functions as F

    days = F.floor(F.greatest(time_ms, F.lit(0)) / F.lit(86_400_000)).cast("int")
    return F.date_format(F.date_add(F.lit("1970-01-01").cast("date"), days), "yyyy-MM-dd")


def _offsets(topic: str, offsets: Mapping[int, int]) -> str:
    return json.dumps({topic: {str(partition): offset for partition, offset in sorted(offsets.items())}})


def _explained(error: Exception) -> SourceError:
    if "data source: kafka" in str(error).lower() or "DATA_SOURCE_NOT_FOUND" in str(error):
        return SourceError(
            "Spark's Kafka connector is not on the class path: add the Maven package"
            " org.apache.spark:spark-sql-kafka-0-10_2.13 of your Spark's version (spark.jars.packages),"
            " or read through Muster's own reader"
        )
    return SourceError(f"Spark's Kafka connector: {error}")
