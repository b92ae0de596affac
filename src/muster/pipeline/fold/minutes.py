"""Minutes of the lag history: which committed offset held from which minute to which, for each commit that outlived its minute."""

from __future__ import annotations

import polars as pl

from muster.core.time_units import MINUTE_MS
from muster.pipeline.fold.commits import KEY
from muster.pipeline.now.schema import stretches_by


def minutes_of(applied: pl.DataFrame) -> pl.DataFrame:
    """By position, its commits whose successor is new and lies in a later minute. A tombstone ends the position and is none.

    `applied` are the rows of `fold_commits`, the result has the columns of `MINUTE` that tell of a position.
    """
    minute, until = _minute(pl.col("commit_ms")), _minute(pl.col("next_ms"))
    counts = pl.col("next_is_new") & ~pl.col("is_tombstone") & (pl.col("committed_offset") >= 0)
    stretches = applied.filter(counts & (until > minute)).select(
        *KEY,
        "log_offset",
        committed="committed_offset",
        minute_ms=minute,
        until_ms=until,
        marked_ms=pl.lit(None, pl.Int64),
    )
    return stretches_by(stretches, KEY)


def _minute(ms: pl.Expr) -> pl.Expr:
    return ms - ms % MINUTE_MS
