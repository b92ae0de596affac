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
    leo: DataFrame,
    recent: DataFrame,
    states: DataFrame,
    assignments: DataFrame,
    extent: DataFrame,
    settings: GoldSettings,
) -> DataFrame:
    ends = newest_end_offsets(leo)
    rows = _positions(current, ends, states).join(ends, list(TOPIC_PARTITION), "left")
    rows = _with_lag(rows, leo)
    rows = _with_lag_at_commit(rows, leo, settings)
    rows = rows.join(_produce_rates(leo, ends, settings), list(TOPIC_PARTITION), "left")
    rows = rows.join(_consume_rates(recent, ends, settings), list(POSITION), "left")
    rows = rows.join(owners(states, assignments), list(POSITION), "left")
    rows = rows.join(F.broadcast(_faithful_since(extent)), ["cluster", "log_partition"], "left")
    return conform(_finished(rows, settings), "g_lag")


def _positions(current: DataFrame, ends: DataFrame, states: DataFrame) -> DataFrame:
    partitions = ends.select(*TOPIC_PARTITION)
    subscribed = states.select(*GROUP, F.explode("topics").alias("topic"))
    wanted = current.select(*GROUP, "topic").unionByName(subscribed).distinct()
    expected = wanted.join(partitions, ["cluster", "topic"]).select(*POSITION)
    known = current.select(*POSITION, "committed_offset", "commit_ms", "log_partition")
    return expected.join(known, list(POSITION), "full").withColumn(
        "committed", F.when(F.col("committed_offset") >= 0, F.col("committed_offset"))
    )


def _with_lag(rows: DataFrame, leo: DataFrame) -> DataFrame:
    """Records that deletion took can no longer be read: what is unread begins at the log's start (trap 25)."""
    asked = rows.withColumn("first_unread", F.greatest("committed", "log_start"))
    asked = asked.withColumn("first_unread", F.when(F.col("committed").isNotNull(), F.col("first_unread")))
    asked = asked.withColumn("tau_lo_ms", F.col("begin_ms")).withColumn("tau_hi_ms", F.col("end_ms"))
    return (
        with_time_lag(asked, leo)
        .withColumn("lag_raw", F.col("leo") - F.col("committed"))
        .withColumn(
            "lag", F.when(F.col("lag_raw").isNotNull(), F.greatest(F.col("leo") - F.col("first_unread"), F.lit(0)))
        )
        .withColumn("method", _method())
        .withColumnsRenamed({"lo_ms": "time_lag_lo_ms", "hi_ms": "time_lag_hi_ms", "est_ms": "time_lag_est_ms"})
    )


def _method() -> Column:
    # A commit that is younger than the sample may lie behind it rightly: only an older one is ahead of the end (trap 20).
    ahead = (F.col("lag_raw") < 0) & (F.col("begin_ms") > F.col("commit_ms"))
    return (
        F.when(F.col("committed").isNull(), "no_position")
        .when(F.col("leo").isNull(), "no_end")
        .when(ahead, "ahead")
        .otherwise(F.col("method"))
    )


def _with_lag_at_commit(rows: DataFrame, leo: DataFrame, settings: GoldSettings) -> DataFrame:
    """How late the group was when it committed: another number than how late it is now. Only of the present epoch."""
    skew = settings.clock_skew_ms
    asked = (
        rows.withColumn("tau_lo_ms", F.col("commit_ms") - skew)
        .withColumn("tau_hi_ms", F.col("commit_ms") + skew)
        .withColumnRenamed("method", "_method")
    )
    known = F.col("committed").isNotNull()
    return (
        with_time_lag(asked, leo)
        .withColumn("lag_at_commit_lo_ms", F.when(known, F.col("lo_ms")))
        .withColumn("lag_at_commit_hi_ms", F.when(known, F.col("hi_ms")))
        .drop("method", "lo_ms", "hi_ms", "est_ms")
        .withColumnRenamed("_method", "method")
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


def _consume_rates(recent: DataFrame, ends: DataFrame, settings: GoldSettings) -> DataFrame:
    """Over the commits of the window that no compaction has thinned (trap 3); a rewind is no speed."""
    last = ends.select(*TOPIC_PARTITION, F.col("end_ms").alias("_end"))
    start = F.greatest(F.col("_end"), F.try_element_at("recent", F.lit(-1))["commit_ms"]) - settings.rate_window_ms
    rows = recent.join(last, list(TOPIC_PARTITION), "left").withColumn("_start", start)
    inside = F.expr("filter(recent, c -> c.faithful and c.commit_ms >= _start)")
    rows = rows.withColumn("_used", inside).where("size(_used) >= 2")
    first, newest = F.get("_used", F.lit(0)), F.try_element_at("_used", F.lit(-1))
    took = newest["commit_ms"] - first["commit_ms"]
    rate = F.try_divide((newest["committed"] - first["committed"]) * 1000.0, F.when(took > 0, took))
    rows = rows.withColumn("consume_rate", rate)
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
    times = {
        name: F.when(positioned & (F.col("method") != "ahead"), F.col(name))
        for name in ("time_lag_lo_ms", "time_lag_hi_ms", "time_lag_est_ms")
    }
    return rows.withColumns(
        {
            **times,
            "at_ms": F.col("end_ms"),
            "end": F.col("leo"),
            "commit_age_ms": F.greatest(F.lit(settings.now_ms) - F.col("commit_ms"), F.lit(0)),
            "eta_ms": F.when(positioned, eta),
            "coverage": F.when(F.col("_faithful_ms").isNotNull(), share),
            "provisional": F.lit(settings.provisional),
        }
    )
