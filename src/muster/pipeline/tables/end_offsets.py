"""`s_leo`: the end offset of each partition as a step function of time, one `topic_epoch` for each incarnation of a topic.

Within an epoch offsets never fall and times never fall. Of a run of equal end offsets the first and the last sample stay.
A fall of the end is a topic made anew, unless the leader epoch rose with it: then the tail was cut (unclean election).
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from muster.pipeline.tables.columns import TOPIC_PARTITION, conform, so_far

_SAMPLE = (*TOPIC_PARTITION, "topic_id", "leo", "log_start", "leader_epoch", "begin_ms", "end_ms", "sampler")


def finished_end_offsets(samples: DataFrame) -> DataFrame:
    """`samples` are `b_leo_sample`."""
    rows = (
        samples.select(*_SAMPLE)
        .where("leo >= 0")
        .dropDuplicates([*TOPIC_PARTITION, "topic_id", "leo", "log_start", "begin_ms", "end_ms"])
    )
    rows = _with_rising_times(rows)
    rows = _with_epochs(rows)
    return conform(_without_flat_middles(_without_cut_tails(rows)), "s_leo")


def _with_rising_times(rows: DataFrame) -> DataFrame:
    """Producers' clocks go back and forth; a record was not appended before the one in front of it."""
    along = so_far(Window.partitionBy(*TOPIC_PARTITION, "topic_id", "sampler").orderBy("leo", "end_ms"))
    exact = F.col("sampler") == "segment"
    latest = F.max("end_ms").over(along)
    return rows.withColumn("_latest", latest).select(
        *(c for c in _SAMPLE if c not in ("begin_ms", "end_ms")),
        F.when(exact, F.col("_latest")).otherwise(F.col("begin_ms")).alias("begin_ms"),
        F.when(exact, F.col("_latest")).otherwise(F.col("end_ms")).alias("end_ms"),
    )


def _with_epochs(rows: DataFrame) -> DataFrame:
    order = _by_time(*TOPIC_PARTITION)
    fell = F.col("leo") < F.lag("leo").over(order)
    other_id = F.col("topic_id") != F.lag("topic_id").over(order)
    # Trap 23: only an election cuts a tail, and it raises the leader epoch; a topic made anew starts at epoch 0 (trap 22).
    elected = F.col("leader_epoch") > F.lag("leader_epoch").over(order)
    below_start = F.col("leo") < F.lag("log_start").over(order)
    anew = _is(other_id) | (_is(fell) & (~_is(elected) | _is(below_start)))
    marked = rows.withColumn("_anew", anew.cast("int"))
    return marked.withColumn("topic_epoch", F.sum("_anew").over(so_far(order)))


def _without_cut_tails(rows: DataFrame) -> DataFrame:
    """Offsets that a later sample no longer had were written again afterwards: the earlier samples do not prove their age."""
    from_the_end = Window.partitionBy(*TOPIC_PARTITION, "topic_epoch").orderBy(
        F.col("end_ms").desc(), F.col("leo").desc(), F.col("log_start").desc()
    )
    lowest_later = F.min("leo").over(so_far(from_the_end))
    return rows.withColumn("leo", lowest_later)


def _without_flat_middles(rows: DataFrame) -> DataFrame:
    order = _by_time(*TOPIC_PARTITION, "topic_epoch")
    first = ~_is(F.lag("leo").over(order) == F.col("leo"))
    last = ~_is(F.lead("leo").over(order) == F.col("leo"))
    start_moved = _is(F.lag("log_start").over(order) != F.col("log_start"))
    return rows.withColumn("_kept", first | last | start_moved).where("_kept")


def newest_end_offsets(leo: DataFrame) -> DataFrame:
    """The newest sample of each partition, of its present epoch."""
    order = Window.partitionBy(*TOPIC_PARTITION).orderBy(
        *(F.col(name).desc() for name in ("topic_epoch", "end_ms", "leo", "log_start"))
    )
    return leo.withColumn("_rank", F.row_number().over(order)).where("_rank = 1").drop("_rank")


def _by_time(*keys: str) -> WindowSpec:
    return Window.partitionBy(*keys).orderBy("end_ms", "leo", "log_start")


def _is(condition: Column) -> Column:
    return F.coalesce(condition, F.lit(False))
