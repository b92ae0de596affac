"""`s_offset_commit`, finished: whose transaction was committed, what came before and after, whether history is whole.

Offsets of an open or aborted transaction never count (traps 5 and 7). A committed one begins to count with its marker but keeps its
place in the log (trap 6, analytics 2.4): the marker's time, the record's order.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from muster.pipeline.tables.columns import LOG, POSITION, conform, position_hash
from muster.pipeline.tables.log_extent import with_faithful

_COMMIT_MARKER = 1
_FILLED_IN = (
    "txn_state",
    "effective_ms",
    "is_effective",
    "faithful",
    "prev_offset",
    "prev_commit_ms",
    "is_duplicate",
    "is_rewind",
    "next_commit_ms",
    "newer",
)


def finished_offset_commits(decoded: DataFrame, markers: DataFrame, extent: DataFrame) -> DataFrame:
    """`decoded` has `producer_id` and `is_transactional` behind its columns; `markers` are the ends of transactions."""
    decoded = decoded.drop(*_FILLED_IN)  # nulls take room too where rows are sorted
    transactional = F.coalesce("is_transactional", F.lit(False))
    plain = (
        decoded.where(~transactional)
        # A source that cannot tell gives null: such rows count, and say that nobody knows.
        .withColumn("txn_state", F.when(F.col("is_transactional").isNull(), "unknown").otherwise("none"))
        .withColumn("effective_ms", F.col("record_ms"))
    )
    rows = plain.unionByName(_with_ends(decoded.where(transactional), markers))
    rows = rows.withColumn("is_effective", F.col("txn_state").isin("none", "unknown", "committed"))
    return conform(
        with_faithful(_with_neighbours(rows.drop("producer_id", "is_transactional")), extent), "s_offset_commit"
    )


def _with_ends(transactional: DataFrame, markers: DataFrame) -> DataFrame:
    """Each record with the first marker of its producer behind it; none there: the transaction is open."""
    marks = markers.select(
        *LOG,
        "producer_id",
        "log_offset",
        F.struct(F.col("control_type").alias("type"), F.col("record_ms").alias("at_ms")).alias("_marker"),
    )
    behind = Window.partitionBy(*LOG, "producer_id").orderBy(F.col("log_offset").desc())
    up_to_here = behind.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    ended = (
        transactional.unionByName(marks, allowMissingColumns=True)
        .withColumn("_end", F.last("_marker", ignorenulls=True).over(up_to_here))
        .where(F.col("_marker").isNull())
    )
    state = (
        F.when(F.col("_end").isNull(), "open")
        .when(F.col("_end.type") == _COMMIT_MARKER, "committed")
        .otherwise("aborted")
    )
    return (
        ended.withColumn("txn_state", state)
        .withColumn("effective_ms", F.when(state == "committed", F.col("_end.at_ms")))
        .drop("_marker", "_end")
    )


def _with_neighbours(rows: DataFrame) -> DataFrame:
    """What came before and after among the records that count; a tombstone breaks the chain."""
    order = Window.partitionBy("_hash", *POSITION, "is_effective").orderBy("log_offset")
    everything = order.rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    effective = F.col("is_effective")
    previous = F.lag("committed_offset").over(order)
    newer = (F.count("*").over(everything) - F.row_number().over(order)).cast("int")
    tombstone = F.coalesce("is_tombstone", F.lit(False))
    return (
        rows.withColumn("_hash", position_hash())
        .withColumns(
            {
                "prev_offset": F.when(effective, previous),
                "prev_commit_ms": F.when(effective, F.lag("commit_ms").over(order)),
                "next_commit_ms": F.when(effective, F.lead(F.coalesce("commit_ms", "record_ms")).over(order)),
                "newer": F.when(effective, newer),
            }
        )
        .withColumn(
            "is_duplicate", ~tombstone & F.coalesce(F.col("committed_offset") == F.col("prev_offset"), F.lit(False))
        )
        .withColumn(
            "is_rewind", ~tombstone & F.coalesce(F.col("committed_offset") < F.col("prev_offset"), F.lit(False))
        )
    )


def current_offsets(commits: DataFrame) -> DataFrame:
    """`s_current_offset`: the newest record that counts, unless it is a tombstone (trap 1). What OffsetFetch answers."""
    return conform(commits.where("newer = 0 and not is_tombstone"), "s_current_offset")
