"""What gold needs to know of all commits, from finished `s_offset_commit`.

Nothing here looks at two commits at once: what depends on neighbours is already in each row.
"""

from __future__ import annotations

import polars as pl

from muster.pipeline.tables.columns import GROUP, POSITION, Column, Frame, conform, is_true


def current_offsets(commits: Frame) -> Frame:
    """`s_current_offset`: the newest record that counts, unless it is a tombstone (trap 1). What OffsetFetch answers."""
    return conform(commits.filter((pl.col("newer") == 0) & ~pl.col("is_tombstone")), "s_current_offset")


def progress_of(commits: Frame) -> Frame:
    """Whether any commit of a group ever moved on."""
    moved: Column = is_true(pl.col("committed_offset") > pl.col("prev_offset"))
    groups = commits.filter("is_effective").group_by(GROUP).agg(moved=moved.any())
    return groups.with_columns(pl.col(GROUP).cast(pl.String))


def positions_in_transactions(commits: Frame) -> Frame:
    """Positions that an open transaction wants to commit."""
    waiting = commits.filter(pl.col("txn_state") == "open").select(POSITION).unique()
    return waiting.with_columns(pl.col("cluster", "group_id", "topic").cast(pl.String))
