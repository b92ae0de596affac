"""`g_hot_committers`: who writes how much into the coordinator's log, hour by hour, and how much of it says nothing new.

Only hours of whole history count: survivors of compaction are no rate (trap 3). A commit of the same offset again is useless as
progress, though Java clients send it as a sign of life (trap 11).
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from muster.pipeline.tables.columns import GROUP, LOG, conform

_HOUR_MS = 3_600_000
_RECORD_FRAMING = 8
"""Length, attributes, deltas and sizes of a record in a batch; the batch header is shared and left out."""


def hot_committers(commits: DataFrame) -> DataFrame:
    hour = (F.floor(F.col("record_ms") / _HOUR_MS) * _HOUR_MS).cast("long")
    rows = (
        commits.where("faithful and not is_tombstone")
        .groupBy(*GROUP, hour.alias("hour_ms"), "log_partition")
        .agg(
            F.count("*").alias("commits"),
            F.sum(F.col("is_duplicate").cast("long")).alias("useless"),
            F.sum(F.greatest(F.col("committed_offset") - F.col("prev_offset"), F.lit(0))).alias("_progress"),
            F.count("prev_offset").alias("_steps"),
            F.sum(_bytes()).alias("bytes"),
        )
    )
    of_partition = F.sum("commits").over(Window.partitionBy(*LOG, "hour_ms"))
    return conform(
        rows.withColumns(
            {
                "useless_share": F.col("useless") / F.col("commits"),
                "records_per_commit": F.when(F.col("_steps") > 0, F.col("_progress") / F.col("_steps")),
                "share_of_log_partition": F.col("commits") / of_partition,
            }
        ),
        "g_hot_committers",
    )


def _bytes() -> Column:
    """Key and value as OffsetCommitKey and OffsetCommitValue lay them out."""
    key = F.lit(10) + F.octet_length("group_id") + F.octet_length("topic")
    metadata = F.coalesce(F.octet_length("metadata"), F.lit(0))
    version = F.coalesce("value_version", F.lit(3))
    fixed = F.when(version >= 4, 25).when(version == 3, 24).when(version == 1, 28).otherwise(20)
    topic_id = F.when((version >= 4) & F.col("topic_id").isNotNull(), 18).otherwise(0)
    return (key + metadata + fixed + topic_id + _RECORD_FRAMING).cast("long")
