"""`g_rebalance_pause` from all rebalances and assignments at once."""

from __future__ import annotations

import polars as pl

from muster.pipeline.tables.columns import GROUP, Frame, conform
from muster.pipeline.tables.rebalance_pauses import owned_pauses
from tests.pipeline.oracle.columns import no_rows

_OWNED = (*GROUP, "log_offset", "topic", "partition")


def rebalance_pauses(changes: Frame, gaps: Frame | None, assignments: Frame) -> Frame:
    """`changes` come from `group_changes`, `gaps` are what `CommitGaps` found around them."""
    if gaps is None:
        return no_rows("g_rebalance_pause")
    owners = assignments.group_by(_OWNED).agg(owner=pl.col("identity").min())
    return conform(owned_pauses(changes, gaps, owners), "g_rebalance_pause")
