"""How long consumption paused around a rebalance, seen from the commits: the gap that spans its end, less the usual interval.

The log has no better measure of what users felt (analytics 2.6). The same gap refines a guess: if the partitions of a member
that went had no commit for its session timeout while others' had, it did not leave, it expired. Where nobody commits, a
silence says nothing: there may be nothing to read.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muster.pipeline.tables.columns import GROUP, POSITION

_EXPIRED_CONFIDENCE = 0.6
_NUMBER = "_rebalance"


def with_pauses(changes: DataFrame, commits: DataFrame) -> DataFrame:
    """Adds pause_p50_ms and pause_max_ms; turns `left_or_expired` into `session_expired` where the gap shows it."""
    numbered = changes.withColumn(_NUMBER, F.struct(*GROUP, "log_offset", "generation", "ended_ms"))
    gaps = _gaps(numbered, commits)
    per_rebalance = gaps.groupBy(_NUMBER).agg(
        F.percentile("pause_ms", F.lit(0.5)).alias("pause_p50_ms"),
        F.max("pause_ms").alias("pause_max_ms"),
        F.min(F.when(F.col("was_theirs"), F.col("silent_ms"))).alias("_silent_ms"),
        F.min(F.when(~F.col("was_theirs"), F.col("silent_ms"))).alias("_others_silent_ms"),
    )
    rows = numbered.join(per_rebalance, _NUMBER, "left")
    expired = (
        (F.col("cause") == "left_or_expired")
        & (F.col("source") == "log")
        & F.coalesce(F.col("_silent_ms") >= F.col("gone_session_ms"), F.lit(False))
        & F.coalesce(F.col("_others_silent_ms") < F.col("gone_session_ms"), F.lit(False))
    )
    return (
        rows.withColumn("confidence", F.when(expired, _EXPIRED_CONFIDENCE).otherwise(F.col("confidence")))
        .withColumn("cause", F.when(expired, "session_expired").otherwise(F.col("cause")))
        .drop(_NUMBER, "_silent_ms", "_others_silent_ms")
    )


def _gaps(numbered: DataFrame, commits: DataFrame) -> DataFrame:
    """For each rebalance and partition the commit before its end and the one after; survivors of compaction do not count."""
    asked = numbered.where("ended_ms is not null").select(*GROUP, _NUMBER, "ended_ms", "gone_partitions")
    usable = (
        commits.where("is_effective and not is_tombstone and faithful")
        .select(*POSITION, "commit_ms", "prev_commit_ms", "next_commit_ms")
        .join(asked.select(*GROUP).distinct(), list(GROUP), "left_semi")
    )
    spans = usable.join(F.broadcast(asked), list(GROUP)).where(
        (F.col("commit_ms") <= F.col("ended_ms"))
        & (F.col("next_commit_ms").isNull() | (F.col("next_commit_ms") > F.col("ended_ms")))
    )
    usual = usable.groupBy(*POSITION).agg(
        F.percentile_approx(F.col("commit_ms") - F.col("prev_commit_ms"), 0.5, 1000).alias("usual_ms")
    )
    here = F.struct("topic", "partition")
    pause = F.greatest(F.col("next_commit_ms") - F.col("commit_ms") - F.coalesce("usual_ms", F.lit(0)), F.lit(0))
    return spans.join(usual, list(POSITION), "left").select(
        _NUMBER,
        F.when(F.col("next_commit_ms").isNotNull(), pause).alias("pause_ms"),
        (F.col("ended_ms") - F.col("commit_ms")).alias("silent_ms"),
        F.coalesce(F.array_contains("gone_partitions", here), F.lit(False)).alias("was_theirs"),
    )
