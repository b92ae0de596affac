"""`g_data_quality`: what was read of each log partition, what could not be understood, and from where on nothing is missing."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muster.pipeline.tables.columns import conform

_NEWEST_KNOWN_TYPE = 8
_PLACE = ("cluster", "log_topic", "log_partition")


def data_quality(extent: DataFrame, log_records: DataFrame, quarantine: DataFrame) -> DataFrame:
    """Partitions of which only quarantined batches are known have a row too: nothing is dropped silently."""
    refused = quarantine.groupBy(*_PLACE).agg(F.count("*").alias("quarantined"))
    rows = (
        extent.join(refused, list(_PLACE), "full")
        .join(_unknown(log_records), list(_PLACE), "left")
        .join(_open_transactions(log_records), list(_PLACE), "left")
    )
    counted = ("records", "unknown_records", "quarantined", "gaps", "open_transactions")
    return conform(rows.fillna(0, subset=list(counted)), "g_data_quality")


def _unknown(log_records: DataFrame) -> DataFrame:
    """Records of `__consumer_offsets` whose key begins with a type beyond those that are decoded (trap 12)."""
    kind = F.conv(F.hex(F.substring("key", 1, 2)), 16, 10).cast("int")
    rows = log_records.where((F.col("log_topic") == "__consumer_offsets") & ~F.coalesce("is_control", F.lit(False)))
    return rows.where(kind > _NEWEST_KNOWN_TYPE).groupBy(*_PLACE).agg(F.count("*").alias("unknown_records"))


def _open_transactions(log_records: DataFrame) -> DataFrame:
    """Producers that have written behind their last marker. One that hangs stops every group of its partition (trap 5)."""
    rows = log_records.where(F.coalesce(F.col("is_transactional") | F.col("is_control"), F.lit(False)))
    last = rows.groupBy(*_PLACE, "producer_id").agg(
        F.max(F.when(~F.col("is_control"), F.col("log_offset"))).alias("_record"),
        F.max(F.when(F.col("is_control"), F.col("log_offset"))).alias("_marker"),
    )
    still_open = last.where(F.col("_record") > F.coalesce("_marker", F.lit(-1)))
    return still_open.groupBy(*_PLACE).agg(F.count("*").alias("open_transactions"))
