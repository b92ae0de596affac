"""`g_rebalance_pause`: which partitions paused around a rebalance, for how long, and whose they are since.

A row a rebalance and partition whose commits came later than usual (`commit_pauses` measures it); those that went on have none.
"""

from __future__ import annotations

import polars as pl

from muster.pipeline.tables.columns import GROUP, Frame

_REBALANCE = "_rebalance"
_OWNED = (*GROUP, "log_offset", "topic", "partition")


def owned_pauses(changes: Frame, gaps: Frame, owners: Frame) -> Frame:
    """`owners` say who was given a partition (group, topic, partition) by the record at `log_offset`."""
    which = changes.select(_REBALANCE, "group_life", "generation", "ended_ms", "log_offset")
    return (
        gaps.filter(pl.col("pause_ms") > 0)
        .join(which, on=_REBALANCE)
        .join(owners, on=_OWNED, how="left")
        .with_columns(last_commit_ms="commit_ms")
    )
