"""Which minutes of a stretch have a row in the history, which of them are known for good, and what has to be remembered. Pure."""

from __future__ import annotations

from typing import Final

import polars as pl

from muster.core.time_units import MINUTE_MS
from muster.pipeline.tables.settings import GoldSettings

_OFTEN_MS: Final = 5 * MINUTE_MS
_SELDOM_MS: Final = 60 * MINUTE_MS


def minutes_of(stretches: pl.DataFrame, settings: GoldSettings) -> tuple[pl.DataFrame, pl.DataFrame]:
    """(rows of the history, stretches to remember).

    `stretches` have the columns of `MINUTE`, `read_ms` (how far the log was read, where the stretch has not ended), `known_ms` (up
    to when the end of their partition is known) and `end_row` (null: it has no end). The rows have also `moment_ms`, `is_known` and
    `is_silent`: the minute is not that of the commit.
    """
    still_ms = settings.now_ms - settings.history_ms
    ended = pl.col("until_ms").is_not_null()
    rows = stretches.filter(~ended | (pl.col("until_ms") >= still_ms)).with_columns(
        sure_ms=pl.when(ended).then("known_ms").otherwise(pl.min_horizontal("known_ms", "read_ms"))
    )
    own = rows.with_columns(is_silent=pl.lit(False))
    minutes = pl.concat([own, *_silent(own, settings, still_ms)])
    minutes = minutes.filter(
        (pl.col("minute_ms") >= still_ms) & (pl.col("minute_ms") > pl.col("marked_ms")).fill_null(True)
    )
    whole = pl.col("minute_ms") + MINUTE_MS
    return minutes.with_columns(
        moment_ms=pl.min_horizontal(whole, settings.now_ms), is_known=whole <= pl.col("sure_ms")
    ), _remembered(rows, ended)


def _silent(rows: pl.DataFrame, settings: GoldSettings, still_ms: int) -> list[pl.DataFrame]:
    """The minutes between this commit and the next, thinned out; none behind the newest sample, where nothing is known."""
    known = rows.filter(pl.col("end_row").is_not_null()).with_columns(
        _until=pl.min_horizontal(pl.col("until_ms").fill_null(settings.now_ms + MINUTE_MS), "known_ms"),
        # What is older is not shown, and what is marked has its row: no need to write it down first.
        _from=pl.max_horizontal("minute_ms", "marked_ms", still_ms - _SELDOM_MS),
    )
    hour = pl.col("minute_ms") + _SELDOM_MS
    often = _marks(known, pl.col("_from"), pl.min_horizontal(hour, "_until"), _OFTEN_MS)
    seldom = _marks(known, pl.max_horizontal(hour, "_from"), pl.col("_until"), _SELDOM_MS)
    return [marks.with_columns(is_silent=pl.lit(True)).select(rows.columns) for marks in (often, seldom)]


def _marks(rows: pl.DataFrame, after: pl.Expr, before: pl.Expr, step_ms: int) -> pl.DataFrame:
    """Multiples of the step between the two, without either."""
    rows = rows.with_columns(_first=after - after % step_ms + step_ms, _before=before)
    rows = rows.filter(pl.col("_first") < pl.col("_before"))
    return rows.with_columns(minute_ms=pl.int_ranges("_first", "_before", step_ms)).explode("minute_ms")


def _remembered(rows: pl.DataFrame, ended: pl.Expr) -> pl.DataFrame:
    """Stretches that have ended and have minutes that are not known yet, and all others of which some minutes are."""
    sure = pl.col("sure_ms") - pl.col("sure_ms") % MINUTE_MS - MINUTE_MS
    marked = pl.when(sure >= pl.col("minute_ms")).then(pl.max_horizontal(sure, "marked_ms")).otherwise("marked_ms")
    rows = rows.with_columns(marked_ms=marked)
    waits = pl.when(ended).then(pl.col("until_ms") > pl.col("known_ms")).otherwise(pl.col("marked_ms").is_not_null())
    return rows.filter(waits)
