"""`g_status`: Burrow's word and ours for every partition of every group. The rules are in `burrow` and `status_rules`."""

from __future__ import annotations

from typing import Any

import polars as pl

from muster.pipeline.tables.burrow import Window, burrow_status
from muster.pipeline.tables.columns import GROUP, Frame, conform, schema_of
from muster.pipeline.tables.settings import GoldSettings
from muster.pipeline.tables.status_rules import Standing, verdict

_NEEDED = (
    "committed",
    "end",
    "log_start",
    "lag",
    "stable_lag",
    "method",
    "owner",
    "consume_rate",
    "produce_rate",
    "eta_ms",
    "state",
    "n_members",
    "empty_since_ms",
    "subscribed",
    "assignment_known",
    "last_end_ms",
    "ends",
    "offsets",
    "times",
    "lags",
)
_JUDGED = ("burrow_status", "status", "evidence")
_PORTION = 50_000
"""Rows that are Python objects at a time."""


def judged_statuses(rows: Frame, states: Frame, settings: GoldSettings) -> Frame:
    """`rows` are those of `g_lag` with their last commits (offsets, times, lags) and the last `ends` of their partition."""
    group = states.select(*GROUP, "state", "n_members", "topics", "empty_since_ms", "type", "protocol_type")
    rows = rows.join(group, on=GROUP, how="left").with_columns(
        subscribed=pl.col("topics").list.contains(pl.col("topic")),
        # Only the consumer protocol's assignments can be read (trap 14), and KIP-848 ones are not kept by partition.
        assignment_known=(pl.col("type") == "classic") & (pl.col("protocol_type") == "consumer"),
    )
    judged = [_judged(portion.select(_NEEDED), settings) for portion in rows.iter_slices(_PORTION)]
    if not judged:
        return conform(rows.with_columns(pl.lit(None).alias(name) for name in _JUDGED), "g_status")
    return conform(pl.concat([rows, pl.concat(judged)], how="horizontal"), "g_status")


def _judged(rows: Frame, settings: GoldSettings) -> Frame:
    kinds = {name: schema_of("g_status")[name] for name in _JUDGED}
    return pl.DataFrame([_judge(row, settings) for row in rows.iter_rows()], schema=kinds, orient="row")


def _judge(row: tuple[Any, ...], settings: GoldSettings) -> tuple[str | None, str, str]:
    """Burrow's word, ours and its evidence. Without a position or an end Burrow has nothing to say."""
    ends, offsets, times, lags = row[-4:]
    facts: tuple[Any, ...] = (*row[:-4], Window(offsets or (), times or (), lags or ()), settings.now_ms)
    known = Standing(*facts)
    status, evidence = verdict(known, settings.allowed_lag, settings.stop_after_ms)
    return _burrow(known, ends or [], settings), status, evidence


def _burrow(known: Standing, ends: list[int], settings: GoldSettings) -> str | None:
    if known.committed is None or known.end is None:
        return None
    expired_ms = settings.now_ms - settings.burrow_expire_group_ms
    window = known.window
    if window.times and min(window.times) < expired_ms:
        fresh = [row for row in zip(*window, strict=True) if row[1] >= expired_ms]
        window = Window(*(zip(*fresh, strict=True) if fresh else ((), (), ())))
    if not window.offsets:
        return None  # Burrow has purged it and answers 404
    return burrow_status(
        window,
        ends,
        max(0, known.end - window.offsets[-1]),
        settings.now_ms,
        allowed_lag=settings.allowed_lag,
        complete=len(window.offsets) / settings.burrow_intervals,
        minimum_complete=settings.burrow_minimum_complete,
    )
