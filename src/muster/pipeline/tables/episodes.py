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
_ORDER = ("ended_ms", "generation", "log_offset")


def episode_digests(rebalances: Frame) -> Frame:
    """A row a group and episode: what of its rebalances says what they were together."""
    came, went = (pl.col(name).explode().drop_nulls().unique().sort() for name in ("joined", "gone"))
    changes = pl.col("joined").list.len().fill_null(0) + pl.col("gone").list.len().fill_null(0)
    return (
        rebalances.sort(*GROUP, *_ORDER)
        .group_by(*GROUP, "episode", maintain_order=True)
        .agg(
            causes=pl.col("cause").unique(maintain_order=True),
            started_ms=pl.coalesce("started_ms", "ended_ms").min(),
            ended_ms=pl.col("ended_ms").max(),
            n_rebalances=pl.len().cast(pl.Int32),
            pause_max_ms=pl.col("pause_max_ms").max(),
            protocol=pl.col("protocol").last(),
            changes=changes.sum().cast(pl.Int64),
            first_changes=changes.first().cast(pl.Int64),
            at_first=pl.col("members_before").first().fill_null(0),
            came=came,
            went=went,
        )
    )


def joined_digests(earlier: Frame, later: Frame) -> Frame:
    """Digests of the same episodes put together: those of its first rebalances, then those of its last."""
    return (
        pl.concat([earlier, later], how="diagonal_relaxed")
        .group_by(*GROUP, "episode", maintain_order=True)
        .agg(
            causes=pl.col("causes").explode().unique(maintain_order=True),
            started_ms=pl.col("started_ms").min(),
            ended_ms=pl.col("ended_ms").max(),
            n_rebalances=pl.col("n_rebalances").sum(),
            pause_max_ms=pl.col("pause_max_ms").max(),
            protocol=pl.col("protocol").last(),
            changes=pl.col("changes").sum(),
            first_changes=pl.col("first_changes").first(),
            at_first=pl.col("at_first").first(),
            came=pl.col("came").explode().drop_nulls().unique().sort(),
            went=pl.col("went").explode().drop_nulls().unique().sort(),
        )
    )


def finished_episodes(digests: Frame, settings: GoldSettings) -> Frame:
    return conform(digests.with_columns(kind=_kind(settings)), "g_rebalance_episode")


def _kind(settings: GoldSettings) -> Column:
    protocol, n = pl.col("protocol").fill_null("").str.to_lowercase(), pl.col("n_rebalances")
    cooperative = protocol.str.contains("cooperative", literal=True) | protocol.is_in(_COOPERATIVE_PROTOCOLS)
    # Those who came and went again within the episode are neither the old fleet nor the new one.
    old_gone = pl.col("went").list.set_difference("came").list.len()
    new_here = pl.col("came").list.set_difference("went").list.len()
    at_first = pl.col("at_first")
    everybody = (at_first > 0) & (old_gone >= at_first) & (new_here >= at_first)
    return (
        pl.when(n == 1)
        .then(pl.lit("single"))
        .when(cooperative & (n <= _COOPERATIVE_ROUNDS) & (pl.col("changes") == pl.col("first_changes")))
        .then(pl.lit("cooperative"))
        .when(everybody)
        .then(pl.lit("rolling_restart"))
        .when(n >= settings.storm_rebalances)
        .then(pl.lit("storm"))
        .otherwise(pl.lit("several"))
    )
