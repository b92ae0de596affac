"""Pairs of neighbouring commits that a record of their group lies between: what pauses around rebalances are measured by.

Of millions of pairs only those are looked at that span a record of the group's own. How long a position usually takes from one
commit to the next is the lower median over the remembered commits of its run.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from muster.pipeline.fold.commits import KEY
from muster.pipeline.fold.state import WINDOW

_PAIR: Final = (*KEY, "log_offset", "commit_ms", "next_log_offset", "next_ms", "usual_ms", "same_run")
_FOREVER: Final = np.iinfo(np.int64).max // 4
_UNKNOWN: Final = np.iinfo(np.int64).max


def spanning_pairs(
    applied: pl.DataFrame, positions: pl.DataFrame, records: pl.DataFrame, current_run: int
) -> pl.DataFrame:
    """`records` (group_id, log_offset) are the records of groups that pauses are asked for; an open pair has no next commit.

    `applied` are the rows of `fold_commits`, `positions` the state after it: positions that were not touched have an open pair too.
    """
    groups = records.select("group_id").unique()
    if groups.is_empty():
        return _pairs(applied.clear().with_columns(usual_ms=pl.lit(None, pl.Int64)), current_run)
    rows = pl.concat([applied, _untouched(applied, positions.join(groups, on="group_id", how="semi"))], how="diagonal")
    mine = rows.with_row_index("_row").join(groups, on="group_id", how="semi").filter(~pl.col("is_tombstone"))
    chosen = mine.filter(_spans(mine, records))
    return _pairs(_with_usual(chosen, rows), current_run)


def _untouched(applied: pl.DataFrame, positions: pl.DataFrame) -> pl.DataFrame:
    """The remembered commits of positions that this batch says nothing about, as rows like those of `applied`."""
    those = positions.join(applied.select(KEY).unique(), on=KEY, how="anti")
    rows = those.select(*KEY, _commit="window").explode("_commit").drop_nulls("_commit").unnest("_commit")
    after = pl.col("log_offset").shift(-1).over(KEY)
    before_ms, before_run = pl.col("commit_ms").shift(1).over(KEY), pl.col("run").shift(1).over(KEY)
    return rows.with_columns(
        is_tombstone=False,
        is_new=False,
        prev_commit_ms=before_ms,
        prev_run=before_run,
        next_log_offset=after,
        next_is_new=False,
        _follows=before_ms.is_not_null(),
    )


def _spans(rows: pl.DataFrame, records: pl.DataFrame) -> pl.Series:
    """True where one of the group's records lies behind the commit and before the next one of the position.

    Pairs of two remembered commits were looked at when the second was new.
    """
    names = pl.concat([rows["group_id"], records["group_id"]]).cast(pl.Categorical).to_physical().to_numpy()
    _, codes = np.unique(names, return_inverse=True)
    of_rows, of_records = codes[: len(rows)].astype(np.int64), codes[len(rows) :].astype(np.int64)
    offsets = records["log_offset"].to_numpy()
    begins, ends = rows["log_offset"].to_numpy(), rows["next_log_offset"].fill_null(_FOREVER).to_numpy()
    # Group and offset as one number each would overflow for long logs: ranks of the offsets do as well.
    order = np.unique(offsets)
    width = len(order) + 1
    places = np.sort(of_records * width + np.searchsorted(order, offsets))
    first = np.searchsorted(places, of_rows * width + np.searchsorted(order, begins, side="right"))
    last = np.searchsorted(places, of_rows * width + np.searchsorted(order, ends, side="left"))
    is_settled = ~rows["next_is_new"].to_numpy() & rows["next_log_offset"].is_not_null().to_numpy()
    return pl.Series((last > first) & ~is_settled)


def _with_usual(chosen: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """`usual_ms`: of the intervals up to the commit, among the last `WINDOW` of its position and in its run."""
    if chosen.is_empty():
        return chosen.with_columns(usual_ms=pl.lit(None, pl.Int64))
    interval = rows.select(
        pl.when(pl.col("prev_run") == pl.col("run")).then(pl.col("commit_ms") - pl.col("prev_commit_ms"))
    ).to_series()
    known = interval.fill_null(_UNKNOWN).to_numpy()
    # How far back the same position, the same run and no tombstone reach.
    broken = (~rows["_follows"].fill_null(False) | interval.is_null()).to_numpy()
    run_starts = np.maximum.accumulate(np.where(broken, np.arange(len(rows)), 0))
    ends = chosen["_row"].to_numpy().astype(np.int64)
    window: npt.NDArray[np.int64] = ends[:, None] - np.arange(WINDOW - 1)[None, :]
    inside = window > run_starts[ends][:, None]
    values = np.where(inside, known[np.maximum(window, 0)], _UNKNOWN)
    values.sort(axis=1)
    counts = inside.sum(axis=1)
    usual = values[np.arange(len(ends)), np.maximum(counts - 1, 0) // 2]
    return chosen.with_columns(usual_ms=pl.Series(usual).replace(_UNKNOWN, None).cast(pl.Int64))


def _pairs(rows: pl.DataFrame, current_run: int) -> pl.DataFrame:
    is_open = pl.col("next_log_offset").is_null()
    return rows.with_columns(
        same_run=pl.when(is_open).then(pl.col("run") == current_run).otherwise(pl.col("run") == pl.col("next_run"))
    ).select(_PAIR)
