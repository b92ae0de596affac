"""How much of each log partition was read, and from where on nothing is missing (analytics 2.5).

Compaction takes records out of the middle. Below the last hole rows are survivors: good as state, no good as history (trap 3).
Every record that was read is a row of bronze, transaction markers too, so a hole is a step of more than one between neighbours.
A source that hides markers (Spark's Kafka connector) shows holes where none are: that errs on the safe side (trap 8).
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muster.pipeline.tables.columns import in_log_order

_PLACE = ("cluster", "log_topic", "log_partition")


def log_extent(log_records: DataFrame) -> DataFrame:
    """A row a log partition: records, first_offset, last_offset, gaps, faithful_from, faithful_from_ms."""
    places = log_records.select(*_PLACE, "log_offset", "record_ms")
    extent = places.groupBy(*_PLACE).agg(
        F.count("*").alias("records"),
        F.min("log_offset").alias("first_offset"),
        F.max("log_offset").alias("last_offset"),
        F.min("record_ms").alias("first_ms"),
    )
    return (
        extent.join(_holes(places, extent), list(_PLACE), "left")
        .withColumn("gaps", F.coalesce("gaps", F.lit(0).cast("long")))
        .withColumn("faithful_from", F.coalesce("behind_last_hole", "first_offset"))
        .withColumn("faithful_from_ms", F.coalesce("behind_last_hole_ms", "first_ms"))
        .select(*_PLACE, "records", "first_offset", "last_offset", "gaps", "faithful_from", "faithful_from_ms")
    )


def _holes(places: DataFrame, extent: DataFrame) -> DataFrame:
    """Only partitions whose count does not fill their range are sorted: of most logs that is none."""
    holed = extent.where(F.col("records") != F.col("last_offset") - F.col("first_offset") + 1).select(*_PLACE)
    before = F.lag("log_offset").over(in_log_order(*_PLACE))
    return (
        places.join(F.broadcast(holed), list(_PLACE), "left_semi")
        .withColumn("_before", before)
        .where(F.col("log_offset") > F.col("_before") + 1)
        .groupBy(*_PLACE)
        .agg(
            F.count("*").alias("gaps"),
            F.max("log_offset").alias("behind_last_hole"),
            F.max_by("record_ms", "log_offset").alias("behind_last_hole_ms"),
        )
    )


def with_faithful(rows: DataFrame, extent: DataFrame) -> DataFrame:
    """Sets `faithful` of rows that come from `__consumer_offsets`."""
    offsets_log = extent.where(F.col("log_topic") == "__consumer_offsets")
    start = F.broadcast(offsets_log.select("cluster", "log_partition", "faithful_from"))
    faithful = F.coalesce(F.col("log_offset") >= F.col("faithful_from"), F.lit(False))
    return (
        rows.drop("faithful")
        .join(start, ["cluster", "log_partition"], "left")
        .withColumn("faithful", faithful)
        .drop("faithful_from")
    )
