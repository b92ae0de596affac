"""What the last commits of each position show, as columns: the input of Burrow's rule and of ours.

A window is three lists of one length, newest last: `offsets`, `times` and `lags`, each lag against the newest end that was known
when the commit arrived, null where none was. No commits are null or an empty list.
"""

from __future__ import annotations

import polars as pl

from muster.pipeline.tables.columns import Frame

_WINDOW = ("offsets", "times", "lags")


def with_window_facts(rows: Frame) -> Frame:
    """`rows` with a column for everything that the rules ask of a window. Null where the window is too short to say."""
    rows = rows.with_columns(
        n_commits=pl.col("offsets").list.len().fill_null(0),
        last_offset=pl.col("offsets").list.last(),
        highest_offset=pl.col("offsets").list.max(),
        lowest_offset=pl.col("offsets").list.min(),
        first_ms=pl.col("times").list.first(),
        last_ms=pl.col("times").list.last(),
        usual_interval_ms=pl.col("times").list.diff().list.median(),
        known_lags=pl.col("lags").list.drop_nulls(),
    )
    behind = (pl.col("known_lags").list.reverse().list.eval(pl.element() == 0)).list.arg_max().cast(pl.Int64)
    rows = rows.with_columns(n_behind=pl.when(pl.col("known_lags").list.contains(0)).then(behind))
    return rows.with_columns(
        went_back=pl.col("last_offset") < pl.col("highest_offset"),
        n_lags=pl.col("known_lags").list.len().fill_null(0),
        first_lag=pl.col("known_lags").list.first(),
        last_lag=pl.col("known_lags").list.last(),
        lowest_lag=pl.col("known_lags").list.min(),
        lag_fell=pl.col("known_lags").list.diff().list.min() < 0,
        # Known lags behind the last that was 0, and whether one of them fell.
        fell_behind=pl.col("known_lags").list.tail("n_behind").list.diff().list.min() < 0,
    )


def with_rewinds(rows: Frame) -> Frame:
    """`fell_to`: the offset behind the last highest one, where the position went back and has not reached that place again.
    `has_earlier_fall`: it went back before, too, and made that good.
    """
    behind = pl.col("offsets").list.reverse().list.arg_max().cast(pl.Int64)
    """How many commits came after the last highest offset."""
    rows = rows.with_columns(behind=behind)
    first_fall = (pl.col("offsets").list.diff().list.eval(pl.element() < 0)).list.arg_max().cast(pl.Int64)
    return rows.with_columns(
        fell_to=pl.col("offsets").list.get(-pl.col("behind"), null_on_oob=True),
        has_earlier_fall=first_fall < pl.col("n_commits").cast(pl.Int64) - pl.col("behind"),
    )


def without_old_commits(rows: Frame, before_ms: int) -> Frame:
    """Windows without the commits from before that moment; `rows` have the facts of their windows."""
    fresh = (
        rows.select(*_WINDOW)
        .with_row_index("row")
        .explode(*_WINDOW, empty_as_null=False, keep_nulls=False)
        .filter(pl.col("times") >= before_ms)
        .group_by("row", maintain_order=True)
        .agg(*_WINDOW)
    )
    return (
        rows.drop(*_WINDOW).with_row_index("row").join(fresh, on="row", how="left", maintain_order="left").drop("row")
    )
