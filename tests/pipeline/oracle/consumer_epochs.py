"""Rebalances of KIP-848 groups from all records at once; the fold takes the same steps piece by piece."""

from __future__ import annotations

from muster.pipeline.tables.columns import Frame
from muster.pipeline.tables.consumer_epochs import (
    BUMP,
    arrivals,
    epoch_bumps,
    finished_bumps,
    member_events,
    with_ends,
    with_member_changes,
    with_overtaken,
)


def epoch_rebalances(group_epochs: Frame, member_epochs: Frame) -> Frame:
    """Columns of `g_rebalance` as far as the log knows them, and `end_offset`."""
    bumps = epoch_bumps(group_epochs)
    rows = with_member_changes(bumps, member_events(member_epochs))
    arrived = arrivals(bumps, member_epochs)
    return finished_bumps(with_overtaken(with_ends(rows.join(arrived, on=BUMP, how="left"))))
