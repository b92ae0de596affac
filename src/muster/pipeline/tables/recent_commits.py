"""The last commits of each position, newest last: what statuses and consumption rates look at. One row a position."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muster.pipeline.tables.columns import POSITION, TOPIC_PARTITION
from muster.pipeline.tables.latest_before import latest_before


def recent_commits(commits: DataFrame, samples: DataFrame, intervals: int) -> DataFrame:
    """`recent` is an array of (log_offset, committed, commit_ms, lag, faithful).

    Its lag is that at arrival: against the newest end offset sampled by then, null if none was (Burrow's backfill).
    """
    rows = commits.where(
        (F.col("newer") < intervals) & ~F.col("is_tombstone") & (F.col("committed_offset") >= 0)
    ).select(*POSITION, "log_offset", "committed_offset", "commit_ms", "faithful")
    polled = samples.select(*TOPIC_PARTITION, F.col("end_ms").alias("at_ms"), F.col("leo").alias("value"))
    rows = latest_before(rows, polled, TOPIC_PARTITION, "commit_ms", "_end")
    # greatest() ignores nulls, an unknown end must not become a lag of 0
    entry = F.struct(
        "log_offset",
        F.col("committed_offset").alias("committed"),
        "commit_ms",
        F.when(F.col("_end").isNotNull(), F.greatest(F.col("_end") - F.col("committed_offset"), F.lit(0))).alias("lag"),
        "faithful",
    )
    return rows.groupBy(*POSITION).agg(F.sort_array(F.collect_list(entry)).alias("recent"))
