"""Lag in time, as a bracket that the truth lies in. Never an extrapolation (analytics 2.2).

The first record that a group has not read is at its committed offset c. It was appended at T(c), the moment when the end
offset passed c; time lag at a moment tau is tau - T(c), or 0 if that has not happened yet. Samples (L_i, [begin_i, end_i]) of
the end offset with L_i <= c < L_i+1 say that T(c) lies in (begin_i, end_i+1]:

| where c lies | lo | hi | method |
|---|---|---|---|
| between two samples | tau - end_i+1 | tau - begin_i | bracket |
| the same, samples of every batch from segment files | tau - end_i+1 | the same: the batch that holds c is known | bracket |
| below the first sample | tau - end_0 | null: nobody knows more | left_bound |
| at or behind the newest sample | 0 | 0, or what has passed since that sample | caught_up |

The search of each c among sorted samples is a union and a running window: no Python, no row per pair.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from muster.pipeline.tables.columns import TOPIC_PARTITION, so_far

Moment: TypeAlias = tuple[Column, Column]
"""When the question is about: not before, not after."""

_EPOCH = (*TOPIC_PARTITION, "topic_epoch")
_BELOW_ALL = -(1 << 62)
_SAMPLE, _QUESTION = 0, 1
_KNOWN = ("leo", "begin_ms", "end_ms", "next_leo", "next_begin_ms", "next_end_ms", "next_exact")


def steps_of(leo: DataFrame) -> DataFrame:
    """Each sample of `s_leo` with its successor, and before them a stand-in whose successor is the first. Worth keeping."""
    order = Window.partitionBy(*_EPOCH).orderBy("end_ms", "leo", "log_start")
    rows = leo.select(
        *_EPOCH,
        "leo",
        "begin_ms",
        "end_ms",
        F.lead("leo").over(order).alias("next_leo"),
        F.lead("begin_ms").over(order).alias("next_begin_ms"),
        F.lead("end_ms").over(order).alias("next_end_ms"),
        (F.lead("sampler").over(order) == "segment").alias("next_exact"),
        F.row_number().over(order).alias("_nth"),
        F.col("sampler"),
    )
    unknown = F.lit(None).cast("long")
    stand_in = rows.where("_nth = 1").select(
        *_EPOCH,
        F.lit(_BELOW_ALL).cast("long").alias("leo"),
        unknown.alias("begin_ms"),
        unknown.alias("end_ms"),
        F.col("leo").alias("next_leo"),
        F.col("begin_ms").alias("next_begin_ms"),
        F.col("end_ms").alias("next_end_ms"),
        (F.col("sampler") == "segment").alias("next_exact"),
    )
    return rows.select(*_EPOCH, *_KNOWN).unionByName(stand_in)


def with_time_lag(questions: DataFrame, steps: DataFrame, moments: Mapping[str, Moment]) -> DataFrame:
    """Adds for each named moment `<name>_lo_ms`, `<name>_hi_ms`, `<name>_est_ms` and `<name>_method`.

    `questions` have cluster, topic, partition, topic_epoch and `first_unread` (c, not below the log's start). A moment is a pair of
    columns: the sample's own bracket for "now", twice the same otherwise. All are answered by one search.
    """
    found = _located(questions, steps)
    for name, (from_ms, to_ms) in moments.items():
        found = found.withColumns(_answer(name, from_ms, to_ms))
    return found.drop("_found")


def _located(questions: DataFrame, steps: DataFrame) -> DataFrame:
    """Each question with the last sample that is not above it."""
    payload = F.struct(*(F.col(name) for name in questions.columns if name not in _EPOCH))
    asked = questions.select(
        *_EPOCH,
        F.col("first_unread").alias("_at"),
        F.lit(_QUESTION).alias("_what"),
        F.lit(None).cast("long").alias("_time"),
        payload.alias("_question"),
    )
    samples = steps.select(
        *_EPOCH,
        F.col("leo").alias("_at"),
        F.lit(_SAMPLE).alias("_what"),
        F.col("end_ms").alias("_time"),
        F.struct(*_KNOWN).alias("_sample"),
    )
    placed = asked.unionByName(samples, allowMissingColumns=True).withColumn("_hash", F.xxhash64(*_EPOCH))
    # A sample with L = c comes before the question: then c was not yet there, at the end of a flat run (side='right').
    search = so_far(Window.partitionBy("_hash", *_EPOCH).orderBy("_at", "_what", "_time"))
    found = placed.withColumn("_found", F.last("_sample", ignorenulls=True).over(search)).where("_question is not null")
    return found.select(*_EPOCH, "_question.*", "_found")


def _answer(name: str, tau_lo: Column, tau_hi: Column) -> dict[str, Column]:
    sample = F.col("_found")
    known = sample.isNotNull()
    newest, leftmost = sample["next_leo"].isNull(), sample["begin_ms"].isNull()
    exact = F.coalesce(sample["next_exact"], F.lit(False))
    since_newest = F.when(tau_hi > sample["end_ms"], tau_hi - sample["begin_ms"]).otherwise(F.lit(0))

    lo = F.when(newest, F.lit(0)).otherwise(_not_below_0(tau_lo - sample["next_end_ms"]))
    hi = (
        F.when(newest, since_newest)
        .when(exact, _not_below_0(tau_hi - sample["next_end_ms"]))
        .when(~leftmost, _not_below_0(tau_hi - sample["begin_ms"]))
    )
    # The middle of the record between the middles of two samples.
    share = (F.col("first_unread") + 0.5 - sample["leo"]) / (sample["next_leo"] - sample["leo"])
    left, right = _middle(sample["begin_ms"], sample["end_ms"]), _middle(sample["next_begin_ms"], sample["next_end_ms"])
    guess = F.round(_middle(tau_lo, tau_hi) - left - share * (right - left))
    est = F.when(newest | leftmost | exact, lo).otherwise(F.least(F.greatest(guess, lo), hi))
    method = (
        F.when(~known, "no_end")
        .when(newest | F.coalesce(hi == 0, F.lit(False)), "caught_up")
        .when(leftmost & ~exact, "left_bound")
        .otherwise("bracket")
    )
    return {
        f"{name}_lo_ms": F.when(known, lo.cast("long")),
        f"{name}_hi_ms": F.when(known, hi.cast("long")),
        f"{name}_est_ms": F.when(known, est.cast("long")),
        f"{name}_method": method,
    }


def _not_below_0(ms: Column) -> Column:
    return F.greatest(ms, F.lit(0))


def _middle(begin: Column, end: Column) -> Column:
    return (begin + end) / 2
