"""`b_log_record` and `s_offset_commit` as DataFrames over the log, with what depends on neighbours filled in when they are read.

Whether a commit is the current one changes with every later commit, so it is not stored. Offsets of an open or aborted transaction
never count. A committed one begins to count with its marker but keeps its place in the log: the marker's time, the record's order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from muster.core.internal_topics import CONSUMER_OFFSETS
from muster.pipeline.schemas import TABLES
from muster.wire.special_values import COMMIT_MARKER

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_KEY: Final = ("cluster", "log_partition", "group_id", "topic", "partition")


def log_records(log: DataFrame) -> DataFrame:
    """`b_log_record`: every record that was read. Bytes are there only of those that could not be decoded."""
    records = log.where("log_offset >= 0").drop("leader_epoch").withColumnRenamed("batch_leader_epoch", "leader_epoch")
    return records.select(*TABLES["b_log_record"].names)


def offset_commits(log: DataFrame, state: DataFrame) -> DataFrame:
    """`s_offset_commit`: every commit and tombstone, in the columns of the contract. `state` knows the holes of the log."""
    from pyspark.sql import functions as F

    decided = _with_effect(_with_transactions(log.where(F.col("log_topic") == CONSUMER_OFFSETS)))
    commits = _with_neighbours(decided).withColumnsRenamed({"record_type": "key_version"})
    starts = state.where("kind = 'extent'").where(F.col("extent.log_topic") == CONSUMER_OFFSETS)
    starts = starts.select("cluster", "log_partition", F.col("extent.faithful_from").alias("faithful_from"))
    joined = commits.join(F.broadcast(starts), ["cluster", "log_partition"], "left")
    faithful = F.coalesce(F.col("log_offset") >= F.col("faithful_from"), F.lit(False))
    return joined.withColumn("faithful", faithful).select(*TABLES["s_offset_commit"].names)


def _with_transactions(log: DataFrame) -> DataFrame:
    """Adds txn_state, and when (_counts_ms) and where in the log (_applied_at) a record begins to count, if it ever does.

    The first marker of its producer behind a record decides.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    is_commit = F.col("record_type").isin(0, 1) & F.col("problem").isNull()
    # Records outside of transactions have no producer to be grouped by: they do not go through the window.
    plain = log.where(is_commit & ~F.coalesce("is_transactional", F.lit(False)))
    unknown = F.when(F.col("is_transactional").isNull(), "unknown").otherwise("none")
    when_written = (F.col("record_ms").alias("_counts_ms"), F.col("log_offset").alias("_applied_at"))
    plain = plain.select("*", unknown.alias("txn_state"), *when_written)

    is_marker = F.coalesce("is_control", F.lit(False)) & F.col("control_type").isNotNull()
    in_transactions = log.where((is_commit & F.col("is_transactional")) | is_marker)
    # From the end backwards, so that each row sees the marker behind it in one pass.
    backwards = Window.partitionBy("cluster", "log_partition", "producer_id").orderBy(F.desc("log_offset"))
    behind = backwards.rowsBetween(Window.unboundedPreceding, -1)
    marker = F.when(is_marker, F.struct("control_type", "record_ms", "log_offset"))
    found = in_transactions.withColumn("_marker", F.last(marker, ignorenulls=True).over(behind)).where(is_commit)
    committed = F.col("_marker.control_type") == COMMIT_MARKER
    state = F.when(F.col("_marker").isNull(), "open").when(committed, "committed").otherwise("aborted")
    ended = found.select(
        "*",
        state.alias("txn_state"),
        F.when(committed, F.col("_marker.record_ms")).alias("_counts_ms"),
        F.when(committed, F.col("_marker.log_offset")).alias("_applied_at"),
    )
    return plain.unionByName(ended.drop("_marker"))


def _with_effect(commits: DataFrame) -> DataFrame:
    """Adds is_effective and effective_ms. A commit of a transaction that lies before what was applied for its position by then
    is passed over by the coordinator, and so is one that its own transaction replaced.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    applied = F.col("_applied_at").isNotNull()
    earlier = Window.partitionBy(*_KEY).orderBy("_applied_at", "log_offset")
    newest = F.max(F.when(applied, F.col("log_offset"))).over(earlier.rowsBetween(Window.unboundedPreceding, -1))
    last = F.max("log_offset").over(Window.partitionBy(*_KEY, "_applied_at")) == F.col("log_offset")
    effective = applied & last & ~F.coalesce(newest > F.col("log_offset"), F.lit(False))
    found = commits.withColumn("is_effective", effective)
    return found.withColumn("effective_ms", F.when(F.col("is_effective"), F.col("_counts_ms")))


def _with_neighbours(commits: DataFrame) -> DataFrame:
    """Adds what came before and after, among the records of the same key that count."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    # Records that do not count have neighbours of their own here, which are then left out.
    same_key = Window.partitionBy(*_KEY, "is_effective")
    in_order = same_key.orderBy("log_offset")
    counts = F.col("is_effective")
    last_tombstone = F.max(F.when(F.col("is_tombstone"), F.col("log_offset"))).over(same_key)
    erased = F.coalesce(F.col("log_offset") < last_tombstone, F.lit(False))
    with_neighbours = commits.select(
        "*",
        F.when(counts, F.lag("committed_offset").over(in_order)).alias("prev_offset"),
        F.when(counts, F.lag("commit_ms").over(in_order)).alias("prev_commit_ms"),
        F.when(counts, F.lead(F.coalesce("commit_ms", "record_ms")).over(in_order)).alias("next_commit_ms"),
        F.when(counts & ~erased, F.count(F.lit(1)).over(same_key) - F.row_number().over(in_order))
        .cast("int")
        .alias("newer"),
    )
    repeated = F.coalesce(F.col("committed_offset") == F.col("prev_offset"), F.lit(False))
    went_back = F.coalesce(F.col("committed_offset") < F.col("prev_offset"), F.lit(False))
    return with_neighbours.withColumns({"is_duplicate": repeated, "is_rewind": went_back})
