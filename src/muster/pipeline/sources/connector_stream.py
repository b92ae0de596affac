"""A stream of log rows that Spark's own Kafka connector fetches: Java reads, our workers decode.

One Spark partition is one log partition, in its order, as the connector gives it. Only committed records are seen, up to the last
stable offset; neither batches nor producers nor markers are (`kafka_connector`). Partitions are named when the query starts: those
that are added later are read from its next start on. A micro-batch is bounded by offsets of all partitions together, of which the
connector gives each a share by how much waits in it; offsets that compaction left empty count like records.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from muster.client.security import PLAINTEXT, Security
from muster.core.internal_topics import CONSUMER_OFFSETS
from muster.pipeline.decode.log_rows import log_rows
from muster.pipeline.log_schema import log_spark_schema
from muster.pipeline.schemas import TABLES
from muster.pipeline.sources.broker_client import BrokerClient
from muster.pipeline.sources.broker_security import java_properties
from muster.pipeline.sources.bronze_rows import dates_of
from muster.pipeline.sources.failure import SourceError
from muster.pipeline.sources.kafka_connector import SOURCE_NAME, connector_options, open_stream
from muster.pipeline.sources.log_source import LOG_TOPICS, partition_count
from muster.pipeline.sources.positions import Positions
from muster.wire.special_values import EARLIEST

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_BRONZE: Final = TABLES["b_log_record"]


def connector_stream(
    spark: SparkSession,
    bootstrap: str,
    *,
    cluster: str = "default",
    security: Security = PLAINTEXT,
    offsets_in_all: int | None = None,
    tick_seconds: float | None = None,
    starts: Positions | None = None,
) -> DataFrame:
    """Rows of `log` of both topics. Always a union with `muster_tick`, so that a checkpoint fits with and without ticks."""
    there = _partitions(bootstrap, security)
    asked = connector_options(bootstrap, there, {f"kafka.{n}": v for n, v in java_properties(security).items()})
    asked["startingOffsets"] = _starting(there, starts or {})
    if offsets_in_all is not None:
        asked["maxOffsetsPerTrigger"] = str(offsets_in_all)
    raw = open_stream(spark, asked)
    count = partition_count(there.get(CONSUMER_OFFSETS, ()))
    rows = as_record_columns(raw).mapInArrow(DecodeRecords(cluster, count), log_spark_schema())
    return rows.union(tick_stream(spark, tick_seconds))


def tick_stream(spark: SparkSession, seconds: float | None) -> DataFrame:
    """No rows, ever; a micro-batch every so many seconds."""
    from muster.pipeline.sources.spark_source import TICK_EVERY_SECONDS
    from muster.pipeline.sources.tick_source import TickDataSource

    spark.dataSource.register(TickDataSource)
    reader = spark.readStream.format(TickDataSource.name())
    return (reader if seconds is None else reader.option(TICK_EVERY_SECONDS, str(seconds))).load()


def _partitions(bootstrap: str, security: Security) -> dict[str, list[int]]:
    """Those of the two logs that there are, asked by our own client: the connector would join a group to find out."""
    with BrokerClient(bootstrap, security) as client:
        view = client.metadata(LOG_TOPICS)
    found: dict[str, list[int]] = {}
    for topic, partition in [*((part.topic, part.partition) for part in view.partitions), *view.leaderless]:
        found.setdefault(topic, []).append(partition)
    if not found:
        raise SourceError(
            f"{bootstrap}: there is no {CONSUMER_OFFSETS} yet, which the first consumer group makes: try again then,"
            " or use --reader own, which waits for it"
        )
    return {topic: sorted(numbers) for topic, numbers in sorted(found.items())}


def _starting(there: dict[str, list[int]], starts: Positions) -> str:
    """The connector wants every partition to be named. A checkpoint overrules it."""
    said = {
        topic: {str(number): starts.get(topic, {}).get(number, EARLIEST) for number in numbers}
        for topic, numbers in there.items()
    }
    return json.dumps(said) if starts else "earliest"


def as_record_columns(raw: DataFrame) -> DataFrame:
    """What `DecodeRecords` needs of the connector's columns."""
    from pyspark.sql import functions as F

    return raw.select("topic", "partition", "offset", F.unix_millis("timestamp").alias("record_ms"), "key", "value")


@dataclass(frozen=True, slots=True)
class DecodeRecords:
    """Runs in a Python worker: the connector's records become rows of `log`. What it does not show is null, not guessed."""

    cluster: str
    partition_count: int | None

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if batch.num_rows:
                yield log_rows(self._bronze(batch), self.partition_count)

    def _bronze(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        count = batch.num_rows
        times = np.asarray(batch.column("record_ms"))
        known = {
            "cluster": pa.repeat(self.cluster, count),
            "log_topic": batch.column("topic"),
            "log_partition": batch.column("partition"),
            "log_offset": batch.column("offset"),
            "record_ms": batch.column("record_ms"),
            "key": batch.column("key"),
            "value": batch.column("value"),
            "is_control": pa.repeat(False, count),
            "source": pa.repeat(SOURCE_NAME, count),
            "dt": dates_of(times),
        }
        columns = [
            known[field.name].cast(field.type) if field.name in known else pa.nulls(count, field.type)
            for field in _BRONZE
        ]
        return pa.RecordBatch.from_arrays(columns, schema=_BRONZE)
