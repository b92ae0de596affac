"""`g_abandoned`: groups that nobody seems to use, with a score from 0 to 1 and what speaks for it (analytics 2.9).

Only groups without members are candidates. A reader decides; nothing is deleted here.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from muster.pipeline.tables.columns import GROUP, conform
from muster.pipeline.tables.settings import GoldSettings

_LONG = 7
"""So many times `abandoned_after_ms` give full weight."""
_GENERATED = r"^(console-consumer-\d+|.*[-_.]?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|.*[-_.][0-9a-f]{16,})$"


def abandoned_groups(
    current: DataFrame, states: DataFrame, commits: DataFrame, lag: DataFrame, settings: GoldSettings
) -> DataFrame:
    last = current.groupBy(*GROUP).agg(F.max("commit_ms").alias("last_commit_ms"), F.count("*").alias("_positions"))
    behind = lag.groupBy(*GROUP).agg(
        F.sum("lag").alias("lag"),
        F.sum((F.col("method") == "no_end").cast("int")).alias("_without_end"),
        F.max(F.col("produce_rate") > 0).alias("_growing"),
    )
    progress = (
        commits.where("is_effective")
        .groupBy(*GROUP)
        .agg(F.max(F.coalesce(F.col("committed_offset") > F.col("prev_offset"), F.lit(False))).alias("_moved"))
    )
    rows = (
        last.join(states.select(*GROUP, "n_members", "empty_since_ms"), list(GROUP), "full")
        .where(F.coalesce("n_members", F.lit(0)) == 0)
        .join(behind, list(GROUP), "left")
        .join(progress, list(GROUP), "left")
    )
    rows = rows.withColumns(_weights(settings))
    total = sum((F.col(name) for name in _NAMES), F.lit(0.0))
    said = F.concat_ws("; ", *(F.when(F.col(name) > 0, F.col(f"{name}_said")) for name in _NAMES))
    quiet = (F.col("_silent") > 0) | (F.col("_empty") > 0)
    return conform(
        rows.where(quiet).withColumn("score", F.least(F.round(total, 3), F.lit(1.0))).withColumn("evidence", said),
        "g_abandoned",
    )


_NAMES = ("_empty", "_silent", "_lagging", "_named", "_topicless", "_still")


def _weights(settings: GoldSettings) -> dict[str, Column]:
    after = settings.abandoned_after_ms
    empty_ms = F.lit(settings.now_ms) - F.col("empty_since_ms")
    silent_ms = F.lit(settings.now_ms) - F.col("last_commit_ms")
    gone = (F.col("_without_end") == F.col("_positions")) & F.col("_growing").isNotNull()
    return {
        "_empty": _share(empty_ms, after, 0.3),
        "_empty_said": F.concat(F.lit("empty for "), _hours(empty_ms)),
        "_silent": _share(silent_ms, after, 0.3),
        "_silent_said": F.concat(F.lit("no commit for "), _hours(silent_ms)),
        "_lagging": F.when(
            F.coalesce(F.col("lag") > 0, F.lit(False)), F.when(F.col("_growing"), 0.15).otherwise(0.05)
        ).otherwise(0.0),
        "_lagging_said": F.concat(
            F.lit("lag "), F.col("lag").cast("string"), F.when(F.col("_growing"), " and growing").otherwise("")
        ),
        "_named": F.when(F.col("group_id").rlike(_GENERATED), 0.15).otherwise(0.0),
        "_named_said": F.lit("its name looks generated"),
        "_topicless": F.when(F.coalesce(gone, F.lit(False)), 0.15).otherwise(0.0),
        "_topicless_said": F.lit("no end offset is known of any of its topics"),
        "_still": F.when(F.coalesce(F.col("_moved"), F.lit(False)), 0.0).otherwise(0.1),
        "_still_said": F.lit("never moved on"),
    }


def _share(ms: Column, after_ms: int, weight: float) -> Column:
    """Nothing before `after_ms`, half the weight then, all of it after seven times as long."""
    grown = F.least(F.lit(1.0), F.lit(0.5) + (ms - after_ms) / (2.0 * (_LONG - 1) * after_ms))
    return F.when(F.coalesce(ms >= after_ms, F.lit(False)), grown * weight).otherwise(0.0)


def _hours(ms: Column) -> Column:
    return F.concat(F.format_number(ms / 3_600_000, 1), F.lit(" h"))
