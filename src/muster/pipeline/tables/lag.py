"""`g_lag`: where each group stands in each partition now, in records and in time, how fast it goes, who owns it.

Rows are all positions that were ever committed and still count, and every partition of a topic that the group commits to or
subscribes to: a partition that was added and never read has no position, which is not a lag of its end (traps 18 and 21).
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from muster.pipeline.tables.columns import GROUP, POSITION, TOPIC_PARTITION, conform
from muster.pipeline.tables.end_offsets import newest_end_offsets
from muster.pipeline.tables.group_state import owners
from muster.pipeline.tables.settings import GoldSettings
from muster.pipeline.tables.time_lag import with_time_lag


def lag_now(
    current: DataFrame,
    ends: DataFrame,
    steps: DataFrame,
    recent: DataFrame,
    states: DataFrame,
    assignments: DataFrame,
    extent: DataFrame,
    settings: GoldSettings,
) -> DataFrame:
    """`ends` come from `ends_and_rates`, `steps` from `time_lag`, `recent` from `recent_commits`."""
    rows = _positions(current, ends, states)
    rows = rows.join(_consume_rates(recent, settings), list(POSITION), "left")
    rows = rows.join(owners(states, assignments), list(POSITION), "left")
    rows = rows.join(ends, list(TOPIC_PARTITION), "left")
    rows = _with_lag(rows, steps, settings)
    rows = rows.join(F.broadcast(_faithful_since(extent)), ["cluster", "log_partition"], "left")
    return conform(_finished(rows, settings), "g_lag")


def ends_and_rates(leo: DataFrame, settings: GoldSettings) -> DataFrame:
    """The newest sample of each partition and how fast it is written. Worth keeping."""
    ends = newest_end_offsets(leo)
    return ends.join(_produce_rates(leo, ends, settings), list(TOPIC_PARTITION), "left")


def _positions(current: DataFrame, ends: DataFrame, states: DataFrame) -> DataFrame:
    partitions = ends.select(*TOPIC_PARTITION)
    subscribed = states.select(*GROUP, F.explode("topics").alias("topic"))
    wanted = current.select(*GROUP, "topic").unionByName(subscribed).distinct()
    expected = wanted.join(partitions, ["cluster", "topic"]).select(*POSITION)
    known = current.select(*POSITION, "committed_offset", "commit_ms", "log_partition")
    return expected.join(known, list(POSITION), "full").withColumn(
        "committed", F.when(F.col("committed_offset") >= 0, F.col("committed_offset"))
    )


def _with_lag(rows: DataFrame, steps: DataFrame, settings: GoldSettings) -> DataFrame:
    """Records that deletion took can no longer be read: what is unread begins at the log's start (trap 25).

    How late the group was when it committed is another number than how late it is now; both are asked for here.
    """
    positioned = F.col("committed").isNotNull()
    asked = rows.withColumn("first_unread", F.when(positioned, F.greatest("committed", "log_start")))
    skew = settings.clock_skew_ms
    moments = {
        "time_lag": (F.col("begin_ms"), F.col("end_ms")),
        "lag_at_commit": (F.col("commit_ms") - skew, F.col("commit_ms") + skew),
    }
    unread = F.greatest(F.col("leo") - F.col("first_unread"), F.lit(0))
    return (
        with_time_lag(asked, steps, moments)
        .withColumn("lag_raw", F.col("leo") - F.col("committed"))
        .withColumn("lag", F.when(F.col("lag_raw").isNotNull(), unread))
        .withColumn("method", _method())
    )


def _method() -> Column:
    # A commit that is younger than the sample may lie behind it rightly: only an older one is ahead of the end (trap 20).
    ahead = (F.col("lag_raw") < 0) & (F.col("begin_ms") > F.col("commit_ms"))
    return (
        F.when(F.col("committed").isNull(), "no_position")
        .when(F.col("leo").isNull(), "no_end")
        .when(ahead, "ahead")
        .otherwise(F.col("time_lag_method"))
    )


def _produce_rates(leo: DataFrame, ends: DataFrame, settings: GoldSettings) -> DataFrame:
    """From the last sample before the window, else the first in it, to the newest."""
    last = ends.select(*TOPIC_PARTITION, "topic_epoch", F.col("leo").alias("_leo"), F.col("end_ms").alias("_end"))
    samples = leo.join(last, [*TOPIC_PARTITION, "topic_epoch"])
    start = F.col("_end") - settings.rate_window_ms
    before, inside = F.col("end_ms") <= start, F.col("end_ms") > start
    point = F.struct("end_ms", "leo")
    chosen = samples.groupBy(*TOPIC_PARTITION, "_leo", "_end").agg(
        F.coalesce(F.max(F.when(before, point)), F.min(F.when(inside, point))).alias("_from")
    )
    rate = F.try_divide((F.col("_leo") - F.col("_from.leo")) * 1000.0, F.col("_end") - F.col("_from.end_ms"))
    return chosen.where("_end > _from.end_ms").select(*TOPIC_PARTITION, rate.alias("produce_rate"))


def _consume_rates(recent: DataFrame, settings: GoldSettings) -> DataFrame:
    """Over the last commits, as far as no compaction has thinned them (trap 3); a rewind is no speed."""
    newest = F.try_element_at("recent", F.lit(-1))
    rows = recent.withColumn("_start", newest["commit_ms"] - settings.rate_window_ms)
    rows = rows.withColumn("_first", F.expr("get(filter(recent, c -> c.faithful and c.commit_ms >= _start), 0)"))
    took = newest["commit_ms"] - F.col("_first.commit_ms")
    rate = F.try_divide((newest["committed"] - F.col("_first.committed")) * 1000.0, F.when(took > 0, took))
    rows = rows.withColumn("consume_rate", F.when(newest["faithful"], rate))
    return rows.where("consume_rate >= 0").select(*POSITION, "consume_rate")


def _faithful_since(extent: DataFrame) -> DataFrame:
    whole = F.col("faithful_from") == 0
    return extent.where("log_topic = '__consumer_offsets'").select(
        "cluster",
        "log_partition",
        F.when(whole, F.lit(0)).otherwise(F.col("faithful_from_ms")).alias("_faithful_ms"),
    )


def _finished(rows: DataFrame, settings: GoldSettings) -> DataFrame:
    faster = F.col("consume_rate") - F.coalesce("produce_rate", F.lit(0.0))
    eta = F.when(F.col("lag") == 0, F.lit(0)).when(faster > 0, F.col("lag") * 1000 / faster)
    positioned = F.col("committed").isNotNull() & F.col("leo").isNotNull()
    window_ms = settings.rate_window_ms
    at = F.coalesce("end_ms", F.lit(settings.now_ms))
    share = F.least(F.greatest((at - F.col("_faithful_ms")) / window_ms, F.lit(0.0)), F.lit(1.0))
    there = positioned & (F.col("method") != "ahead")
    times = {name: F.when(there, F.col(name)) for name in ("time_lag_lo_ms", "time_lag_hi_ms", "time_lag_est_ms")}
    late = {name: F.when(positioned, F.col(name)) for name in ("lag_at_commit_lo_ms", "lag_at_commit_hi_ms")}
    return rows.withColumns(
        {
            **times,
            **late,
            "at_ms": F.col("end_ms"),
            "end": F.col("leo"),
            "commit_age_ms": F.greatest(F.lit(settings.now_ms) - F.col("commit_ms"), F.lit(0)),
            "eta_ms": F.when(positioned, eta),
            "coverage": F.when(F.col("_faithful_ms").isNotNull(), share),
            "provisional": F.lit(settings.provisional),
        }
    )
