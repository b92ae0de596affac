"""`s_group_generation`, finished: which life of the group, what kind of change, how many generations since the last record.

| generation against the record before | kind |
|---|---|
| a tombstone | deleted; what follows is another life (trap 31) |
| no members and generation 0 | created (trap 15) |
| no members, but generations before | empty |
| the same generation, members | static_replace: a static member came back, no rebalance (trap 32) |
| higher, or first of a group whose generation is 1 | rebalance |
| nothing before it, generation above 1 | unknown_prev: its predecessor was compacted away or lies before what was read |
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muster.pipeline.tables.columns import GROUP, conform, in_log_order, so_far
from muster.pipeline.tables.log_extent import with_faithful

_FIRST = 1


def finished_generations(decoded: DataFrame, extent: DataFrame) -> DataFrame:
    """A tombstone of the decoder has the kind `deleted` and no generation."""
    order = in_log_order(*GROUP)
    gone = F.coalesce(F.col("kind") == "deleted", F.lit(False))
    rows = (
        with_faithful(decoded, extent)
        .withColumn("_gone", gone)
        .withColumn("_gone_before", F.coalesce(F.lag("_gone").over(order), F.lit(False)))
        .withColumn("_before", F.lag("generation").over(order))
    )
    restarted = F.coalesce(F.col("generation") < F.col("_before"), F.lit(False)) | F.col("_gone_before")
    rows = rows.withColumn("_new_life", restarted).withColumn(
        "group_life", F.sum(F.col("_new_life").cast("int")).over(so_far(order))
    )
    known_before = F.col("_before").isNotNull() & ~F.col("_new_life")
    step = F.when(known_before, F.col("generation") - F.col("_before"))
    # A group begins at generation 0, so what precedes its first generation is known although no record says it.
    step = F.coalesce(step, F.when(F.col("generation") <= _FIRST, F.col("generation")))
    rows = rows.withColumn("d_generation", F.when(~F.col("_gone"), step))
    kind = (
        F.when(F.col("_gone"), "deleted")
        .when((F.col("n_members") == 0) & (F.col("generation") == 0), "created")
        .when(F.col("n_members") == 0, "empty")
        .when(F.col("d_generation").isNull(), "unknown_prev")
        .when(F.col("d_generation") == 0, "static_replace")
        .otherwise("rebalance")
    )
    # Written on entry to CompletingRebalance, so the record's age of state is the sync phase. -1 is unknown.
    synced = F.when((F.col("state_ms") >= 0) & (F.col("n_members") > 0), F.col("record_ms") - F.col("state_ms"))
    sync_ms = F.when(F.col("d_generation") != 0, synced).when(F.col("d_generation").isNull(), synced)
    return conform(rows.withColumn("kind", kind).withColumn("sync_ms", sync_ms), "s_group_generation")
