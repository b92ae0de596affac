"""`g_lag`: where each group stands in each partition now, in records and in time, how fast it goes, who owns it.

Rows are all positions that were ever committed and still count, and every partition of a topic that the group commits to or
subscribes to: a partition that was added and never read has no position, which is not a lag of its end (traps 18 and 21).
"""

from __future__ import annotations

import polars as pl

from muster.core.internal_topics import CONSUMER_OFFSETS
from muster.pipeline.tables.columns import GROUP, POSITION, TOPIC_PARTITION, Column, Frame, conform, is_true
from muster.pipeline.tables.group_state import owners
from muster.pipeline.tables.known_ends import KnownEnds
from muster.pipeline.tables.latest_before import latest_before
from muster.pipeline.tables.settings import GoldSettings
from muster.pipeline.tables.time_lag import with_time_lag

_CLOCKS = (*TOPIC_PARTITION, "log_partition")


def lag_now(
    current: Frame,
    ends: KnownEnds,
    recent: Frame,
    states: Frame,
    assignments: Frame,
    extent: Frame,
    settings: GoldSettings,
) -> Frame:
    """`recent` come from `recent_commits`, `states` from `group_state`, `extent` from `log_extent`."""
    rows = (
        _positions(current, ends.newest, states)
        .join(_consume_rates(recent, settings), on=POSITION, how="left")
        .join(owners(states, assignments), on=POSITION, how="left")
        .join(ends.newest, on=TOPIC_PARTITION, how="left")
    )
    rows = _with_brackets(rows, ends.steps, settings)
    return finished_lag(rows.join(faithful_since(extent), on=["cluster", "log_partition"], how="left"), settings)


def finished_lag(rows: Frame, settings: GoldSettings) -> Frame:
    """`g_lag` of rows that have everything that is looked up elsewhere: newest end, brackets, rates, owner, `faithful_ms`."""
    unread = pl.max_horizontal(pl.col("leo") - pl.max_horizontal("committed", "log_start"), 0)
    rows = rows.with_columns(lag_raw=pl.col("leo") - pl.col("committed")).with_columns(
        lag=pl.when(pl.col("lag_raw").is_not_null()).then(unread), method=_method(settings.clock_skew_ms)
    )
    return conform(_finished(rows, settings), "g_lag")


def _positions(current: Frame, ends: Frame, states: Frame) -> Frame:
    partitions = ends.select(TOPIC_PARTITION)
    subscribed = states.select(*GROUP, topic="topics").explode("topic").drop_nulls("topic")
    wanted = pl.concat([current.select(*GROUP, "topic"), subscribed]).unique()
    expected = wanted.join(partitions, on=["cluster", "topic"]).select(POSITION)
    known = current.select(*POSITION, "committed_offset", "commit_ms", "log_partition")
    positioned = pl.col("committed_offset") >= 0
    return expected.join(known, on=POSITION, how="full", coalesce=True).with_columns(
        committed=pl.when(positioned).then("committed_offset"),
        # -1 is no position: nothing was said at that time that could become old.
        commit_ms=pl.when(positioned).then("commit_ms"),
    )


def _with_brackets(rows: Frame, steps: Frame, settings: GoldSettings) -> Frame:
    """Records that deletion took can no longer be read: what is unread begins at the log's start (trap 25).

    How late the group was when it committed is another number than how late it is now; both are asked for here.
    """
    positioned = pl.col("committed").is_not_null()
    asked = rows.with_columns(first_unread=pl.when(positioned).then(pl.max_horizontal("committed", "log_start")))
    asked = asked.join(_clocks_apart(rows, steps), on=_CLOCKS, how="left")
    skew = settings.clock_skew_ms
    moments = {
        "time_lag": (pl.col("begin_ms"), pl.col("end_ms")),
        "lag_at_commit": (pl.col("commit_ms") - skew, pl.col("commit_ms") + pl.max_horizontal("_apart_ms", skew)),
    }
    return with_time_lag(asked, steps, moments)


def _clocks_apart(rows: Frame, steps: Frame) -> Frame:
    """How far the coordinator's clock is behind the one that the ends were timed by, at least (trap 19).

    Nobody commits what is not there yet: an end that was still below the committed offset at a later time than the commit's own
    shows it. Each log partition has a coordinator of its own, each partition a clock by which its ends were timed.
    """
    read = rows.filter(pl.col("committed") > 0).select(
        *_CLOCKS, "topic_epoch", "commit_ms", _last_read=pl.col("committed") - 1
    )
    known = steps.select(*TOPIC_PARTITION, "topic_epoch", "at_leo", "at_begin_ms")
    found = latest_before(read, known, (*TOPIC_PARTITION, "topic_epoch"), "_last_read", "at_leo")
    apart = (pl.col("at_begin_ms") - pl.col("commit_ms")).max().clip(0)
    return found.group_by(_CLOCKS).agg(_apart_ms=apart)


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
        .otherwise("time_lag_method")
    )


def _consume_rates(recent: Frame, settings: GoldSettings) -> Frame:
    """Over the last commits, as far as no compaction has thinned them (trap 3); a rewind is no speed."""
    last = recent.group_by(POSITION).agg(pl.col("commit_ms", "committed", "faithful").last())
    rows = recent.select(*POSITION, "faithful", _ms="commit_ms", _offset="committed").join(last, on=POSITION)
    counted = rows.filter(pl.col("faithful") & (pl.col("_ms") >= pl.col("commit_ms") - settings.rate_window_ms))
    first = counted.group_by(*POSITION, "commit_ms", "committed", whole="faithful_right").agg(
        pl.col("_ms").first(), pl.col("_offset").first()
    )
    took = pl.col("commit_ms") - pl.col("_ms")
    rate = (pl.col("committed") - pl.col("_offset")) * 1000.0 / took
    found = first.filter(pl.col("whole") & (took > 0)).select(*POSITION, consume_rate=rate)
    return found.filter(pl.col("consume_rate") >= 0)


def faithful_since(extent: Frame) -> Frame:
    """Since when nothing is missing in each log partition: since ever, if it was read from its very beginning."""
    whole = pl.col("faithful_from") == 0
    return extent.filter(pl.col("log_topic") == CONSUMER_OFFSETS).select(
        "cluster", "log_partition", faithful_ms=pl.when(whole).then(0).otherwise("faithful_from_ms")
    )


def _finished(rows: Frame, settings: GoldSettings) -> Frame:
    faster = pl.col("consume_rate") - pl.col("produce_rate").fill_null(0.0)
    eta = pl.when(pl.col("lag") == 0).then(0.0).when(faster > 0).then(pl.col("lag") * 1000 / faster)
    positioned = pl.col("committed").is_not_null() & pl.col("leo").is_not_null()
    at = pl.col("end_ms").fill_null(settings.now_ms)
    share = ((at - pl.col("faithful_ms")) / settings.rate_window_ms).clip(0.0, 1.0)
    there = positioned & (pl.col("method") != "ahead")
    times = {name: pl.when(there).then(name) for name in ("time_lag_lo_ms", "time_lag_hi_ms", "time_lag_est_ms")}
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
