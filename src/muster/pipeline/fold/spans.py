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
_UNKNOWN: Final = np.iinfo(np.int64).max


def spanning_pairs(applied: pl.DataFrame, records: pl.DataFrame) -> pl.DataFrame:
    """`records` (group_id, log_offset) are the records of groups that pauses are asked for, `applied` the rows of `fold_commits`.

    Only pairs whose second commit is new: the others were looked at when theirs was.
    """
    groups = records.select("group_id").unique()
    rows = applied.with_row_index("_row")
    mine = rows.filter(pl.col("next_is_new") & ~pl.col("is_tombstone")).join(groups, on="group_id", how="semi")
    chosen = mine.filter(_spans(mine, records)) if not mine.is_empty() else mine
    same_run = pl.col("run") == pl.col("next_run")
    return _with_usual(chosen, applied).with_columns(same_run=same_run).select(_PAIR)


def _spans(rows: pl.DataFrame, records: pl.DataFrame) -> pl.Series:
    """True where one of the group's records lies behind the commit and before the next one of the position."""
    names = pl.concat([rows["group_id"], records["group_id"]]).cast(pl.Categorical).to_physical().to_numpy()
    _, codes = np.unique(names, return_inverse=True)
    of_rows, of_records = codes[: len(rows)].astype(np.int64), codes[len(rows) :].astype(np.int64)
    offsets = records["log_offset"].to_numpy()
    begins, ends = rows["log_offset"].to_numpy(), rows["next_log_offset"].to_numpy()
    # Group and offset as one number each would overflow for long logs: ranks of the offsets do as well.
    order = np.unique(offsets)
    width = len(order) + 1
    places = np.sort(of_records * width + np.searchsorted(order, offsets))
    first = np.searchsorted(places, of_rows * width + np.searchsorted(order, begins, side="right"))
    last = np.searchsorted(places, of_rows * width + np.searchsorted(order, ends, side="left"))
    return pl.Series(last > first)


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
