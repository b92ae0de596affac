"""`g_lag_history` from all commits and samples: lag minute by minute.

A minute has a row if the group committed in it. While it is silent its lag goes on growing: there is a row every five minutes
for an hour and one an hour from then on, as long as the end offset is sampled. The moment is the end of the minute, or now in
the last one. A row says what was known at its moment: later samples do not change it.
"""

from __future__ import annotations

import polars as pl

from muster.core.time_units import MINUTE_MS
from muster.pipeline.tables.columns import POSITION, Column, Frame, conform
from muster.pipeline.tables.settings import GoldSettings
from tests.pipeline.oracle.columns import TOPIC_PARTITION
from tests.pipeline.oracle.known_ends import KnownEnds
from tests.pipeline.oracle.latest_before import latest_before
from tests.pipeline.oracle.time_lag import with_time_lag

_OFTEN_MS, _SELDOM_MS = 5 * MINUTE_MS, 60 * MINUTE_MS


def lag_history(commits: Frame, ends: KnownEnds, settings: GoldSettings) -> Frame:
    """Each commit's rows depend on no other commit: any part of the commits gives its part of the table."""
    rows = _with_silent_minutes(_last_of_each_minute(commits, settings), ends.newest, settings)
    rows = rows.with_columns(_moment=pl.min_horizontal(pl.col("minute_ms") + MINUTE_MS, settings.now_ms))
    rows = latest_before(rows, _samples(ends.by_time, settings), TOPIC_PARTITION, "_moment", "end_ms")
    # While a group is silent, only what was known of the end is new.
    rows = rows.filter(~pl.col("_silent") | pl.col("leo").is_not_null())
    return conform(_with_lag(rows, ends.steps), "g_lag_history")


def _samples(by_time: Frame, settings: GoldSettings) -> Frame:
    """With the moment up to which the end is known to have stood still since: the next sample is the same, or says when the next
    record came.
    """
    epoch = (*TOPIC_PARTITION, "topic_epoch")
    leo, exact = pl.col("leo"), pl.col("sampler") == "segment"
    stood = (leo.shift(-1) == leo).over(epoch) | exact.shift(-1).over(epoch)
    is_newest = pl.int_range(pl.len(), 0, -1).over(TOPIC_PARTITION) == 1
    until = (
        pl.when(stood).then(pl.col("end_ms").shift(-1).over(epoch)).when(is_newest & exact).then(settings.sampled_ms)
    )
    return by_time.select(
        *epoch, "leo", "log_start", "end_ms", _begin="begin_ms", _end="end_ms", _stood=until.fill_null(pl.col("end_ms"))
    )


def _last_of_each_minute(commits: Frame, settings: GoldSettings) -> Frame:
    """Rows whose successor lies in another minute. A tombstone ends the position and has no row."""
    next_minute = _floor(pl.col("next_commit_ms"), MINUTE_MS).fill_null(settings.now_ms + MINUTE_MS)
    counts = pl.col("is_effective") & ~pl.col("is_tombstone") & (pl.col("committed_offset") >= 0)
    still_ms = settings.now_ms - settings.history_ms
    minute, until = _floor(pl.col("commit_ms"), MINUTE_MS), pl.col("_until")
    found = commits.with_columns(_minute=minute, _until=next_minute).filter(
        counts & (until > pl.col("_minute")) & (until >= still_ms)
    )
    return found.select(
        *(pl.col(name).cast(pl.String) if name != "partition" else name for name in POSITION),
        "_minute",
        "_until",
        committed="committed_offset",
    )


def _with_silent_minutes(rows: Frame, ends: Frame, settings: GoldSettings) -> Frame:
    """The minutes between this commit and the next, thinned out; none behind the newest sample, where nothing is known."""
    still_ms = settings.now_ms - settings.history_ms
    # Of files everything is known that was appended before they were read.
    sampled = pl.when(pl.col("sampler") == "segment").then(pl.max_horizontal("end_ms", settings.sampled_ms))
    last = ends.select(*TOPIC_PARTITION, _sampled=sampled.otherwise("end_ms"))
    known = rows.join(last, on=TOPIC_PARTITION, how="left").with_columns(
        _until=pl.min_horizontal("_until", "_sampled"),
        # What is older is not shown: no need to write it down first.
        _from=pl.max_horizontal("_minute", still_ms - _SELDOM_MS),
    )
    often = _marks(known, pl.col("_from"), pl.min_horizontal(pl.col("_minute") + _SELDOM_MS, "_until"), _OFTEN_MS)
    seldom = _marks(known, pl.max_horizontal(pl.col("_minute") + _SELDOM_MS, "_from"), pl.col("_until"), _SELDOM_MS)
    minutes = known.select(*POSITION, "committed", minute_ms="_minute", _silent=pl.lit(False))
    return pl.concat([minutes, often, seldom]).filter(pl.col("minute_ms") >= still_ms)


def _marks(rows: Frame, after: Column, before: Column, step_ms: int) -> Frame:
    """Multiples of the step between the two, without either, of positions whose ends are sampled."""
    silent = rows.with_columns(_first=_floor(after, step_ms) + step_ms, _before=before).filter(
        pl.col("_sampled").is_not_null() & (pl.col("_first") < pl.col("_before"))
    )
    marks = silent.with_columns(minute_ms=pl.int_ranges("_first", "_before", step_ms)).explode("minute_ms")
    return marks.select(*POSITION, "committed", "minute_ms", _silent=pl.lit(True))


def _floor(ms: Column, step_ms: int) -> Column:
    return ms - ms % step_ms


def _with_lag(rows: Frame, steps: Frame) -> Frame:
    asked = rows.select(
        *POSITION,
        "minute_ms",
        "committed",
        "_moment",
        "_begin",
        "_stood",
        topic_epoch=pl.col("topic_epoch").fill_null(0),
        end="leo",
        first_unread=pl.max_horizontal("committed", "log_start"),
    )
    lag = pl.when(pl.col("end").is_not_null()).then((pl.col("end") - pl.col("first_unread")).clip(0))
    found = with_time_lag(asked, steps, {"time_lag": (pl.col("_moment"), pl.col("_moment"))})
    return _as_of_then(found.with_columns(lag=lag).rename({"time_lag_method": "method"}))


def _as_of_then(rows: Frame) -> Frame:
    """What samples behind the moment say is taken back: that the end passed the committed offset, and that there is one at all."""
    unknown, caught_up = pl.col("end").is_null(), pl.col("first_unread") >= pl.col("end")
    since = pl.when(pl.col("_moment") > pl.col("_stood")).then(pl.col("_moment") - pl.col("_begin")).otherwise(0)
    then = {"time_lag_lo_ms": pl.lit(0), "time_lag_hi_ms": since, "time_lag_est_ms": pl.lit(0)}
    return rows.with_columns(
        method=pl.when(unknown).then(pl.lit("no_end")).when(caught_up).then(pl.lit("caught_up")).otherwise("method"),
        **{
            name: pl.when(caught_up).then(value).when(~unknown).then(name).cast(pl.Int64)
            for name, value in then.items()
        },
    )
