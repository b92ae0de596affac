"""`g_assignment_balance`: how evenly each generation spread its partitions (analytics 2.7).

Only the consumer protocol's assignments can be read (trap 14): groups of other types have no row, which is not a balance of zero.
"""

from __future__ import annotations

import polars as pl

from muster.pipeline.tables.columns import LOG, Column, Frame, conform

_PLACE = (*LOG, "log_offset")


def assignment_balance(generations: Frame, members: Frame, assignments: Frame) -> Frame:
    formed = generations.filter(
        (pl.col("protocol_type") == "consumer") & (pl.col("n_members") > 0) & (pl.col("kind") != "static_replace")
    )
    owned = assignments.group_by(*_PLACE, "member_id").agg(_n=pl.len().cast(pl.Int64))
    loads = members.join(owned, on=[*_PLACE, "member_id"], how="left").with_columns(pl.col("_n").fill_null(0))
    measured = loads.group_by(_PLACE).agg(**_measures(pl.col("_n")))
    rows = formed.drop("n_members").join(measured, on=_PLACE)
    return conform(rows.with_columns(at_ms="record_ms"), "g_assignment_balance")


def _measures(load: Column) -> dict[str, Column]:
    n, total = pl.len().cast(pl.Int64), load.sum()
    mean, some = load.mean(), load.sum() > 0
    squares = (load.cast(pl.Float64) ** 2).sum()
    # Of sorted loads x_1 <= ... <= x_n: sum of (2i - n - 1) x_i over n times their total.
    weighted = ((2 * pl.int_range(1, pl.len() + 1) - n - 1) * load.sort()).sum()
    return {
        "n_members": n,
        "n_partitions": total,
        "n_idle_members": (load == 0).sum(),
        "max_over_mean": pl.when(some).then(load.max() / mean),
        "spread": load.max() - load.min(),
        "cv": pl.when(some).then(load.std(ddof=0) / mean),
        "gini": pl.when(some).then(weighted / (n * total)),
        "effective_members": pl.when(some).then(total.cast(pl.Float64) ** 2 / squares),
    }
