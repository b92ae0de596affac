"""`g_rebalance`: every completed generation with its cause, who and what moved, how long it took and who paused.

The log gives the rows, the journal what the log does not hold (analytics 2.6: join phase, trigger, reason). Keyed by (group_life,
generation), as generations start again when a group does (trap 31). Static members that came back are not here (trap 32).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from muster.pipeline.tables.columns import GROUP, Frame
from muster.pipeline.tables.settings import GoldSettings

ORDER: Final = ("ended_ms", "generation", "log_offset")
"""Of the rebalances of a group: as they ended."""


def with_episodes(changes: Frame, settings: GoldSettings, known: Frame | None = None) -> Frame:
    """Numbered within the group; a new one after a quiet time.

    `known` has a row for each group that had rebalances before these: `last_episode` and `last_ended_ms`.
    """
    rows = changes.sort(*GROUP, *ORDER)
    if known is None:
        known = (
            rows.select(GROUP)
            .clear()
            .with_columns(last_episode=pl.lit(1, pl.Int32), last_ended_ms=pl.lit(None, pl.Int64))
        )
    rows = rows.join(known, on=GROUP, how="left", maintain_order="left")
    ended_before = pl.coalesce(pl.col("ended_ms").shift().over(GROUP), "last_ended_ms")
    quiet_ms = pl.coalesce("started_ms", "ended_ms") - ended_before
    is_new = (quiet_ms >= settings.episode_gap_ms).fill_null(False).cast(pl.Int32)
    number = pl.col("_new").cum_sum().over(GROUP) + pl.col("last_episode").fill_null(1)
    return rows.with_columns(_new=is_new).with_columns(episode=number).drop("_new", "last_episode", "last_ended_ms")
