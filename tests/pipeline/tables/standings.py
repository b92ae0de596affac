"""Positions as plain values, and what the rules over columns say of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

import polars as pl

from muster.pipeline.tables.burrow import with_burrow_status
from muster.pipeline.tables.settings import GoldSettings
from muster.pipeline.tables.status_rules import with_verdicts
from muster.pipeline.tables.windows import with_lag_trend, with_rewinds, with_window_facts
from tests.pipeline.oracle.burrow_rule import Window
from tests.pipeline.oracle.verdict import Standing

_LONGS = pl.List(pl.Int64)
_KINDS: dict[str, pl.DataType | type[pl.DataType]] = {
    **dict.fromkeys(("committed", "end", "log_start", "lag", "stable_lag", "eta_ms", "empty_since_ms"), pl.Int64),
    **dict.fromkeys(("consume_rate", "produce_rate"), pl.Float64),
    **dict.fromkeys(("method", "owner", "state"), pl.String),
    **dict.fromkeys(("subscribed", "assignment_known"), pl.Boolean),
    **dict.fromkeys(("offsets", "times", "lags", "sure_lags", "ends"), _LONGS),
    "n_members": pl.Int32,
    "last_end_ms": pl.Int64,
}
_NAMES = {"group_state": "state"}


def verdicts(standings: Sequence[Standing], settings: GoldSettings) -> list[tuple[str, str]]:
    """Status and evidence of each."""
    rows = with_lag_trend(_frame([_row(standing) for standing in standings]), settings.allowed_lag)
    return with_verdicts(rows, settings).select("status", "evidence").rows()


def burrow_statuses(
    windows: Sequence[tuple[Window, Sequence[int], int | None, int | None]], settings: GoldSettings
) -> list[str | None]:
    """Of windows with the ends of their partition, their end now, and what is committed."""
    rows = _frame(
        [
            {**_window(window), "ends": list(ends), "end": end, "committed": committed}
            for window, ends, end, committed in windows
        ]
    )
    return with_burrow_status(rows, settings)["burrow_status"].to_list()


def _row(standing: Standing) -> dict[str, object]:
    plain = {
        each.name: getattr(standing, each.name) for each in fields(standing) if each.name not in ("window", "at_ms")
    }
    return {**{_NAMES.get(name, name): value for name, value in plain.items()}, **_window(standing.window)}


def _window(window: Window) -> dict[str, object]:
    lists = {name: list(values) for name, values in window._asdict().items()}
    return {**lists, "sure_lags": lists["lags"]}


def _frame(rows: list[dict[str, object]]) -> pl.DataFrame:
    columns = {name: [row.get(name) for row in rows] for name in _KINDS}
    return with_rewinds(with_window_facts(pl.DataFrame(columns, schema=_KINDS)))
