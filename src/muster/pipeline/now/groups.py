"""The tables of now of whole log partitions: positions that know their ends meet the facts of their groups. Pure.

The tables themselves are functions of frames in `pipeline.tables`; here they are given what they ask for. That they are not
expressions in Spark is for the young Java: a plan of two hundred expressions takes it seven seconds, whatever the number of rows.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from muster.core.internal_topics import CONSUMER_OFFSETS
from muster.pipeline.now.input import PLACE
from muster.pipeline.tables.abandoned import abandoned_groups
from muster.pipeline.tables.columns import GROUP, POSITION, Frame, conform
from muster.pipeline.tables.expiry import offset_expiry
from muster.pipeline.tables.group_lag import group_lag
from muster.pipeline.tables.lag import faithful_since, finished_lag
from muster.pipeline.tables.pending_offsets import pending_offsets
from muster.pipeline.tables.settings import GoldSettings
from muster.pipeline.tables.status import judged_statuses

OF_GROUPS: Final = (
    *("g_lag", "g_status", "g_expiry", "s_current_offset", "s_pending_offset", "g_group_lag", "g_abandoned"),
    "g_data_quality",
)
"""Tables that are made here."""


def tables_of_groups(
    positions: Frame, groups: Frame, extents: Frame, held: Frame, settings: GoldSettings
) -> dict[str, Frame]:
    """`positions` as `stand` gives them, `held` those of the state: pending offsets may be there before any position is."""
    states = groups.filter(pl.col("type").is_not_null())
    current = positions.filter(pl.col("log_offset").is_not_null())
    offsets = conform(current, "s_current_offset")
    lag = _lag(positions, states, extents, settings)
    return {
        "g_lag": lag,
        "g_status": _statuses(lag, positions, states, settings),
        "g_expiry": offset_expiry(offsets, states, current.filter("is_pending"), lag, settings),
        "s_current_offset": offsets,
        "s_pending_offset": pending_offsets(held.filter(pl.col("pending").list.len() > 0)),
        "g_group_lag": group_lag(lag),
        "g_abandoned": abandoned_groups(offsets, states, groups.select(*GROUP, "moved"), lag, settings),
        "g_data_quality": _quality(extents),
    }


def _lag(positions: Frame, states: Frame, extents: Frame, settings: GoldSettings) -> Frame:
    whole = faithful_since(extents)
    positioned = pl.col("committed_offset") >= 0
    # Of a position that is not there nobody asks how much of its past is known.
    has_past = pl.when(pl.col("log_offset").is_not_null()).then("faithful_ms")
    rows = (
        positions.join(_owners(states), on=POSITION, how="left")
        .join(states.select(*GROUP, "n_members"), on=GROUP, how="left")
        .join(whole, on=PLACE, how="left")
        .with_columns(
            committed=pl.when(positioned).then("committed_offset"),
            # -1 is no position: nothing was said at that time that could become old.
            commit_ms=pl.when(positioned).then("commit_ms"),
            faithful_ms=has_past,
        )
        .with_row_index("row")
    )
    rates = _consume_rates(rows.join(_faithful_from(extents), on=PLACE, how="left"), settings.rate_window_ms)
    return finished_lag(rows.join(rates, on="row", how="left"), settings)


def _owners(states: Frame) -> Frame:
    owned = states.filter((pl.col("type") == "classic") & (pl.col("n_members") > 0)).select(*GROUP, "owners")
    owned = owned.explode("owners", empty_as_null=False, keep_nulls=False).unnest("owners")
    return owned.group_by(POSITION).agg(pl.col("owner").min())


def _faithful_from(extents: Frame) -> Frame:
    return extents.filter(pl.col("log_topic") == CONSUMER_OFFSETS).select(*PLACE, "faithful_from")


def _consume_rates(rows: Frame, window_ms: int) -> Frame:
    """Over the last commits, as far as no compaction has thinned them (trap 3); a rewind is no speed."""
    commits = rows.select("row", "faithful_from", "log_offsets", "offsets", "times").explode(
        "log_offsets", "offsets", "times", empty_as_null=False, keep_nulls=False
    )
    commits = commits.with_columns(faithful=(pl.col("log_offsets") >= pl.col("faithful_from")).fill_null(False))
    ms, offset = pl.col("times"), pl.col("offsets")
    counts = pl.col("faithful") & (ms >= ms.last() - window_ms)
    took = ms.last() - ms.filter(counts).first()
    rate = (offset.last() - offset.filter(counts).first()) * 1000.0 / took
    is_speed = pl.col("faithful").last() & (took > 0) & (rate >= 0)
    return commits.group_by("row", maintain_order=True).agg(consume_rate=pl.when(is_speed).then(rate))


def _statuses(lag: Frame, positions: Frame, states: Frame, settings: GoldSettings) -> Frame:
    known = positions.select(*POSITION, "last_end_ms", "ends", "offsets", "times", "lags", "sure_lags")
    return judged_statuses(lag.join(known, on=POSITION, how="left"), states, settings)


def _quality(extents: Frame) -> Frame:
    counted = ("records", "unknown_records", "quarantined", "gaps")
    open_producers = pl.col("open_producers").list.len().fill_null(0)
    rows = extents.with_columns(pl.col(counted).fill_null(0), open_transactions=open_producers)
    return conform(rows, "g_data_quality")
