"""What the journal knows of each rebalance: from the first event that shook a group to the moment it was stable or empty again.

One row a rebalance that ended. Rounds that were cut short on the way belong to it: its cause and its trigger are those of the first
round, its phases those of the last. Joined to the log's generations by group, generation and time; either may lack the other's row.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muster.pipeline.tables.columns import GROUP, in_log_order, so_far

_DETAIL = (
    "result string, started_ms long, started_by string, join_phase_ms long, sync_phase_ms long, "
    "waited_for string, waited_ms long, members int, protocol string, dropped array<string>"
)


def journal_rebalances(journal: DataFrame) -> DataFrame:
    rounds = journal.where(F.col("kind").isin("rebalance_started", "rebalance_ended")).withColumn(
        "detail", F.from_json("payload", _DETAIL)
    )
    over = F.col("kind").eqNullSafe("rebalance_ended") & F.coalesce(
        F.col("detail.result") != "interrupted", F.lit(False)
    )
    order = in_log_order(*GROUP)
    # Ends before this row: all rows of one rebalance count the same.
    earlier_ends = F.coalesce(F.sum(over.cast("int")).over(so_far(order)), F.lit(0)) - over.cast("int")
    rounds = rounds.withColumn("_over", over).withColumn("_nth", earlier_ends)
    started, ended = F.col("kind") == "rebalance_started", F.col("_over")
    start = F.struct("log_offset", "at_ms", "cause", "member_id", "instance_id", "client_id", "client_host", "reason")
    end = F.struct("log_offset", "at_ms", "generation", "detail")
    cut_short = (F.col("kind") == "rebalance_ended") & ~F.col("_over")
    told = rounds.groupBy(*GROUP, "_nth").agg(
        F.min(F.when(started, start)).alias("start"),
        F.max_by(F.when(ended, end), F.when(ended, F.col("log_offset"))).alias("end"),
        F.sum(cut_short.cast("int")).alias("cut_short"),
    )
    return told.where("end is not null").select(
        *GROUP,
        F.col("end.generation").alias("j_generation"),
        F.coalesce("start.at_ms", "end.detail.started_ms").alias("j_started_ms"),
        F.col("end.at_ms").alias("j_ended_ms"),
        # A coordinator that took over in the middle told no start; the end still says what began it.
        F.coalesce("start.cause", "end.detail.started_by").alias("j_cause"),
        F.col("start.member_id").alias("j_trigger"),
        F.col("start.reason").alias("j_reason"),
        F.col("end.detail.result").alias("j_result"),
        F.col("end.detail.join_phase_ms").alias("j_join_ms"),
        F.col("end.detail.sync_phase_ms").alias("j_sync_ms"),
        F.col("end.detail.waited_for").alias("j_waited_for"),
        F.col("end.detail.waited_ms").alias("j_waited_ms"),
        F.col("end.detail.members").alias("j_members"),
        F.col("end.detail.protocol").alias("j_protocol"),
        F.col("cut_short").alias("j_cut_short"),
    )
