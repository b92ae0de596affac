"""What gold needs to know of millions of commits, gathered from finished `s_offset_commit` as it passes by, part after part.

Nothing here looks at two commits at once: what depends on neighbours is already in each row. So memory goes with positions, hours
and rebalances, not with the length of the log; `commit_pauses` is the exception.
"""

from __future__ import annotations

import polars as pl

from muster.pipeline.tables.columns import GROUP, POSITION, Column, Frame, conform, is_true
from tests.pipeline.oracle.columns import no_rows
from tests.pipeline.oracle.commit_pauses import CommitGaps
from tests.pipeline.oracle.hot_committers import hot_committers, hours_of
from tests.pipeline.oracle.recent_commits import recent_of


class CommitDigest:
    """`add` takes any part of `s_offset_commit`; the rest is asked when all parts have passed."""

    def __init__(self, changes: Frame, extent: Frame, intervals: int) -> None:
        """`changes` come from `group_changes`, `extent` from `log_extent`; `intervals` is how many commits of a position are
        looked at together.
        """
        self._gaps = CommitGaps(changes, extent)
        self._intervals = intervals
        nothing = no_rows("s_offset_commit")
        self._current = [_current_of(nothing)]
        self._recent = [recent_of(nothing, intervals)]
        self._hours = [hours_of(nothing)]
        self._progress = [_progress_of(nothing)]
        self._pending = [_pending_of(nothing)]

    def add(self, commits: Frame) -> None:
        self._current.append(_current_of(commits))
        self._recent.append(recent_of(commits, self._intervals))
        self._hours.append(hours_of(commits))
        self._progress.append(_progress_of(commits))
        self._pending.append(_pending_of(commits))
        self._gaps.add(commits)

    def settle(self) -> None:
        """All commits of all keys that were seen so far have passed."""
        self._gaps.settle()

    def current(self) -> Frame:
        """`s_current_offset`: the newest record that counts, unless it is a tombstone (trap 1). What OffsetFetch answers."""
        return pl.concat(self._current)

    def recent(self) -> Frame:
        return pl.concat(self._recent)

    def hot_committers(self) -> Frame:
        return hot_committers(self._hours)

    def progress(self) -> Frame:
        """Whether any commit of a group ever moved on."""
        return pl.concat(self._progress).group_by(GROUP).agg(pl.col("moved").any())

    def pending(self) -> Frame:
        """Positions that an open transaction wants to commit."""
        return pl.concat(self._pending).unique()

    def gaps(self) -> Frame | None:
        return self._gaps.gaps()


def _current_of(commits: Frame) -> Frame:
    return conform(commits.filter((pl.col("newer") == 0) & ~pl.col("is_tombstone")), "s_current_offset")


def _progress_of(commits: Frame) -> Frame:
    moved: Column = is_true(pl.col("committed_offset") > pl.col("prev_offset"))
    groups = commits.filter("is_effective").group_by(GROUP).agg(moved=moved.any())
    return groups.with_columns(pl.col(GROUP).cast(pl.String))


def _pending_of(commits: Frame) -> Frame:
    waiting = commits.filter(pl.col("txn_state") == "open").select(POSITION).unique()
    return waiting.with_columns(pl.col("cluster", "group_id", "topic").cast(pl.String))
