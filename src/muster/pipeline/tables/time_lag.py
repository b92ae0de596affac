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

All questions are answered by one walk along the sorted samples.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import polars as pl

from muster.pipeline.tables.columns import TOPIC_PARTITION, Column, Frame, is_true
from muster.pipeline.tables.latest_before import latest_before

Moment: TypeAlias = tuple[Column, Column]
"""When the question is about: not before, not after."""

_EPOCH = (*TOPIC_PARTITION, "topic_epoch")
_BELOW_ALL = -(1 << 62)
_KNOWN = ("at_leo", "at_begin_ms", "at_end_ms", "next_leo", "next_begin_ms", "next_end_ms", "next_exact")


def steps_of(leo: Frame) -> Frame:
    """Each sample of `s_leo` with its successor, and before them a stand-in whose successor is the first. In search order."""
    rows = leo.sort(*_EPOCH, "end_ms", "leo", "log_start").select(
        *_EPOCH,
        "leo",
        "begin_ms",
        "end_ms",
        exact=pl.col("sampler") == "segment",
        first=pl.int_range(pl.len()).over(_EPOCH) == 0,
    )
    after = {f"next_{name}": pl.col(name).shift(-1).over(_EPOCH) for name in ("leo", "begin_ms", "end_ms", "exact")}
    here = {f"at_{name}": pl.col(name) for name in ("leo", "begin_ms", "end_ms")}
    stand_in = rows.filter("first").select(
        *_EPOCH,
        at_leo=pl.lit(_BELOW_ALL),
        at_begin_ms=pl.lit(None, pl.Int64),
        at_end_ms=pl.lit(None, pl.Int64),
        **{f"next_{name}": pl.col(name) for name in ("leo", "begin_ms", "end_ms", "exact")},
    )
    steps = pl.concat([rows.select(*_EPOCH, **here, **after), stand_in])
    # Of a flat run the last sample is found: c was not yet there at the end of it (side='right').
    return steps.sort("at_leo", "at_end_ms")


def with_time_lag(questions: Frame, steps: Frame, moments: Mapping[str, Moment]) -> Frame:
    """Adds for each named moment `<name>_lo_ms`, `<name>_hi_ms`, `<name>_est_ms` and `<name>_method`.

    `questions` have cluster, topic, partition, topic_epoch and `first_unread` (c, not below the log's start). A moment is a pair of
    columns: the sample's own bracket for "now", twice the same otherwise. All are answered by one search.
    """
    found = latest_before(questions, steps, _EPOCH, "first_unread", "at_leo")
    answers: dict[str, Column] = {}
    for name, (from_ms, to_ms) in moments.items():
        answers |= bracket(name, from_ms, to_ms)
    return found.with_columns(**answers).drop(_KNOWN)


def bracket(name: str, tau_lo: Column, tau_hi: Column) -> dict[str, Column]:
    """The answers for one moment, of rows that have `first_unread` and the samples around it: `at_*` and `next_*`."""
    at = {each: pl.col(f"at_{each}") for each in ("leo", "begin_ms", "end_ms")}
    after = {each: pl.col(f"next_{each}") for each in ("leo", "begin_ms", "end_ms")}
    known = at["leo"].is_not_null()
    newest, leftmost = after["leo"].is_null(), at["begin_ms"].is_null()
    exact = is_true(pl.col("next_exact"))
    since_newest = pl.when(tau_hi > at["end_ms"]).then(tau_hi - at["begin_ms"]).otherwise(0)

    lo = pl.when(newest).then(0).otherwise(_not_below_0(tau_lo - after["end_ms"]))
    hi = (
        pl.when(newest)
        .then(since_newest)
        .when(exact)
        .then(_not_below_0(tau_hi - after["end_ms"]))
        .when(~leftmost)
        .then(_not_below_0(tau_hi - at["begin_ms"]))
    )
    # The middle of the record between the middles of two samples.
    share = (pl.col("first_unread") + 0.5 - at["leo"]) / (after["leo"] - at["leo"])
    left, right = _middle(at["begin_ms"], at["end_ms"]), _middle(after["begin_ms"], after["end_ms"])
    guess = _middle(tau_lo, tau_hi) - left - share * (right - left)
    est = (
        pl.when(newest | leftmost | exact)
        .then(lo)
        .otherwise(_rounded(pl.min_horizontal(pl.max_horizontal(guess, lo), hi)))
    )
    method = (
        pl.when(~known)
        .then(pl.lit("no_end"))
        .when(newest | is_true(hi == 0))
        .then(pl.lit("caught_up"))
        .when(leftmost & ~exact)
        .then(pl.lit("left_bound"))
        .otherwise(pl.lit("bracket"))
    )
    return {
        f"{name}_lo_ms": pl.when(known).then(lo),
        f"{name}_hi_ms": pl.when(known).then(hi),
        f"{name}_est_ms": pl.when(known).then(est),
        f"{name}_method": method,
    }


def _rounded(ms: Column) -> Column:
    """Halves upwards; what no sample can say (nan, infinity) is null."""
    return (ms + 0.5).floor().cast(pl.Int64, strict=False)


def _not_below_0(ms: Column) -> Column:
    return pl.max_horizontal(ms, 0)


def _middle(begin: Column, end: Column) -> Column:
    return (begin + end) / 2
