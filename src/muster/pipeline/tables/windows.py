"""What the last commits of each position show, as columns: the input of Burrow's rule and of ours.

A window is four lists of one length, newest last: `offsets`, `times`, and two of lags. Each lag is against the newest end that was
known when the commit arrived, null where none was. `lags` are Burrow's. `sure_lags` are null also where the commit lies above an
end that was old by then: how many records were behind it cannot be said. No commits are null or an empty list.
"""

from __future__ import annotations

import polars as pl

from muster.pipeline.tables.columns import Frame

_WINDOW = ("offsets", "times", "lags", "sure_lags")


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
    )
    return rows.with_columns(
        went_back=pl.col("last_offset") < pl.col("highest_offset"),
        lowest_lag=pl.col("lags").list.min(),
        lag_fell=pl.col("lags").list.drop_nulls().list.diff().list.min() < 0,
    )


def with_lag_trend(rows: Frame, allowed_lag: int) -> Frame:
    """`rows` with what `sure_lags` show: their first, last and lowest, and how they went since the group was caught up."""
    rows = rows.with_columns(sure=pl.col("sure_lags").list.drop_nulls())
    caught_up = pl.col("sure").list.eval(pl.element() <= allowed_lag)
    since = caught_up.list.reverse().list.arg_max().cast(pl.Int64)
    rows = rows.with_columns(n_since_caught_up=pl.when(caught_up.list.any()).then(since))
    rows = rows.with_columns(lags_since=pl.col("sure").list.tail("n_since_caught_up"))
    return rows.with_columns(
        n_lags=pl.col("sure").list.len().fill_null(0),
        first_lag=pl.col("sure").list.first(),
        last_lag=pl.col("sure").list.last(),
        lowest_sure_lag=pl.col("sure").list.min(),
        rises_since=(pl.col("lags_since").list.diff().list.min() >= 0)
        & (pl.col("lags_since").list.last() > pl.col("lags_since").list.first()),
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
