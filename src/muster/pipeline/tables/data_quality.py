"""`g_data_quality`: what was read of each log partition, what could not be understood, and from where on nothing is missing."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muster.pipeline.tables.columns import conform

_PLACE = ("cluster", "log_topic", "log_partition")


def data_quality(
    extent: DataFrame, log_records: DataFrame, quarantine: DataFrame, unknown_types: DataFrame
) -> DataFrame:
    """Partitions of which only quarantined batches are known have a row too: nothing is dropped silently.

    `unknown_types` are the decoder's counts of records that nobody here decodes (trap 12).
    """
    unknown = unknown_types.groupBy("cluster", "log_partition").agg(F.sum("records").alias("unknown_records"))
    unknown = unknown.withColumn("log_topic", F.lit("__consumer_offsets"))
    refused = quarantine.groupBy(*_PLACE).agg(F.count("*").alias("quarantined"))
    rows = (
        extent.join(refused, list(_PLACE), "full")
        .join(unknown, list(_PLACE), "left")
        .join(_open_transactions(log_records), list(_PLACE), "left")
    )
    counted = ("records", "unknown_records", "quarantined", "gaps", "open_transactions")
    return conform(rows.fillna(0, subset=list(counted)), "g_data_quality")


def _open_transactions(log_records: DataFrame) -> DataFrame:
    """Producers that have written behind their last marker. One that hangs stops every group of its partition (trap 5)."""
    rows = log_records.where(F.coalesce(F.col("is_transactional") | F.col("is_control"), F.lit(False)))
    last = rows.groupBy(*_PLACE, "producer_id").agg(
        F.max(F.when(~F.col("is_control"), F.col("log_offset"))).alias("_record"),
        F.max(F.when(F.col("is_control"), F.col("log_offset"))).alias("_marker"),
    )
    still_open = last.where(F.col("_record") > F.coalesce("_marker", F.lit(-1)))
    return still_open.groupBy(*_PLACE).agg(F.count("*").alias("open_transactions"))
