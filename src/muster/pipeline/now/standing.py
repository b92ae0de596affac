"""Each position against the end of its partition: the one kernel of the tables of now. Looks things up in sequences, no more.

Rows of a topic partition come together: its row of `ends`, and every position that groups have or should have in it. Out come the
positions with what the ends say of them: the newest end, how fast it moves, the brackets of their time lag, the lag at each of
their last commits. Expressions make the tables from that (`lag`, `status`, `expiry`, `abandoned`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

import numpy as np
import polars as pl
import pyarrow as pa

from muster.pipeline.ends.schema import TOPIC_PARTITION
from muster.pipeline.ends.whole_keys import whole_keys
from muster.pipeline.now.steps import NONE, Longs, Steps, around_offset, at_moment, last_at_most, pick, steps_of
from muster.pipeline.tables.settings import GoldSettings
from muster.pipeline.tables.time_lag import bracket

Kernel: TypeAlias = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]

_text, _flag = pa.string(), pa.bool_()
_int, _long, _real = pa.int32(), pa.int64(), pa.float64()

GIVEN: Final = pa.schema(
    [
        ("cluster", _text),
        ("topic", _text),
        ("partition", _int),
        ("group_id", _text),
        ("log_partition", _int),
        # the current record of the position, null where it has none
        ("log_offset", _long),
        ("committed_offset", _long),
        ("commit_ms", _long),
        ("topic_id", _text),
        ("leader_epoch", _int),
        ("metadata", _text),
        ("expire_ms", _long),
        ("is_pending", _flag),  # an open transaction wants to commit it
        ("owner", _text),
        # of the log partition: from where on nothing is missing
        ("faithful_from", _long),
        ("faithful_ms", _long),
    ]
)
"""What is known of a position before its ends are looked at."""

STANDING: Final = pa.schema(
    [
        *GIVEN,
        # the newest end
        ("leo", _long),
        ("log_start", _long),
        ("begin_ms", _long),
        ("end_ms", _long),
        ("produce_rate", _real),
        ("ring", pa.list_(_long)),
        # how the position stands to it
        ("time_lag_lo_ms", _long),
        ("time_lag_hi_ms", _long),
        ("time_lag_est_ms", _long),
        ("time_lag_method", _text),
        ("lag_at_commit_lo_ms", _long),
        ("lag_at_commit_hi_ms", _long),
        # its last commits, newest last
        ("offsets", pa.list_(_long)),
        ("times", pa.list_(_long)),
        ("lags", pa.list_(_long)),  # against the newest end that was sampled by then
        ("consume_rate", _real),
    ]
)


def standing_kernel(settings: GoldSettings) -> Kernel:
    """For `mapInArrow`: rows of `GIVEN` with `window`, and those of `ends` in the column `known`, become rows of `STANDING`."""

    def kernel(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for rows in whole_keys(batches, TOPIC_PARTITION):
            yield from stand(rows, settings).to_batches()

    return kernel


def stand(rows: pa.Table, settings: GoldSettings) -> pa.Table:
    is_end = rows.column("known").is_valid()
    ends = rows.filter(is_end)
    known = ends.column("known").combine_chunks() if ends.num_rows else None
    positions = pl.DataFrame(pl.from_arrow(rows.filter(pa.compute.invert(is_end)).drop_columns(["known"])))
    numbered = pl.DataFrame(pl.from_arrow(ends.select(TOPIC_PARTITION))).with_row_index("end_row")
    positions = positions.join(numbered, on=TOPIC_PARTITION, how="left", maintain_order="left")
    if known is None:
        nothing = pl.Series("ring", [], pl.List(pl.Int64))
        return _finished(positions, steps_of(pa.chunked_array([], _STEPS_OF_NONE)), nothing, settings)
    ring = pl.Series("ring", pl.from_arrow(known.field("ring")))
    return _finished(positions, steps_of(pa.chunked_array([known.field("steps")])), ring, settings)


_STEPS_OF_NONE: Final = pa.list_(
    pa.struct(
        [*((name, _long) for name in ("leo", "log_start", "begin_ms", "end_ms", "topic_epoch")), ("exact", _flag)]
    )
)


def _finished(positions: pl.DataFrame, steps: Steps, ring: pl.Series, settings: GoldSettings) -> pa.Table:
    end_row = positions["end_row"].cast(pl.Int64).fill_null(NONE).to_numpy()
    newest = np.where(end_row >= 0, steps.newest[end_row] if len(steps.newest) else NONE, NONE)
    has_end = newest >= 0
    rates = _produce_rates(steps, settings.rate_window_ms)
    rows = positions.with_columns(
        leo=pick(steps.leo, newest, has_end),
        log_start=steps.log_start_at(newest),
        begin_ms=pick(steps.begin_ms, newest, has_end),
        end_ms=pick(steps.end_ms, newest, has_end),
        produce_rate=rates.gather(positions["end_row"]) if len(rates) else pl.lit(None, pl.Float64),
        ring=ring.gather(positions["end_row"]) if len(ring) else pl.lit(None, pl.List(pl.Int64)),
        row=pl.int_range(pl.len()),
        committed=pl.when(pl.col("committed_offset") >= 0).then("committed_offset"),
    )
    rows = _with_brackets(rows, steps, newest, settings)
    rows = rows.join(_last_commits(rows, steps, end_row, settings), on="row", how="left", maintain_order="left")
    return rows.select(STANDING.names).to_arrow().cast(STANDING)


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


def _last_commits(rows: pl.DataFrame, steps: Steps, end_row: Longs, settings: GoldSettings) -> pl.DataFrame:
    """By row: offsets, times and lags of the last commits, and how fast they went."""
    commits = (
        rows.select("row", "faithful_from", pl.col("window").list.tail(settings.burrow_intervals))
        .explode("window", empty_as_null=False, keep_nulls=False)
        .unnest("window")
        .filter(pl.col("committed_offset") >= 0)
    )
    at = at_moment(steps, end_row[commits["row"].to_numpy()], _longs(commits["commit_ms"]))
    end = pick(steps.leo, at, at >= 0)
    commits = commits.with_columns(
        lag=(end - commits["committed_offset"]).clip(0),
        faithful=(pl.col("log_offset") >= pl.col("faithful_from")).fill_null(False),
    )
    return commits.group_by("row", maintain_order=True).agg(
        offsets="committed_offset", times="commit_ms", lags="lag", consume_rate=_consume_rate(settings.rate_window_ms)
    )


def _consume_rate(window_ms: int) -> pl.Expr:
    """Over the last commits, as far as no compaction has thinned them (trap 3); a rewind is no speed."""
    ms, offset = pl.col("commit_ms"), pl.col("committed_offset")
    counts = pl.col("faithful") & (ms >= ms.last() - window_ms)
    took = ms.last() - ms.filter(counts).first()
    rate = (offset.last() - offset.filter(counts).first()) * 1000.0 / took
    return pl.when(pl.col("faithful").last() & (took > 0) & (rate >= 0)).then(rate)


def _longs(values: pl.Series) -> Longs:
    return values.fill_null(-1).to_numpy().astype(np.int64)
