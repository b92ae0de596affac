"""Lag in time, as a bracket that the truth lies in. Never an extrapolation (analytics 2.2).

The first record that a group has not read is at its committed offset c. It was appended at T(c), the moment when the end
offset passed c; time lag at a moment tau is tau - T(c), or 0 if that has not happened yet. Samples (L_i, [begin_i, end_i]) of
the end offset with L_i <= c < L_i+1 say that T(c) lies in (begin_i, end_i+1]:

| where c lies | lo | hi | method |
|---|---|---|---|
| between two samples | tau - end_i+1 | tau - begin_i | bracket |
| the same, samples of every batch from segment files | tau - end_i+1 | the same: the batch that holds c is known | bracket |
| below the first sample | tau - end_0 | null: nobody knows more; no estimate if lo is 0 | left_bound |
| at or behind the newest sample | 0 | 0, or what has passed since that sample | caught_up |
"""

from __future__ import annotations

import polars as pl

from muster.pipeline.tables.columns import Column, is_true


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
        pl.when(leftmost & ~exact & ~newest & (lo == 0))
        .then(None)  # at least nothing: an estimate of 0 would look like caught up
        .when(newest | leftmost | exact)
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
