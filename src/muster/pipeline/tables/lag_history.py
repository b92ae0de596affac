"""`g_lag_history` and `g_group_lag`: lag minute by minute, and per group.

A minute has a row if the group committed in it or the partition's end moved or was sampled in it: lag goes on growing while a
consumer is silent. The moment is the end of the minute, or now in the last one.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from muster.pipeline.tables.columns import GROUP, POSITION, TOPIC_PARTITION, conform, so_far
from muster.pipeline.tables.settings import GoldSettings
from muster.pipeline.tables.time_lag import with_time_lag

_MINUTE_MS = 60_000


def lag_history(commits: DataFrame, leo: DataFrame, settings: GoldSettings) -> DataFrame:
    committed = _last_of_each_minute(commits)
    ends = _ends_of_each_minute(leo)
    first = committed.groupBy(*POSITION).agg(F.min("minute_ms").alias("_first"))
    sampled = ends.join(first, list(TOPIC_PARTITION)).where("minute_ms >= _first").drop("_first")
    minutes = (
        committed.unionByName(sampled, allowMissingColumns=True)
        .groupBy(*POSITION, "minute_ms")
        .agg(F.max("_commit").alias("_commit"), F.max("_end").alias("_end"))
    )
    order = so_far(Window.partitionBy(*POSITION).orderBy("minute_ms"))
    rows = (
        minutes.withColumn("_commit", F.last("_commit", ignorenulls=True).over(order))
        .withColumn("_end", F.last("_end", ignorenulls=True).over(order))
        .withColumn("committed", F.col("_commit.committed"))
        .where(F.col("minute_ms") >= settings.now_ms - settings.history_ms)
        .where("committed is not null")
    )
    return conform(_with_lag(rows, leo, settings), "g_lag_history")


def _last_of_each_minute(commits: DataFrame) -> DataFrame:
    """Rows whose successor lies in another minute. A tombstone ends the position: it gives null, which fills forward."""
    minute = F.floor(F.coalesce("commit_ms", "record_ms") / _MINUTE_MS) * _MINUTE_MS
    next_minute = F.floor(F.col("next_commit_ms") / _MINUTE_MS) * _MINUTE_MS
    last = F.col("next_commit_ms").isNull() | (next_minute != minute)
    position = F.when(~F.col("is_tombstone") & (F.col("committed_offset") >= 0), F.col("committed_offset"))
    commit = F.struct("log_offset", position.alias("committed"))
    return commits.where(F.col("is_effective") & last).select(
        *POSITION, minute.cast("long").alias("minute_ms"), commit.alias("_commit")
    )


def _ends_of_each_minute(leo: DataFrame) -> DataFrame:
    minute = (F.floor(F.col("end_ms") / _MINUTE_MS) * _MINUTE_MS).cast("long")
    end = F.struct("topic_epoch", "end_ms", "leo", "log_start")
    return leo.groupBy(*TOPIC_PARTITION, minute.alias("minute_ms")).agg(F.max(end).alias("_end"))


def _with_lag(rows: DataFrame, leo: DataFrame, settings: GoldSettings) -> DataFrame:
    moment = F.least(F.col("minute_ms") + _MINUTE_MS, F.lit(settings.now_ms))
    asked = rows.select(
        *POSITION,
        "minute_ms",
        "committed",
        F.coalesce("_end.topic_epoch", F.lit(0)).alias("topic_epoch"),
        F.col("_end.leo").alias("end"),
        F.greatest("committed", "_end.log_start").alias("first_unread"),
        moment.alias("tau_lo_ms"),
        moment.alias("tau_hi_ms"),
    )
    found = with_time_lag(asked, leo)
    sampled = F.col("end").isNotNull()
    lag = F.when(sampled, F.greatest(F.col("end") - F.col("first_unread"), F.lit(0)))
    return found.withColumns(
        {
            "lag": lag,
            "time_lag_lo_ms": F.col("lo_ms"),
            "time_lag_hi_ms": F.col("hi_ms"),
            "time_lag_est_ms": F.col("est_ms"),
        }
    )


def group_lag(lag: DataFrame) -> DataFrame:
    """`g_group_lag`. Partitions without a position are counted, never summed (trap 18). Skew is the largest over the mean."""
    known = F.col("lag").isNotNull()
    mean = F.avg("lag")
    rows = lag.groupBy(*GROUP).agg(
        F.max("at_ms").alias("at_ms"),
        F.count("*").alias("n_partitions"),
        F.sum((F.col("method") == "no_position").cast("int")).alias("n_no_position"),
        F.sum(F.when(known, F.col("lag"))).alias("lag_sum"),
        F.max("lag").alias("lag_max"),
        F.max(F.coalesce("time_lag_est_ms", "time_lag_lo_ms")).alias("time_lag_max_ms"),
        F.when(mean > 0, F.max("lag") / mean).alias("skew"),
    )
    return conform(rows, "g_group_lag")
