"""`g_status`: Burrow's word and ours for every partition of every group. The rules are in `burrow` and `status_rules`."""

from __future__ import annotations

import polars as pl

from muster.pipeline.tables.burrow import with_burrow_status
from muster.pipeline.tables.columns import GROUP, Frame, conform
from muster.pipeline.tables.settings import GoldSettings
from muster.pipeline.tables.status_rules import with_verdicts
from muster.pipeline.tables.windows import with_lag_trend, with_rewinds, with_window_facts


def judged_statuses(rows: Frame, states: Frame, settings: GoldSettings) -> Frame:
    """`rows` are those of `g_lag` with their last commits (see `windows`), the last `ends` of their partition, and `last_end_ms`
    where its end is not known any more.
    """
    group = states.select(*GROUP, "state", "n_members", "topics", "empty_since_ms", "type", "protocol_type")
    rows = rows.join(group, on=GROUP, how="left", maintain_order="left").with_columns(
        subscribed=pl.col("topics").list.contains(pl.col("topic")),
        # Only the consumer protocol's assignments can be read (trap 14), and KIP-848 ones are not kept by partition.
        assignment_known=(pl.col("type") == "classic") & (pl.col("protocol_type") == "consumer"),
    )
    facts = with_lag_trend(with_rewinds(with_window_facts(rows)), settings.allowed_lag)
    return conform(with_burrow_status(with_verdicts(facts, settings), settings), "g_status")
