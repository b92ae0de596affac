"""`g_hot_committers`: who writes how much into the coordinator's log, hour by hour, and how much of it says nothing new.

Only hours of whole history count: survivors of compaction are no rate (trap 3). A commit of the same offset again is useless as
progress, though Java clients send it as a sign of life (trap 11).
"""

from __future__ import annotations

import polars as pl

from muster.pipeline.tables.columns import GROUP, LOG, Column, Frame, conform

_HOUR_MS = 3_600_000
_RECORD_FRAMING = 8
"""Length, attributes, deltas and sizes of a record in a batch; the batch header is shared and left out."""
_HOUR = (*GROUP, "hour_ms", "log_partition")
_SUMS = ("commits", "useless", "bytes", "_progress", "_steps")


def hours_of(commits: Frame) -> Frame:
    """Sums a group, hour and topic: those of all topics are added up by `hot_committers`."""
    offset, previous = pl.col("committed_offset"), pl.col("prev_offset")
    hours = (
        commits.filter(pl.col("faithful") & ~pl.col("is_tombstone"))
        .with_columns(hour_ms=pl.col("record_ms") - pl.col("record_ms") % _HOUR_MS)
        .group_by(*_HOUR, "topic")
        .agg(
            commits=pl.len().cast(pl.Int64),
            useless=pl.col("is_duplicate").sum().cast(pl.Int64),
            _values=_value_bytes().sum(),
            _progress=(offset - previous).clip(0).sum(),
            _steps=previous.count().cast(pl.Int64),
        )
        .with_columns(pl.col("cluster", "group_id", "topic").cast(pl.String))
    )
    return hours.with_columns(bytes=pl.col("commits") * _key_bytes() + pl.col("_values")).select(*_HOUR, *_SUMS)


def hot_committers(hours: Frame) -> Frame:
    """`hours` come from `hours_of`."""
    rows = hours.group_by(_HOUR).agg(pl.col(_SUMS).sum())
    of_partition = pl.col("commits").sum().over(*LOG, "hour_ms")
    return conform(
        rows.with_columns(
            useless_share=pl.col("useless") / pl.col("commits"),
            records_per_commit=pl.when(pl.col("_steps") > 0).then(pl.col("_progress") / pl.col("_steps")),
            share_of_log_partition=pl.col("commits") / of_partition,
        ),
        "g_hot_committers",
    )


def _key_bytes() -> Column:
    """As OffsetCommitKey lays it out, and the record around key and value."""
    return 10 + _length("group_id") + _length("topic") + _RECORD_FRAMING


def _value_bytes() -> Column:
    """As OffsetCommitValue lays it out."""
    version = pl.col("value_version").fill_null(3)
    fixed = pl.when(version >= 4).then(25).when(version == 3).then(24).when(version == 1).then(28).otherwise(20)
    topic_id = pl.when((version >= 4) & pl.col("topic_id").is_not_null()).then(18).otherwise(0)
    return _length("metadata").fill_null(0) + fixed + topic_id


def _length(text: str) -> Column:
    return pl.col(text).str.len_bytes().cast(pl.Int64)
