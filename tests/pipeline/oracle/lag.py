"""`g_lag` from whole tables, by joins; the tables of now (`muster.pipeline.now`) make it in Spark."""

from __future__ import annotations

import polars as pl

from muster.pipeline.tables.columns import GROUP, POSITION, Frame
from muster.pipeline.tables.group_state import owners
from muster.pipeline.tables.lag import faithful_since, finished_lag
from muster.pipeline.tables.settings import GoldSettings
from tests.pipeline.oracle.columns import TOPIC_PARTITION
from tests.pipeline.oracle.known_ends import KnownEnds
from tests.pipeline.oracle.latest_before import latest_before
from tests.pipeline.oracle.time_lag import with_time_lag

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
        .join(states.select(*GROUP, "n_members"), on=GROUP, how="left")
        .join(ends.newest, on=TOPIC_PARTITION, how="left")
    )
    rows = _with_brackets(rows, ends.steps, settings)
    return finished_lag(rows.join(faithful_since(extent), on=["cluster", "log_partition"], how="left"), settings)


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
