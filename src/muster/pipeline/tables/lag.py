"""`g_lag`: where each group stands in each partition now, in records and in time, how fast it goes, who owns it.

Rows are all positions that were ever committed and still count, and every partition of a topic that the group commits to or
subscribes to: a partition that was added and never read has no position, which is not a lag of its end (traps 18 and 21).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from muster.core.internal_topics import CONSUMER_OFFSETS
from muster.pipeline.tables.columns import Column, Frame, conform, is_true
from muster.pipeline.tables.settings import GoldSettings

_TIME_LAG: Final = ("time_lag_lo_ms", "time_lag_hi_ms", "time_lag_est_ms")


def finished_lag(rows: Frame, settings: GoldSettings) -> Frame:
    """`g_lag` of rows that have what is looked up elsewhere: newest end, brackets, rates, owner, `n_members`, `faithful_ms`."""
    rows = rows.with_columns(lag_raw=pl.col("leo") - pl.col("committed"))
    rows = rows.with_columns(
        lag=_unread_before(pl.col("leo")),
        stable_lag=_unread_before(pl.coalesce("readable_end", "lso")),
        stable_end="lso",
    )
    rows = rows.with_columns(nothing_left=is_true(pl.col("stable_lag") == 0) & is_true(pl.col("lso") >= pl.col("leo")))
    return conform(_finished(rows.with_columns(method=_method(settings.clock_skew_ms)), settings), "g_lag")


def _unread_before(end: Column) -> Column:
    """Records that deletion took can no longer be read (trap 25). Null where there is no position, or no end."""
    unread = pl.max_horizontal(end - pl.max_horizontal("committed", "log_start"), 0)
    return pl.when(pl.col("lag_raw").is_not_null() & end.is_not_null()).then(unread)


def _method(skew_ms: int) -> Column:
    # A commit that is younger than the sample may lie behind it rightly: only an older one is ahead of the end (trap 20), and
    # only if no difference of the two clocks explains it (trap 19).
    ahead = (pl.col("lag_raw") < 0) & (pl.col("begin_ms") > pl.col("commit_ms") + skew_ms)
    return (
        pl.when(pl.col("committed").is_null())
        .then(pl.lit("no_position"))
        .when(pl.col("leo").is_null())
        .then(pl.lit("no_end"))
        .when(ahead)
        .then(pl.lit("ahead"))
        # Only markers and what was aborted lie behind its offset: no record waits for the group (trap 9).
        .when("nothing_left")
        .then(pl.lit("caught_up"))
        .otherwise("time_lag_method")
    )


def faithful_since(extent: Frame) -> Frame:
    """Since when nothing is missing in each log partition: since ever, if it was read from its very beginning."""
    whole = pl.col("faithful_from") == 0
    return extent.filter(pl.col("log_topic") == CONSUMER_OFFSETS).select(
        "cluster", "log_partition", faithful_ms=pl.when(whole).then(0).otherwise("faithful_from_ms")
    )


def _finished(rows: Frame, settings: GoldSettings) -> Frame:
    faster = pl.col("consume_rate") - pl.col("produce_rate").fill_null(0.0)
    eta = (
        pl.when((pl.col("lag") == 0) | pl.col("nothing_left"))
        .then(0.0)
        # Whoever has left reads nothing any more, however fast it was.
        .when((faster > 0) & ~is_true(pl.col("n_members") == 0))
        .then(pl.col("lag") * 1000 / faster)
    )
    positioned = pl.col("committed").is_not_null() & pl.col("leo").is_not_null()
    at = pl.col("end_ms").fill_null(settings.now_ms)
    share = ((at - pl.col("faithful_ms")) / settings.rate_window_ms).clip(0.0, 1.0)
    there = positioned & (pl.col("method") != "ahead")
    waited = {name: pl.when("nothing_left").then(0).otherwise(name) for name in _TIME_LAG}
    times = {name: pl.when(there).then(waited[name]) for name in _TIME_LAG}
    # What was unread at that commit is no longer there: how old it was is not known any more, which is not that it was young.
    deleted = is_true(pl.col("committed") < pl.col("log_start"))
    late = {name: pl.when(positioned & ~deleted).then(name) for name in ("lag_at_commit_lo_ms", "lag_at_commit_hi_ms")}
    return rows.with_columns(
        **times,
        **late,
        at_ms=pl.col("end_ms"),
        end=pl.col("leo"),
        # A position that is not there has no speed, whatever was committed before.
        consume_rate=pl.when(pl.col("committed").is_not_null()).then("consume_rate"),
        commit_age_ms=(settings.now_ms - pl.col("commit_ms")).clip(0),
        eta_ms=pl.when(positioned).then(eta.cast(pl.Int64, strict=False)),
        coverage=pl.when(pl.col("faithful_ms").is_not_null()).then(share),
        provisional=pl.lit(settings.provisional),
    )
