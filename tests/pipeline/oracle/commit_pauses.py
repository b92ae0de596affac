"""Pauses around rebalances from all commits of a log: the pairs of neighbours that `tables.commit_pauses` judges."""

from __future__ import annotations

from typing import Final

import polars as pl

from muster.pipeline.tables.columns import GROUP, POSITION, Column, Frame
from muster.pipeline.tables.commit_pauses import pauses_around
from tests.pipeline.oracle.log_extent import with_runs

_REBALANCE: Final = "_rebalance"
USUAL_COMMITS: Final = 10
"""The usual interval is the lower median of those between so many commits, the last ones up to the pair."""


def commit_gaps(changes: Frame, commits: Frame, extent: Frame) -> Frame | None:
    """A row a rebalance and partition: pause_ms, and how long before its end the last commit came; None if there is none.

    `changes` are numbered by `numbered`, `commits` are finished, `extent` comes from `log_extent`.
    """
    asked = changes.filter(pl.col("end_offset").is_not_null()).select(*GROUP, _REBALANCE, "ended_ms", "end_offset")
    if asked.is_empty():
        return None
    usable = commits.filter("is_effective").join(asked.select(GROUP).unique(), on=GROUP, how="semi")
    return pauses_around(asked, commit_pairs(with_runs(usable, extent)))


def commit_pairs(commits: Frame) -> Frame:
    """Neighbouring commits of each position, with the interval that was usual up to the first of them (null: unknown).

    `commits` are all that count, with their `run`. A tombstone may end a pair and never begins one; neither it nor a hole lies
    between commits whose interval counts.
    """
    rows = commits.sort(*POSITION, "log_offset")
    follows = ~pl.col("is_tombstone") & ~pl.col("is_tombstone").shift().over(POSITION)
    interval = pl.col("commit_ms") - pl.col("commit_ms").shift().over(POSITION)
    same_run = pl.col("run") == pl.col("run").shift().over(POSITION)
    rows = rows.with_columns(_interval=pl.when(follows & same_run).then(interval)).with_columns(
        _stretch=pl.col("_interval").is_null().cum_sum()
    )
    rows = rows.with_columns(
        usual_ms=_lower_median("_interval").over(*POSITION, "_stretch").cast(pl.Int64),
        next_log_offset=pl.col("log_offset").shift(-1).over(POSITION),
        next_ms=pl.coalesce("commit_ms", "record_ms").shift(-1).over(POSITION),
        same_run=pl.col("run") == pl.col("run").shift(-1).over(POSITION),
    )
    return rows.filter(~pl.col("is_tombstone")).select(
        *POSITION, "log_offset", "commit_ms", "next_log_offset", "next_ms", "usual_ms", "same_run"
    )


def _lower_median(name: str) -> Column:
    return pl.col(name).rolling_quantile(0.5, interpolation="lower", window_size=USUAL_COMMITS - 1, min_samples=1)
