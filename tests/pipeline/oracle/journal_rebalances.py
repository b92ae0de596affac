"""What a whole journal knows of each rebalance."""

from __future__ import annotations

from muster.pipeline.tables.columns import Frame
from muster.pipeline.tables.journal_rebalances import told_rounds


def journal_rebalances(journal: Frame) -> Frame:
    return told_rounds(journal)[0]
