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

from muster.pipeline.ends.schema import TOPIC_PARTITION
from muster.pipeline.ends.whole_keys import whole_keys
from muster.pipeline.now.marks import MINUTE_MS, minutes_of
from muster.pipeline.now.positions import OFFSETS_LOG, current_positions, of_kind
from muster.pipeline.now.schema import MINUTE, TABLE
from muster.pipeline.now.standing import Kernel
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
_STRETCH: Final = ("group_id", "committed", "minute_ms")


def lag_history(
    state: DataFrame, ends: DataFrame, minutes: DataFrame, settings: GoldSettings, sampled_ms: int
) -> DataFrame:
    """Wide rows: finished minutes (part `new`), open ones (part `now`), and the whole new contents of the table `minute`.

    `sampled_ms` is up to when the ends of topics are known that have no sample at all, or that are read from files.
    """
    from pyspark.sql.pandas.types import from_arrow_schema

    rows = stretches_and_ends(state, ends, minutes, settings, sampled_ms)
    return rows.mapInArrow(history_kernel(settings, sampled_ms), from_arrow_schema(_WIDE))


def stretches_and_ends(
    state: DataFrame, ends: DataFrame, minutes: DataFrame, settings: GoldSettings, sampled_ms: int
) -> DataFrame:
    """Columns of `MINUTE` with `read_ms`, how far the log was read where the stretch has not ended; and rows of ends in `known`."""
    from pyspark.sql import functions as F

    told = minutes.select(
        *TOPIC_PARTITION, "log_partition", "log_offset", F.struct(*_STRETCH).alias("stretch"), "until_ms", "marked_ms"
    )
    known = ends.select(*TOPIC_PARTITION, F.struct("steps", "sampler").alias("known"))
    rows = told.unionByName(_open_stretches(state, settings, sampled_ms), allowMissingColumns=True)
    rows = rows.unionByName(known, allowMissingColumns=True).repartition(*TOPIC_PARTITION)
    merged = rows.groupBy(*TOPIC_PARTITION, "log_partition", "log_offset").agg(
        F.first("stretch", ignorenulls=True).alias("stretch"),
        F.max("until_ms").alias("until_ms"),
        F.max("marked_ms").alias("marked_ms"),
        F.max("read_ms").alias("read_ms"),
        F.first("known", ignorenulls=True).alias("known"),
    )
    # One that is remembered as not ended but is not the current one any more ended by a clock that went back.
    counts = merged.where("known is not null or until_ms is not null or read_ms is not null")
    columns = ("log_partition", "log_offset", "stretch.*", "until_ms", "marked_ms", "read_ms", "known")
    return counts.select(*TOPIC_PARTITION, *columns).sortWithinPartitions(*TOPIC_PARTITION)


def _open_stretches(state: DataFrame, settings: GoldSettings, sampled_ms: int) -> DataFrame:
    from pyspark.sql import functions as F

    extents = of_kind(state, "extent").where(F.col("log_topic") == OFFSETS_LOG)
    newest = F.coalesce(F.col("newest_ms"), F.lit(0))
    read = newest if settings.provisional else F.greatest(newest, F.lit(sampled_ms - READING_MS))
    extents = extents.select("cluster", "log_partition", read.cast("bigint").alias("read_ms"))
    commit = F.col("commit_ms")
    minute = F.try_subtract(commit, F.pmod(commit, F.lit(MINUTE_MS)))
    current = current_positions(state).where("committed_offset >= 0").withColumn("minute_ms", minute)
    current = current.where("minute_ms is not null").withColumnRenamed("committed_offset", "committed")
    rows = current.join(F.broadcast(extents), ["cluster", "log_partition"], "left")
    return rows.select(
        *TOPIC_PARTITION,
        "log_partition",
        "log_offset",
        F.struct(*_STRETCH).alias("stretch"),
        F.coalesce("read_ms", F.lit(0).cast("bigint")).alias("read_ms"),
    )


def history_kernel(settings: GoldSettings, sampled_ms: int) -> Kernel:
    def kernel(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for rows in whole_keys(batches, TOPIC_PARTITION):
            is_end = rows.column("known").is_valid()
            stretches = rows.filter(pa.compute.invert(is_end)).drop_columns(["known"])
            if not stretches.num_rows:
                continue
            for (table, part), found in history_of(rows.filter(is_end), stretches, settings, sampled_ms).items():
                yield from wide_batches(_WIDE, table, part, found)

    return kernel


def history_of(
    ends: pa.Table, stretches: pa.Table, settings: GoldSettings, sampled_ms: int
) -> dict[tuple[str, str], pa.Table]:
    """By table and part."""
    known = pa.chunked_array([chunk.field("steps") for chunk in ends.column("known").chunks], _steps_type(ends))
    steps = steps_of(known)
    numbered = pl.DataFrame(pl.from_arrow(ends.select(TOPIC_PARTITION))).with_row_index("end_row")
    sampler = pl.DataFrame(pl.from_arrow(ends.select(["known"]))).select(pl.col("known").struct.field("sampler"))
    # Of files everything is known that was appended before they were read.
    by_files = (sampler["sampler"] == "segment").fill_null(False).to_numpy()
    end_ms = steps.end_ms[steps.newest]
    known_ms = np.where(by_files, np.maximum(end_ms, sampled_ms), end_ms)
    numbered = numbered.with_columns(known_ms=pl.Series(known_ms, dtype=pl.Int64), by_files=pl.Series(by_files))
    rows = pl.DataFrame(pl.from_arrow(stretches)).join(numbered, on=TOPIC_PARTITION, how="left")
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
    return {**found, (TABLE, NOW): kept.select(MINUTE.names).to_arrow().cast(MINUTE)}


def _steps_type(ends: pa.Table) -> pa.DataType:
    kind = ends.schema.field("known").type
    return kind.field("steps").type


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
