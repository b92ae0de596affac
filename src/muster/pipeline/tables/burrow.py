"""Burrow's rule for each position, bit for bit (LinkedIn Burrow, caching evaluator), as one expression.

First match wins:

| status | when |
|---|---|
| OK | too few commits to judge, or no lag now |
| STOP | longer silent than the whole window is long, and behind every end of the ring |
| REWIND | the first step back of the window was not made good |
| OK | lag was allowed at any of the commits |
| STALL | all commits of one offset |
| WARN | lag never fell |

Kept on purpose, though one may think otherwise: a window of one commit is STOP after any silence and STALL by definition;
only the first rewind of a window is looked at; flat lag counts as not falling; a null lag (a commit from before the first
sample) proves nothing.
"""

from __future__ import annotations

import polars as pl

from muster.pipeline.tables.columns import Column, Frame, is_true
from muster.pipeline.tables.settings import GoldSettings
from muster.pipeline.tables.windows import with_rewinds, with_window_facts, without_old_commits

OK, WARN, STALL, STOP, REWIND = "OK", "WARN", "STALL", "STOP", "REWIND"


def with_burrow_status(rows: Frame, settings: GoldSettings) -> Frame:
    """`rows` have the facts of their windows, `end` and the last sampled `ends`; the same with `burrow_status`."""
    expired_ms = settings.now_ms - settings.burrow_expire_group_ms
    is_old = is_true(pl.col("times").list.min() < expired_ms)
    rows = rows.with_row_index("at")
    parts = [rows.filter(~is_old), rows.filter(is_old)]
    if parts[1].height:
        trimmed = with_rewinds(with_window_facts(without_old_commits(parts[1], expired_ms)))
        parts[1] = parts[1].with_columns(_judged(trimmed, settings))
    parts[0] = parts[0].with_columns(_judged(parts[0], settings))
    return pl.concat(parts, how="diagonal").sort("at").drop("at")


def _judged(rows: Frame, settings: GoldSettings) -> pl.Series:
    return rows.select(burrow_status=_status(settings)).to_series()


def _status(settings: GoldSettings) -> Column:
    """Null without a position or an end, and where all commits are so old that Burrow has purged them and answers 404."""
    is_judged = pl.col("committed").is_not_null() & pl.col("end").is_not_null() & (pl.col("n_commits") > 0)
    lag = pl.max_horizontal(pl.col("end") - pl.col("last_offset"), 0)
    is_complete = pl.col("n_commits") / settings.burrow_intervals >= settings.burrow_minimum_complete
    whole_seconds_ms = settings.now_ms // 1000 * 1000
    is_silent = whole_seconds_ms - pl.col("last_ms") > pl.col("last_ms") - pl.col("first_ms")
    has_caught_up = is_true(pl.col("ends").list.min() <= pl.col("last_offset"))
    return (
        pl.when(~is_judged)
        .then(pl.lit(None, pl.String))
        .when(~is_complete | (lag <= settings.allowed_lag))
        .then(pl.lit(OK))
        .when(is_silent & ~has_caught_up)
        .then(pl.lit(STOP))
        .when(pl.col("went_back") & ~pl.col("has_earlier_fall"))
        .then(pl.lit(REWIND))
        .when(is_true(pl.col("lowest_lag") <= settings.allowed_lag))
        .then(pl.lit(OK))
        .when(pl.col("lowest_offset") == pl.col("highest_offset"))
        .then(pl.lit(STALL))
        .when(is_true(pl.col("lag_fell")))
        .then(pl.lit(OK))
        .otherwise(pl.lit(WARN))
    )
