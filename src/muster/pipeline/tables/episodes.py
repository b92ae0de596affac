"""`g_rebalance_episode`: rebalances that belong together, and what they were as a whole.

| kind | when |
|---|---|
| single | one rebalance |
| cooperative | a cooperative protocol's follow-up rounds: only the first changed the membership |
| rolling_restart | everybody who was there at the start went, and at least as many came |
| storm | more of them than `storm_rebalances`, none of the above |
| several | the rest |
"""

from __future__ import annotations

import polars as pl

from muster.pipeline.tables.columns import GROUP, Column, Frame, conform
from muster.pipeline.tables.settings import GoldSettings

_COOPERATIVE_PROTOCOLS = ("compatible", "sessioned")
"""Connect's; consumers' say so in their name."""
_COOPERATIVE_ROUNDS = 3


def rebalance_episodes(rebalances: Frame, settings: GoldSettings) -> Frame:
    joined, gone = pl.col("joined"), pl.col("gone")
    came, went = joined.explode().drop_nulls(), gone.explode().drop_nulls()
    changes = joined.list.len().fill_null(0) + gone.list.len().fill_null(0)
    rows = (
        rebalances.sort("ended_ms", "generation")
        .group_by(*GROUP, "episode", maintain_order=True)
        .agg(
            causes=pl.col("cause").unique(maintain_order=True),
            started_ms=pl.coalesce("started_ms", "ended_ms").min(),
            ended_ms=pl.col("ended_ms").max(),
            n_rebalances=pl.len(),
            pause_max_ms=pl.col("pause_max_ms").max(),
            _protocol=pl.col("protocol").last().fill_null("").str.to_lowercase(),
            _later_changes=changes.slice(1).sum(),
            _at_first=pl.col("members_before").first().fill_null(0),
            _came=came.unique(),
            _went=went.unique(),
        )
    )
    return conform(rows.with_columns(kind=_kind(settings)), "g_rebalance_episode")


def _kind(settings: GoldSettings) -> Column:
    protocol, n = pl.col("_protocol"), pl.col("n_rebalances")
    cooperative = protocol.str.contains("cooperative", literal=True) | protocol.is_in(_COOPERATIVE_PROTOCOLS)
    # Those who came and went again within the episode are neither the old fleet nor the new one.
    old_gone = pl.col("_went").list.set_difference("_came").list.len()
    new_here = pl.col("_came").list.set_difference("_went").list.len()
    at_first = pl.col("_at_first")
    everybody = (at_first > 0) & (old_gone >= at_first) & (new_here >= at_first)
    return (
        pl.when(n == 1)
        .then(pl.lit("single"))
        .when(cooperative & (n <= _COOPERATIVE_ROUNDS) & (pl.col("_later_changes") == 0))
        .then(pl.lit("cooperative"))
        .when(everybody)
        .then(pl.lit("rolling_restart"))
        .when(n >= settings.storm_rebalances)
        .then(pl.lit("storm"))
        .otherwise(pl.lit("several"))
    )
