"""`s_pending_offset`: offsets that open transactions want to commit. They do not count yet (traps 5 and 6)."""

from __future__ import annotations

from typing import Final

import polars as pl

from muster.pipeline.tables.columns import LOG, Frame, conform

_OF_PRODUCER: Final = (*LOG, "group_id", "topic", "partition", "producer_id")


def pending_offsets(waiting: Frame) -> Frame:
    """`waiting` has the log partition of each position, its name and, in `pending`, its pending records.

    A transaction that asks for a position again replaces what it wanted before, so its last record is the one that will count.
    """
    named = waiting.select(*LOG, "group_id", "topic", "partition", "pending")
    rows = named.explode("pending").unnest("pending").filter(~pl.col("is_tombstone"))
    newest = (
        rows.sort("log_offset")
        .group_by(_OF_PRODUCER, maintain_order=True)
        .agg(
            pl.col("log_offset", "leader_epoch", "metadata", "commit_ms").last(),
            pending_offset=pl.col("committed_offset").last(),
            since_ms=pl.col("record_ms").min(),
        )
    )
    return conform(newest, "s_pending_offset")
