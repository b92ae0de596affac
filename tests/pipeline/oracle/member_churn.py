"""`g_member_churn` from all rebalances, generations and events at once."""

from __future__ import annotations

from muster.pipeline.tables.columns import Frame
from muster.pipeline.tables.member_churn import added_days, finished_days, rebalance_days, restart_days, told_days


def member_churn(rebalances: Frame, generations: Frame, journal: Frame) -> Frame:
    """A row a group and day on which something happened. Static restarts stand apart from joins and leaves."""
    return finished_days(added_days([rebalance_days(rebalances), restart_days(generations), told_days(journal)]))
