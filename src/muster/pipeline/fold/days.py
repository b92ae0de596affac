"""`g_member_churn` day by day: counts of a day are kept until nothing later can belong to it."""

from __future__ import annotations

from datetime import date
from typing import Final

import polars as pl

from muster.core.time_units import DAY_MS
from muster.pipeline.fold.group_frames import Clocks, Frames, of_kind
from muster.pipeline.tables.columns import Frame
from muster.pipeline.tables.member_churn import added_days, finished_days, rebalance_days, restart_days, told_days

_CLOSED_AFTER_MS: Final = 3 * DAY_MS
"""After its beginning: two days after its end."""


def fold_days(state: Frames, *, records: Frame | None, events: Frame | None) -> None:
    """Kind `day` of `state` is replaced. `records` are new finished generations, `events` those of the journal."""
    if events is not None:
        _add(state, told_days(events))
    if records is not None:
        _add(state, restart_days(records))


def count_closed(state: Frames, closed: Frame) -> None:
    """Rebalances that are closed count with their day for good."""
    _add(state, rebalance_days(closed))


def _add(state: Frames, new: Frame) -> None:
    if not new.is_empty():
        state["day"] = of_kind(added_days([state["day"].drop("log_partition"), new]), "day")


def close_days(state: Frames, clocks: Clocks) -> Frame:
    """`g_member_churn` of days that are over for good: their rebalances are closed long since."""
    days = state["day"]
    if days.is_empty() or not _is_any_old(days, clocks):
        return days.clear()
    begin_ms = pl.col("dt").str.to_date("%Y-%m-%d").cast(pl.Datetime("ms")).cast(pl.Int64)
    is_over = clocks.passed(begin_ms, _CLOSED_AFTER_MS, _CLOSED_AFTER_MS)
    state["day"] = days.filter(~is_over)
    return finished_days(days.filter(is_over))


def _is_any_old(days: Frame, clocks: Clocks) -> bool:
    oldest = date.fromisoformat(str(days["dt"].min()))
    at = pl.lit((oldest - date(1970, 1, 1)).days * DAY_MS)
    return bool(pl.select(clocks.passed(at, _CLOSED_AFTER_MS, _CLOSED_AFTER_MS)).item())
