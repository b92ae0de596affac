"""`g_lag_history` and `g_group_lag`: lag minute by minute, and per group.

A minute has a row if the group committed in it. While it is silent its lag goes on growing: there is a row every five minutes
for an hour and one an hour from then on, as long as the end offset is sampled. The moment is the end of the minute, or now in
the last one.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from muster.pipeline.tables.columns import GROUP, POSITION, TOPIC_PARTITION, conform
from muster.pipeline.tables.latest_before import latest_before
from muster.pipeline.tables.settings import GoldSettings
from muster.pipeline.tables.time_lag import with_time_lag

_MINUTE_MS = 60_000
_OFTEN_MS, _SELDOM_MS = 5 * _MINUTE_MS, 60 * _MINUTE_MS


def lag_history(
    commits: DataFrame, leo: DataFrame, ends: DataFrame, steps: DataFrame, settings: GoldSettings
) -> DataFrame:
    """`ends` are the newest samples, `steps` come from `time_lag`."""
    rows = _with_silent_minutes(_last_of_each_minute(commits, settings), ends, settings)
    moment = F.least(F.col("minute_ms") + _MINUTE_MS, F.lit(settings.now_ms))
    rows = rows.withColumn("_moment", moment)
    end = F.struct("topic_epoch", "leo", "log_start")
    samples = leo.select(*TOPIC_PARTITION, F.col("end_ms").alias("at_ms"), end.alias("value"))
    return conform(_with_lag(latest_before(rows, samples, TOPIC_PARTITION, "_moment", "_end"), steps), "g_lag_history")


def _last_of_each_minute(commits: DataFrame, settings: GoldSettings) -> DataFrame:
    """Rows whose successor lies in another minute. A tombstone ends the position and has no row."""
    minute = _floor(F.col("commit_ms"), _MINUTE_MS)
    next_minute = F.coalesce(_floor(F.col("next_commit_ms"), _MINUTE_MS), F.lit(settings.now_ms + _MINUTE_MS))
    counts = F.col("is_effective") & ~F.col("is_tombstone") & (F.col("committed_offset") >= 0)
    still_ms = settings.now_ms - settings.history_ms
    return commits.where(counts & (next_minute > minute) & (next_minute >= still_ms)).select(
        *POSITION,
        F.col("committed_offset").alias("committed"),
        minute.alias("_minute"),
        next_minute.alias("_until"),
    )


def _with_silent_minutes(rows: DataFrame, ends: DataFrame, settings: GoldSettings) -> DataFrame:
    """The minutes between this commit and the next, thinned out; none behind the newest sample, where nothing is known."""
    last = ends.select(*TOPIC_PARTITION, F.col("end_ms").alias("_sampled"))
    known = rows.join(last, list(TOPIC_PARTITION), "left").withColumn("_until", F.least("_until", "_sampled"))
    minute, until = F.col("_minute"), F.col("_until")
    often = _marks(minute, F.least(minute + _SELDOM_MS, until), _OFTEN_MS)
    seldom = _marks(minute + _SELDOM_MS, until, _SELDOM_MS)
    minutes = F.when(F.col("_sampled").isNull(), F.array(minute)).otherwise(F.concat(F.array(minute), often, seldom))
    still_ms = settings.now_ms - settings.history_ms
    exploded = known.select(*POSITION, "committed", F.explode(minutes).alias("minute_ms"))
    return exploded.where(F.col("minute_ms") >= still_ms)


def _marks(after: Column, before: Column, step_ms: int) -> Column:
    """Multiples of the step between the two, without either."""
    first = _floor(after, step_ms) + step_ms
    last = before - 1
    return F.when(first <= last, F.sequence(first, F.greatest(first, last), F.lit(step_ms).cast("long"))).otherwise(
        F.array().cast("array<bigint>")
    )


def _floor(ms: Column, step_ms: int) -> Column:
    return (ms - F.pmod(ms, F.lit(step_ms).cast("long"))).cast("long")


def _with_lag(rows: DataFrame, steps: DataFrame) -> DataFrame:
    asked = rows.select(
        *POSITION,
        "minute_ms",
        "committed",
        F.coalesce("_end.topic_epoch", F.lit(0)).alias("topic_epoch"),
        F.col("_end.leo").alias("end"),
        F.greatest("committed", "_end.log_start").alias("first_unread"),
        "_moment",
    )
    lag = F.when(F.col("end").isNotNull(), F.greatest(F.col("end") - F.col("first_unread"), F.lit(0)))
    found = with_time_lag(asked, steps, {"time_lag": (F.col("_moment"), F.col("_moment"))})
    return found.withColumn("lag", lag).withColumnRenamed("time_lag_method", "method")


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
