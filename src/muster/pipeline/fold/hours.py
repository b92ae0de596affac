"""`g_hot_committers`: who writes how much into the coordinator's log, hour by hour, and how much of it says nothing new.

A commit of the same offset again is useless as progress, though Java clients send it as a sign of life (trap 11). An hour is
kept in the state until the log has gone on for two more hours; then its rows are finished. Survivors of compaction are no rate
(trap 3): a hole takes the commits before it out of the hours that are still open at the hole.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl

from muster.core.time_units import HOUR_MS
from muster.pipeline.fold.extent import Runs

GRACE_MS: Final = 2 * HOUR_MS
"""How long after its end an hour still takes commits that come late."""
_RECORD_FRAMING: Final = 8
"""Length, attributes, deltas and sizes of a record in a batch; the batch header is shared and left out."""
_HOUR: Final = ("group_id", "hour_ms")
_SUMS: Final = ("commits", "useless", "bytes", "progress", "steps")


def fold_hours(
    hours: pl.DataFrame, commits: pl.DataFrame, applied: pl.DataFrame, runs: Runs, newest_ms: int
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """(hours that stay open, hours that are finished), both with the sums of the state kind `hour`.

    `commits` are all new commits, those of open transactions too; `applied` are the rows of `fold_commits`.
    """
    written = _in_open_hours(commits.filter(~pl.col("is_tombstone")), runs)
    counted = _in_open_hours(applied.filter(pl.col("is_new") & ~pl.col("is_tombstone")), runs)
    sums = pl.concat([_without_holes(hours, runs), _written(written), _progress(counted)])
    sums = sums.group_by(_HOUR, maintain_order=True).agg(pl.col(_SUMS).sum())
    is_open = pl.col("hour_ms") + HOUR_MS + GRACE_MS > newest_ms
    return sums.filter(is_open).select(hours.columns), sums.filter(~is_open)


def hot_committers(hours: pl.DataFrame) -> pl.DataFrame:
    """Columns of `g_hot_committers` of hours that one log partition has in full."""
    of_partition = pl.col("commits").sum().over("hour_ms")
    return hours.with_columns(
        useless_share=pl.col("useless") / pl.col("commits"),
        records_per_commit=pl.when(pl.col("steps") > 0).then(pl.col("progress") / pl.col("steps")),
        share_of_log_partition=pl.col("commits") / of_partition,
    ).filter(pl.col("commits") > 0)


def _in_open_hours(commits: pl.DataFrame, runs: Runs) -> pl.DataFrame:
    """Without commits of an hour that a hole behind them has cut before it was finished."""
    rows = commits.with_columns(hour_ms=pl.col("record_ms") - pl.col("record_ms") % HOUR_MS)
    if not len(runs.starts):
        return rows
    behind = np.searchsorted(runs.starts, rows["log_offset"].to_numpy(), side="right")
    times = np.append(runs.start_times, np.iinfo(np.int64).max)[behind]
    return rows.filter(pl.Series(times) >= pl.col("hour_ms") + HOUR_MS + GRACE_MS)


def _without_holes(hours: pl.DataFrame, runs: Runs) -> pl.DataFrame:
    known = hours.select(*_HOUR, *_SUMS)
    if not len(runs.starts):
        return known
    return known.filter(pl.col("hour_ms") + HOUR_MS + GRACE_MS <= int(runs.start_times[0]))


def _written(commits: pl.DataFrame) -> pl.DataFrame:
    sums = commits.group_by(*_HOUR, "topic").agg(commits=pl.len().cast(pl.Int64), _values=_value_bytes().sum())
    nothing = pl.lit(0, pl.Int64)
    return sums.select(
        *_HOUR,
        "commits",
        useless=nothing,
        bytes=pl.col("commits") * _key_bytes() + pl.col("_values"),
        progress=nothing,
        steps=nothing,
    )


def _progress(applied: pl.DataFrame) -> pl.DataFrame:
    offset, previous = pl.col("committed_offset"), pl.col("prev_offset")
    nothing = pl.lit(0, pl.Int64)
    sums = applied.group_by(_HOUR).agg(
        useless=(offset == previous).fill_null(False).sum().cast(pl.Int64),
        progress=(offset - previous).clip(0).sum(),
        steps=previous.count().cast(pl.Int64),
    )
    return sums.select(*_HOUR, commits=nothing, useless="useless", bytes=nothing, progress="progress", steps="steps")


def _key_bytes() -> pl.Expr:
    """As OffsetCommitKey lays it out, and the record around key and value."""
    return 10 + _length("group_id") + _length("topic") + _RECORD_FRAMING


def _value_bytes() -> pl.Expr:
    """As OffsetCommitValue lays it out."""
    version = pl.col("value_version").fill_null(3)
    fixed = pl.when(version >= 4).then(25).when(version == 3).then(24).when(version == 1).then(28).otherwise(20)
    topic_id = pl.when((version >= 4) & pl.col("topic_id").is_not_null()).then(18).otherwise(0)
    return _length("metadata").fill_null(0) + fixed + topic_id


def _length(text: str) -> pl.Expr:
    return pl.col(text).str.len_bytes().cast(pl.Int64)
