"""When records were appended that were there before the first sample: steps in front of what the samples tell. Called by `fold`.

A lake that begins with a broker knows nothing of the time before: a group that has stood still since then would be late by an
unknown time. Its first unread record tells: the batch that holds it says when it was written. Such a batch is two steps, where it
begins and where it ends; everything between them was appended at its time.

They say when an offset was passed, and nothing of where the log ended at other moments: `now.steps` does not take them for samples.
"""

from __future__ import annotations

from typing import Final

import polars as pl
import pyarrow as pa

from muster.pipeline.ends.schema import BATCH_BEGIN, BATCH_END, ENDS, MAX_STEPS, TOPIC_PARTITION
from muster.pipeline.ends.steps import STEP_NAMES, step_lists
from muster.pipeline.ends.thinning import thinned

_OF_BATCH: Final = pl.col("sampler").is_in([BATCH_BEGIN, BATCH_END])


def with_record_times(ends: pa.Table, batches: pa.Table, max_steps: int = MAX_STEPS) -> pa.Table:
    """Rows of `ENDS` that know these batches: rows of `b_leo_sample` whose sampler is one of a batch.

    A producer's clock that is ahead of the first sample tells nothing: the record was there when that sample was taken. A topic
    that was made anew has no record that is older than the last sample before.
    """
    if not batches.num_rows:
        return ends
    known = pl.DataFrame(pl.from_arrow(ends.select(ENDS.names))).with_row_index("at")
    steps = known.select("at", "steps").explode("steps", empty_as_null=False, keep_nulls=False).unnest("steps")
    steps = steps.join(known.select("at", newest="topic_epoch"), on="at", how="left", maintain_order="left")
    is_current = pl.col("topic_epoch") == pl.col("newest")
    known_batches, others = steps.filter(is_current & _OF_BATCH), steps.filter(~(is_current & _OF_BATCH))
    fresh = _within_samples(_placed(batches, known), others, is_current)
    merged = _rising(pl.concat([known_batches.select("at", *STEP_NAMES), fresh.select("at", *STEP_NAMES)]))
    ordered = pl.concat([others.select("at", *STEP_NAMES), merged]).sort(
        "at", "topic_epoch", ~_OF_BATCH, maintain_order=True
    )
    kept = thinned(ordered, known.height, max_steps)
    table = ends.select(ENDS.names).drop_columns(["steps"])
    return table.append_column("steps", step_lists(kept, known.height)).cast(ENDS)


def _placed(batches: pa.Table, known: pl.DataFrame) -> pl.DataFrame:
    """The batches as steps of the newest epoch of their partition; those of another topic of that name are left out."""
    rows = pl.DataFrame(pl.from_arrow(batches.select([*TOPIC_PARTITION, "topic_id", "leo", "end_ms", "sampler"])))
    place = known.select("at", *TOPIC_PARTITION, "topic_epoch", _id="topic_id")
    rows = rows.join(place, on=TOPIC_PARTITION).filter((pl.col("topic_id") == pl.col("_id")).fill_null(True))
    return rows.with_columns(
        log_start=pl.lit(None, pl.Int64),
        begin_ms="end_ms",
        exact=pl.col("sampler") == BATCH_END,
        start_moved=pl.lit(False),
    )


def _within_samples(fresh: pl.DataFrame, steps: pl.DataFrame, is_current: pl.Expr) -> pl.DataFrame:
    """What lies before the first sample of its epoch, in offsets and in time, and not before the epoch."""
    first = steps.filter(is_current).group_by("at").agg(_leo=pl.col("leo").first(), _end=pl.col("end_ms").first())
    before = steps.filter(~is_current).group_by("at").agg(_least=pl.col("end_ms").max())
    rows = fresh.join(first, on="at").join(before, on="at", how="left")
    rows = rows.with_columns(end_ms=pl.max_horizontal("end_ms", "_least"))
    rows = rows.filter((pl.col("leo") <= pl.col("_leo")) & (pl.col("end_ms") <= pl.col("_end")))
    return rows.with_columns(begin_ms="end_ms")


def _rising(steps: pl.DataFrame) -> pl.DataFrame:
    """In the order of offsets. A record was not appended before the one in front of it, whatever the producers' clocks say."""
    # Where two batches meet, the end of the first comes before the begin of the second.
    is_begin = pl.col("sampler") == BATCH_BEGIN
    rows = steps.unique(["at", "leo", "sampler"], keep="first", maintain_order=True).sort("at", "leo", is_begin)
    risen = pl.col("end_ms").cum_max().over("at")
    return rows.with_columns(begin_ms=risen, end_ms=risen).select("at", *STEP_NAMES)
