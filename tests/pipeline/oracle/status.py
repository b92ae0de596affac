"""`g_status` from whole tables."""

from __future__ import annotations

import polars as pl

from muster.pipeline.tables.columns import POSITION, Frame
from muster.pipeline.tables.settings import GoldSettings
from muster.pipeline.tables.status import judged_statuses
from tests.pipeline.oracle.columns import TOPIC_PARTITION
from tests.pipeline.oracle.end_offsets import last_sampled_ends


def statuses(lag: Frame, recent: Frame, states: Frame, samples: Frame, settings: GoldSettings) -> Frame:
    """`samples` are raw: Burrow's ring holds every poll, flat ones too."""
    ring = last_sampled_ends(samples, settings.burrow_intervals)
    rows = lag.join(_windows(recent), on=POSITION, how="left").join(ring, on=TOPIC_PARTITION, how="left")
    never_missed = pl.lit(None, pl.Int64).alias("last_end_ms")
    return judged_statuses(rows.with_columns(never_missed), states, settings)


def _windows(recent: Frame) -> Frame:
    """The last commits of each position as lists, newest last."""
    return recent.group_by(POSITION, maintain_order=True).agg(
        offsets="committed", times="commit_ms", lags="lag", sure_lags="sure_lag"
    )
