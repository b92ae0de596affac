"""`g_lag_history`: lag minute by minute, as of then. A row is finished, and appended, once its moment is known; before, it is open.

A stretch is one commit and how long it held (`schema`). It has a row for its own minute, and while the group is silent one every
five minutes for an hour and one an hour from then on: lag goes on growing. A minute is known once

- the end of its partition was sampled behind it: then every sample that counts is there, and
- the next record of the position is known, or the log was read beyond that minute: then the commit did hold so long.

What is finished is remembered by stretch (`marked_ms`), so that no minute has its row twice when the stretch ends later.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
import pyarrow as pa

from muster.core.time_units import MINUTE_MS
from muster.pipeline.ends.schema import TOPIC_PARTITION
from muster.pipeline.now.marks import minutes_of
from muster.pipeline.now.schema import MINUTE, TABLE, stretches_by, stretches_of
from muster.pipeline.now.steps import Longs, Steps, around_offset, at_moment, end_between, pick
from muster.pipeline.now.topic_ends import TopicEnds, end_rows
from muster.pipeline.schemas import TABLES
from muster.pipeline.tables.settings import GoldSettings
from muster.pipeline.tables.time_lag import bracket
from muster.pipeline.wide import APPENDED

HISTORY: Final = "g_lag_history"
NOW: Final = "now"
READING_MS: Final = 10 * MINUTE_MS
"""No record that is older than this, by its own time, comes to a log after it was read: so much the clocks may be apart."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """Whose ends were asked, and up to when they are known."""

    until_ms: int
    """For topics that have no sample at all, or whose files were read."""
    read_until_ms: int | None
    """What was written to the log by then has been read. None: that is not known of any moment (trap 28)."""
    cluster: str | None = None
    """Nothing more is known of the other clusters in the lake than before. None: all were asked."""

    @property
    def is_asked(self) -> pl.Expr:
        return pl.lit(True) if self.cluster is None else pl.col("cluster") == self.cluster

    @property
    def surely_read_ms(self) -> int:
        """No record of the log is older than this and not read."""
        return 0 if self.read_until_ms is None else min(self.until_ms, self.read_until_ms) - READING_MS


def stretches_now(waiting: pl.DataFrame, current: pl.DataFrame, sampled: Sampled) -> pl.DataFrame:
    """A row a stretch, with `read_ms`: how far the log was read, where the stretch has not ended.

    `waiting` are rows of `MINUTE`, `current` the positions that have a commit, which are stretches that have not ended.
    """
    place = (*TOPIC_PARTITION, "log_partition", "group_id")
    current = current.select(*place, "log_offset", "commit_ms", committed="committed_offset", is_current=pl.lit(True))
    known = stretches_of(waiting.select(*place, "stretches"))
    minute = pl.col("commit_ms") - pl.col("commit_ms") % MINUTE_MS
    told = pl.concat([known, current.with_columns(minute_ms=minute)], how="diagonal").filter(pl.col("committed") >= 0)
    merged = told.group_by(*TOPIC_PARTITION, "log_partition", "log_offset", maintain_order=True).agg(
        pl.col("group_id", "committed", "minute_ms").first(),
        pl.col("until_ms", "marked_ms").max(),
        pl.col("is_current").any(),
    )
    read_ms = pl.when(sampled.is_asked).then(sampled.surely_read_ms).otherwise(0)
    # One that is remembered as not ended but is not the current one any more ended by a clock that went back.
    return merged.filter(pl.col("until_ms").is_not_null() | pl.col("is_current")).with_columns(read_ms=read_ms)


def history_of(
    ends: TopicEnds, stretches: pl.DataFrame, settings: GoldSettings, sampled: Sampled
) -> dict[tuple[str, str], pa.Table]:
    """By table and part: finished minutes (`new`), open ones (`now`), and the whole new contents of the table `minute`."""
    steps = ends.steps
    # Of files everything is known that was appended before they were read.
    by_files = (ends.rows["sampler"] == "segment").fill_null(False)
    end_ms = steps.end_ms[steps.newest]
    numbered = ends.numbers().with_columns(by_files=by_files, known_ms=pl.Series(end_ms, dtype=pl.Int64))
    rows = stretches.join(numbered, on=TOPIC_PARTITION, how="left")
    asked_ms = pl.when(sampled.is_asked).then(sampled.until_ms).otherwise(0)
    by_files_ms = pl.when("by_files").then(pl.max_horizontal("known_ms", asked_ms)).otherwise("known_ms")
    rows = rows.with_columns(known_ms=by_files_ms.fill_null(asked_ms))
    asked, kept = minutes_of(rows, settings)
    # While a group is silent, only what was known of the end is new.
    answered = _with_lag(asked, steps).filter(~pl.col("is_silent") | pl.col("end").is_not_null())
    by_part = answered.partition_by("is_known", as_dict=True)
    found = {
        (HISTORY, part): by_part[is_known,].select(TABLES[HISTORY].names).to_arrow().cast(TABLES[HISTORY])
        for is_known, part in ((True, APPENDED), (False, NOW))
        if (is_known,) in by_part
    }
    waiting = stretches_by(kept, [name for name in MINUTE.names if name != "stretches"])
    return {**found, (TABLE, NOW): waiting.select(MINUTE.names).to_arrow().cast(MINUTE)}


def _with_lag(rows: pl.DataFrame, steps: Steps) -> pl.DataFrame:
    """`rows` have `moment_ms`, `committed`, and `end_row`, `known_ms` and `by_files` of their partition."""
    partition = end_rows(rows)
    moments = rows["moment_ms"].to_numpy()
    at = at_moment(steps, partition, moments)
    rows = rows.with_columns(end=pick(steps.leo, at, at >= 0), log_start=steps.log_start_at(at))
    rows = rows.with_columns(first_unread=pl.max_horizontal("committed", "log_start"))
    # A first read of files makes minutes of days ago. Elsewhere a minute has its row while the steps around it are all there.
    between = end_between(steps, at, moments)
    rows = rows.with_columns(end=pl.when("by_files").then(pick(between, np.arange(len(at)), at >= 0)).otherwise("end"))
    rows = rows.with_columns(
        **around_offset(steps, at, rows["first_unread"].to_numpy()), stood_ms=_stood_until(rows, steps, at)
    )
    moment = pl.col("moment_ms")
    rows = rows.with_columns(**bracket("time_lag", moment, moment))
    stood = (pl.col("first_unread") >= pl.col("end")) & (moment <= pl.col("stood_ms"))
    lag = pl.when(pl.col("end").is_not_null()).then((pl.col("end") - pl.col("first_unread")).clip(0))
    return rows.with_columns(
        lag=lag, method="time_lag_method", time_lag_hi_ms=pl.when(stood).then(0).otherwise("time_lag_hi_ms")
    )


def _stood_until(rows: pl.DataFrame, steps: Steps, at: Longs) -> pl.Series:
    """Up to when the end is known to have stood still: the next sample is the same, or says when the next record came."""
    known = at >= 0
    here = at[known]
    after = np.minimum(here + 1, len(steps.leo) - 1)
    stood = (here + 1 < steps.epoch_stop[here]) & ((steps.leo[after] == steps.leo[here]) | steps.exact[after])
    partition = end_rows(rows)[known]
    is_newest = here == steps.newest[partition]
    by_files = rows["by_files"].fill_null(False).to_numpy()[known]
    until = np.where(stood, steps.end_ms[after], steps.end_ms[here])
    until = np.where(is_newest & by_files, rows["known_ms"].to_numpy()[known], until)
    found = np.zeros(len(at), dtype=np.int64)
    found[known] = until
    return pl.Series(pl.from_arrow(pa.array(found, mask=~known)))
