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


_COMMIT: Final = {
    **dict.fromkeys(("cluster", "group_id", "topic"), pl.Categorical),
    **dict.fromkeys(("log_partition", "partition"), pl.Int32),
    **dict.fromkeys(("log_offset", "record_ms", "commit_ms"), pl.Int64),
    "is_tombstone": pl.Boolean,
}


class CommitGaps:
    """Told of finished commits part by part, it keeps pairs of neighbours between which a rebalance was written.

    Until `settle` is called, about 50 bytes are kept for each commit of a group that ever rebalanced.
    """

    def __init__(self, changes: Frame, extent: Frame) -> None:
        """`changes` are numbered by `numbered`, `extent` comes from `log_extent`."""
        asked = changes.filter(pl.col("end_offset").is_not_null())
        self._asked = asked.select(*GROUP, _REBALANCE, "ended_ms", "end_offset")
        self._groups = self._asked.select(GROUP).unique()
        self._extent = extent
        self._commits: list[Frame] = []
        self._gaps: list[Frame] = []

    def add(self, commits: Frame) -> None:
        if self._groups.is_empty():
            return
        usable = commits.filter("is_effective").with_columns(pl.col(GROUP).cast(pl.String))
        usable = usable.join(self._groups, on=GROUP, how="semi")
        self._commits.append(usable.select(pl.col(name).cast(kind) for name, kind in _COMMIT.items()))

    def settle(self) -> None:
        """All commits of all keys that were seen so far have passed: only the pairs around rebalances are kept."""
        if self._commits:
            commits = pl.concat(self._commits).with_columns(pl.col("cluster", "group_id", "topic").cast(pl.String))
            self._gaps.append(pauses_around(self._asked, commit_pairs(with_runs(commits, self._extent))))
            self._commits = []

    def gaps(self) -> Frame | None:
        """A row a rebalance and partition: pause_ms, and how long before its end the last commit came; None if there is none."""
        self.settle()
        return pl.concat(self._gaps) if self._gaps else None


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
