"""Each position against the end of its partition: what is looked up in sequences of samples. Pure.

Positions that groups have or should have go in, and come out with what the ends say of them: the newest end, how fast it moves, the
brackets of their time lag, the lag at each of their last commits. `groups` makes the tables of that.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl
import pyarrow as pa

from muster.pipeline.ends.schema import MISSED, MISSED_AFTER_MS, TOPIC_PARTITION
from muster.pipeline.now.steps import NONE, Longs, Steps, around_offset, at_moment, end_between, last_at_most, pick
from muster.pipeline.now.topic_ends import TopicEnds, end_rows
from muster.pipeline.tables.settings import GoldSettings
from muster.pipeline.tables.time_lag import bracket

_text, _flag = pa.string(), pa.bool_()
_int, _long, _real = pa.int32(), pa.int64(), pa.float64()

_STANDING: Final = pa.schema(
    [
        ("cluster", _text),
        ("log_partition", _int),
        ("group_id", _text),
        ("topic", _text),
        ("partition", _int),
        # the current record of the position, null where it has none
        ("log_offset", _long),
        ("committed_offset", _long),
        ("commit_ms", _long),
        ("topic_id", _text),
        ("leader_epoch", _int),
        ("metadata", _text),
        ("expire_ms", _long),
        ("is_pending", _flag),  # an open transaction wants to commit it
        # the newest end
        ("leo", _long),
        ("lso", _long),
        ("readable_end", _long),
        ("log_start", _long),
        ("begin_ms", _long),
        ("end_ms", _long),
        ("last_end_ms", _long),  # the same of an end that is missed now, whose other columns are null
        ("produce_rate", _real),
        ("ends", pa.list_(_long)),  # the last ones as they were sampled
        # how the position stands to it
        ("time_lag_lo_ms", _long),
        ("time_lag_hi_ms", _long),
        ("time_lag_est_ms", _long),
        ("time_lag_method", _text),
        ("lag_at_commit_lo_ms", _long),
        ("lag_at_commit_hi_ms", _long),
        # its last commits, newest last
        ("log_offsets", pa.list_(_long)),
        ("offsets", pa.list_(_long)),
        ("times", pa.list_(_long)),
        ("lags", pa.list_(_long)),  # against the newest end that was sampled by then (`steps.end_between`)
        ("sure_lags", pa.list_(_long)),  # the same; null where the commit lies above an end that was old by then
    ]
)


STANDING: Final = tuple(_STANDING.names)


def stand(positions: pl.DataFrame, ends: TopicEnds, settings: GoldSettings) -> pl.DataFrame:
    """`positions` as `with_expected` gives them; the same with the columns of `STANDING`."""
    steps = ends.steps
    rows = positions.join(ends.numbers(), on=TOPIC_PARTITION, how="left", maintain_order="left")
    end_row = end_rows(rows)
    last = np.where(end_row >= 0, steps.newest[end_row] if len(steps.newest) else NONE, NONE)
    is_missed = (ends.rows["sampler"] == MISSED).gather(rows["end_row"]).fill_null(False).to_numpy()
    newest = np.where(is_missed, NONE, last)
    has_end = newest >= 0
    at = rows["end_row"].set(pl.Series(is_missed), None)  # nothing of a missed end is said of now
    found = rows.with_columns(
        leo=pick(steps.leo, newest, has_end),
        log_start=steps.log_start_at(newest),
        begin_ms=pick(steps.begin_ms, newest, has_end),
        end_ms=pick(steps.end_ms, newest, has_end),
        last_end_ms=pick(steps.end_ms, last, is_missed),
        produce_rate=_produce_rates(steps, settings.rate_window_ms).gather(at),
        ends=ends.rows["ring"].gather(at).list.tail(settings.burrow_intervals),
        lso=ends.rows["lso"].gather(at),
        readable_end=ends.rows["readable_end"].gather(at),
        row=pl.int_range(pl.len()),
        committed=pl.when(pl.col("committed_offset") >= 0).then("committed_offset"),
    )
    found = _with_brackets(found, steps, newest, settings)
    commits = _last_commits(found, steps, end_row, settings.burrow_intervals)
    return found.join(commits, on="row", how="left", maintain_order="left").select(STANDING)


def _with_brackets(rows: pl.DataFrame, steps: Steps, newest: Longs, settings: GoldSettings) -> pl.DataFrame:
    """Records that deletion took can no longer be read: what is unread begins at the log's start (trap 25).

    How late the group was when it committed is another number than how late it is now; both are asked for here.
    """
    has_position = rows["committed"].is_not_null().to_numpy()
    rows = rows.with_columns(
        first_unread=pl.when(pl.col("committed").is_not_null()).then(pl.max_horizontal("committed", "log_start"))
    )
    asked = np.where(has_position, newest, NONE)
    rows = rows.with_columns(**around_offset(steps, asked, _longs(rows["first_unread"])))
    rows = _with_clocks_apart(rows, steps, asked)
    skew, committed_ms = settings.clock_skew_ms, pl.col("commit_ms")
    return rows.with_columns(
        **bracket("time_lag", pl.col("begin_ms"), pl.col("end_ms")),
        **bracket("lag_at_commit", committed_ms - skew, committed_ms + pl.max_horizontal("apart_ms", skew)),
    )


def _with_clocks_apart(rows: pl.DataFrame, steps: Steps, asked: Longs) -> pl.DataFrame:
    """How far the coordinator's clock is behind the one that the ends were timed by, at least (trap 19).

    Nobody commits what is not there yet: an end that was still below the committed offset at a later time than the commit's own
    shows it. Each log partition has a coordinator of its own, each partition a clock by which its ends were timed.
    """
    last_read = _longs(rows["committed"]) - 1
    before = around_offset(steps, np.where(last_read >= 0, asked, NONE), last_read)["at_begin_ms"]
    apart = pl.col("apart_ms").max().over(*TOPIC_PARTITION, "log_partition").clip(0)
    return rows.with_columns(apart_ms=before - rows["commit_ms"]).with_columns(apart_ms=apart)


def _produce_rates(steps: Steps, window_ms: int) -> pl.Series:
    """Of each partition: from the last sample before the window, else the first of the epoch, to the newest."""
    newest = steps.newest
    first = steps.epoch_first[newest]
    before = last_at_most(steps.end_ms, first, newest + 1, steps.end_ms[newest] - window_ms)
    begin = np.where(before >= 0, before, first)
    took = steps.end_ms[newest] - steps.end_ms[begin]
    moved = (steps.leo[newest] - steps.leo[begin]) * 1000.0
    rate = np.divide(moved, took, out=np.zeros(len(took)), where=took > 0)
    return pl.Series(pa.array(rate, mask=took <= 0))


def _last_commits(rows: pl.DataFrame, steps: Steps, end_row: Longs, count: int) -> pl.DataFrame:
    """By row: places, offsets, times and lags of the last commits."""
    commits = (
        rows.select("row", pl.col("window").list.tail(count))
        .explode("window", empty_as_null=False, keep_nulls=False)
        .unnest("window")
        .filter(pl.col("committed_offset") >= 0)
    )
    partition, moment = end_row[commits["row"].to_numpy()], _longs(commits["commit_ms"])
    at = at_moment(steps, partition, moment)
    end = end_between(steps, at, moment, _longs(commits["committed_offset"]))
    lag = pick(end, np.arange(len(at)), at >= 0) - commits["committed_offset"]
    is_old = commits["commit_ms"] - pick(steps.end_ms, at, at >= 0) > MISSED_AFTER_MS
    return (
        commits.with_columns(lag=lag.clip(0), sure_lag=lag.clip(0).set((lag < 0) & is_old, None))
        .group_by("row", maintain_order=True)
        .agg(log_offsets="log_offset", offsets="committed_offset", times="commit_ms", lags="lag", sure_lags="sure_lag")
    )


def _longs(values: pl.Series) -> Longs:
    return values.fill_null(-1).to_numpy().astype(np.int64)
