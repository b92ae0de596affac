"""`g_lag_history`: lag minute by minute, as of then. A row is finished, and appended, once its moment is known; before, it is open.

A stretch is one commit and how long it held (`schema`). It has a row for its own minute, and while the group is silent one every
five minutes for an hour and one an hour from then on: lag goes on growing. A minute is known once

- the end of its partition was sampled behind it: then every sample that counts is there, and
- the next record of the position is known, or the log was read beyond that minute: then the commit did hold so long.

What is finished is remembered by stretch (`marked_ms`), so that no minute has its row twice when the stretch ends later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl
import pyarrow as pa

from muster.core.time_units import MINUTE_MS
from muster.pipeline.ends.schema import STEP, TOPIC_PARTITION
from muster.pipeline.ends.whole_keys import together, whole_keys
from muster.pipeline.now.marks import minutes_of
from muster.pipeline.now.positions import current_positions
from muster.pipeline.now.schema import MINUTE, TABLE, stretches_by, stretches_of
from muster.pipeline.now.standing import Kernel, field_of
from muster.pipeline.now.steps import NONE, Longs, Steps, around_offset, at_moment, pick, steps_of
from muster.pipeline.schemas import TABLES
from muster.pipeline.tables.settings import GoldSettings
from muster.pipeline.tables.time_lag import bracket
from muster.pipeline.wide import APPENDED, wide_batches, wide_schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

HISTORY: Final = "g_lag_history"
NOW: Final = "now"
READING_MS: Final = 10 * MINUTE_MS
"""A log that was read to its end has no record that is older than this and not read: it was read a moment before the ends were."""
_WIDE: Final = wide_schema([TABLES[HISTORY], MINUTE])


def lag_history(
    state: DataFrame, ends: DataFrame, minutes: DataFrame, settings: GoldSettings, sampled_ms: int
) -> DataFrame:
    """Wide rows: finished minutes (part `new`), open ones (part `now`), and the whole new contents of the table `minute`.

    `sampled_ms` is up to when the ends of topics are known that have no sample at all, or that are read from files.
    """
    from pyspark.sql.pandas.types import from_arrow_schema

    rows = stretches_and_ends(state, ends, minutes)
    return rows.mapInArrow(history_kernel(settings, sampled_ms), from_arrow_schema(_WIDE))


def stretches_and_ends(state: DataFrame, ends: DataFrame, minutes: DataFrame) -> DataFrame:
    """Rows of `minute`, current commits of positions (they have `is_current`), and ends in `known`; by topic partition."""
    from pyspark.sql import functions as F

    current = current_positions(state).select(
        *TOPIC_PARTITION,
        *("log_partition", "group_id", "current.log_offset", "current.commit_ms"),
        F.col("current.committed_offset").alias("committed"),
        F.lit(True).alias("is_current"),
    )
    known = ends.select(*TOPIC_PARTITION, F.struct("steps", "sampler").alias("known"))
    rows = minutes.select(MINUTE.names).unionByName(current, allowMissingColumns=True)
    return together(rows.unionByName(known, allowMissingColumns=True), TOPIC_PARTITION)


def history_kernel(settings: GoldSettings, sampled_ms: int) -> Kernel:
    """For `mapInArrow`, over rows of `stretches_and_ends`."""

    def kernel(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for rows in whole_keys(batches, TOPIC_PARTITION):
            is_end = rows.column("known").is_valid()
            told = pl.DataFrame(pl.from_arrow(rows.filter(pa.compute.invert(is_end)).drop_columns(["known"])))
            found = history_of(rows.filter(is_end), _stretches(told, settings, sampled_ms), settings, sampled_ms)
            for (table, part), of_table in found.items():
                yield from wide_batches(_WIDE, table, part, of_table)

    return kernel


def _stretches(told: pl.DataFrame, settings: GoldSettings, sampled_ms: int) -> pl.DataFrame:
    """A row a stretch, with `read_ms`: how far the log was read, where the stretch has not ended."""
    place = (*TOPIC_PARTITION, "log_partition", "group_id")
    current = told.filter(pl.col("is_current")).drop("stretches")
    known = stretches_of(told.select(*place, "stretches"))
    minute = pl.col("commit_ms") - pl.col("commit_ms") % MINUTE_MS
    told = pl.concat([known, current.with_columns(minute_ms=minute)], how="diagonal").filter(pl.col("committed") >= 0)
    merged = told.group_by(*TOPIC_PARTITION, "log_partition", "log_offset", maintain_order=True).agg(
        pl.col("group_id", "committed", "minute_ms").first(),
        pl.col("until_ms", "marked_ms").max(),
        pl.col("is_current").any(),
    )
    read_ms = 0 if settings.provisional else sampled_ms - READING_MS
    # One that is remembered as not ended but is not the current one any more ended by a clock that went back.
    return merged.filter(pl.col("until_ms").is_not_null() | pl.col("is_current")).with_columns(read_ms=pl.lit(read_ms))


def history_of(
    ends: pa.Table, stretches: pl.DataFrame, settings: GoldSettings, sampled_ms: int
) -> dict[tuple[str, str], pa.Table]:
    """By table and part."""
    steps = steps_of(field_of(ends, "steps", pa.list_(STEP)))
    numbered = pl.DataFrame(pl.from_arrow(ends.select(TOPIC_PARTITION))).with_row_index("end_row")
    # Of files everything is known that was appended before they were read.
    by_files = np.asarray(
        pa.compute.equal(field_of(ends, "sampler", pa.string()), "segment").fill_null(False), dtype=bool
    )
    end_ms = steps.end_ms[steps.newest]
    known_ms = np.where(by_files, np.maximum(end_ms, sampled_ms), end_ms)
    numbered = numbered.with_columns(
        known_ms=pl.Series(known_ms, dtype=pl.Int64), by_files=pl.Series(by_files, dtype=pl.Boolean)
    )
    rows = stretches.join(numbered, on=TOPIC_PARTITION, how="left")
    rows = rows.with_columns(known_ms=pl.col("known_ms").fill_null(sampled_ms))
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
    partition = rows["end_row"].cast(pl.Int64).fill_null(NONE).to_numpy()
    at = at_moment(steps, partition, rows["moment_ms"].to_numpy())
    rows = rows.with_columns(end=pick(steps.leo, at, at >= 0), log_start=steps.log_start_at(at))
    rows = rows.with_columns(first_unread=pl.max_horizontal("committed", "log_start"))
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
    partition = rows["end_row"].cast(pl.Int64).fill_null(NONE).to_numpy()[known]
    is_newest = here == steps.newest[partition]
    by_files = rows["by_files"].fill_null(False).to_numpy()[known]
    until = np.where(stood, steps.end_ms[after], steps.end_ms[here])
    until = np.where(is_newest & by_files, rows["known_ms"].to_numpy()[known], until)
    found = np.zeros(len(at), dtype=np.int64)
    found[known] = until
    return pl.Series(pl.from_arrow(pa.array(found, mask=~known)))
