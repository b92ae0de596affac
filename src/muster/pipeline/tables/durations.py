"""Durations as people read them, for the texts of evidence and reasons."""

from __future__ import annotations

import polars as pl

from muster.core.time_units import DAY_MS, HOUR_MS, MINUTE_MS

_SECOND_MS = 1_000


def span(ms: int) -> str:
    """`90 s`, `10 min`, `36 h`, `7 days`: two of a unit before the next larger one is used."""
    if ms < 2 * MINUTE_MS:
        return f"{round(ms / _SECOND_MS)} s"
    if ms < 2 * HOUR_MS:
        return f"{round(ms / MINUTE_MS)} min"
    return f"{round(ms / HOUR_MS)} h" if ms < 2 * DAY_MS else f"{round(ms / DAY_MS)} days"


def spans(ms: pl.Expr) -> pl.Expr:
    """`span` of a column."""
    return (
        pl.when(ms < 2 * MINUTE_MS)
        .then(pl.format("{} s", _rounded(ms, _SECOND_MS)))
        .when(ms < 2 * HOUR_MS)
        .then(pl.format("{} min", _rounded(ms, MINUTE_MS)))
        .when(ms < 2 * DAY_MS)
        .then(pl.format("{} h", _rounded(ms, HOUR_MS)))
        .otherwise(pl.format("{} days", _rounded(ms, DAY_MS)))
    )


def _rounded(ms: pl.Expr, unit: int) -> pl.Expr:
    return (ms / unit).round(mode="half_to_even").cast(pl.Int64)
