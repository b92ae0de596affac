"""`g_group_lag`: the lag of each group, over its partitions."""

from __future__ import annotations

import polars as pl

from muster.pipeline.tables.columns import GROUP, Frame, conform


def group_lag(lag: Frame) -> Frame:
    """`g_group_lag`. Partitions without a position or an end are counted, not summed (trap 18). Skew: largest over mean."""
    known = pl.col("lag").is_not_null().any()
    mean = pl.col("lag").mean()
    time_lag = pl.coalesce("time_lag_est_ms", pl.col("time_lag_lo_ms").replace(0, None))
    has_no_end = pl.col("method") == "no_end"
    # A partition that is behind nobody knows how long, or how far: then the longest of the others is at least, and 0 is none.
    is_open = (((pl.col("lag") > 0) & pl.col("time_lag_hi_ms").is_null()) | has_no_end).fill_null(False)
    is_some_unknown = (((pl.col("lag") > 0) & time_lag.is_null()) | has_no_end).any()
    rows = lag.group_by(GROUP).agg(
        at_ms=pl.col("at_ms").max(),
        n_partitions=pl.len(),
        n_no_position=(pl.col("method") == "no_position").sum(),
        n_no_end=has_no_end.sum(),
        n_time_open=is_open.sum(),
        lag_sum=pl.when(known).then(pl.col("lag").sum()),
        lag_max=pl.col("lag").max(),
        stable_lag_sum=pl.when(pl.col("stable_lag").is_not_null().any()).then(pl.col("stable_lag").sum()),
        time_lag_max_ms=pl.when(~is_some_unknown | (time_lag.max() > 0)).then(time_lag.max()),
        skew=pl.when(mean > 0).then(pl.col("lag").max() / mean),
    )
    return conform(rows, "g_group_lag")
