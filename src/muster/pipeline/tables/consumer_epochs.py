"""Rebalances of KIP-848 groups, whose log tells their whole length: the epoch bump, the target, each member's arrival.

| record | says |
|---|---|
| ConsumerGroupMetadata (3) with epoch e | the rebalance to e began |
| CurrentMemberAssignment (8) with member epoch e | that member has arrived |
| ConsumerGroupMemberMetadata (5), first or a tombstone | somebody came or went |

A group epoch that no member reached before the next bump was overtaken: it is counted as aborted with the next one.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from muster.pipeline.tables.columns import GROUP, in_log_order, so_far

_GROUP_METADATA, _MEMBER_METADATA, _MEMBER_ASSIGNMENT = 3, 5, 8
_CONFIDENCE = 0.8


def epoch_rebalances(group_epochs: DataFrame, member_epochs: DataFrame) -> DataFrame:
    """Columns of `g_rebalance` as far as the log knows them."""
    bumps = group_epochs.where((F.col("record_type") == _GROUP_METADATA) & ~F.col("is_tombstone")).select(
        *GROUP,
        "log_partition",
        "log_offset",
        F.col("record_ms").alias("started_ms"),
        F.col("epoch").alias("generation"),
    )
    previous = F.lag("log_offset").over(in_log_order(*GROUP))
    bumps = bumps.withColumn("_since", F.coalesce(previous, F.lit(-1)))
    rows = bumps.join(_arrivals(member_epochs), [*GROUP, "generation"], "left").join(
        _changes(bumps, member_epochs), [*GROUP, "generation"], "left"
    )
    return _finished(rows)


def _arrivals(member_epochs: DataFrame) -> DataFrame:
    arrived = member_epochs.where((F.col("record_type") == _MEMBER_ASSIGNMENT) & ~F.col("is_tombstone"))
    return arrived.groupBy(*GROUP, F.col("member_epoch").alias("generation")).agg(
        F.max("record_ms").alias("ended_ms"), F.countDistinct("member_id").cast("int").alias("members_after")
    )


def _changes(bumps: DataFrame, member_epochs: DataFrame) -> DataFrame:
    """Members whose metadata came, changed or went since the bump before; they are written just before the bump or with it."""
    order = in_log_order(*GROUP, "member_id")
    metadata = member_epochs.where(F.col("record_type") == _MEMBER_METADATA)
    known = F.coalesce(~F.lag("is_tombstone").over(order), F.lit(False))
    events = metadata.select(
        *GROUP,
        F.col("member_id").alias("_member"),
        F.coalesce("instance_id", "member_id").alias("_identity"),
        F.col("log_offset").alias("_at"),
        F.when(F.col("is_tombstone"), "gone").when(known, "changed").otherwise("joined").alias("_what"),
    )
    spans = bumps.join(events, list(GROUP)).where("_at > _since and _at <= log_offset")

    def those(what: str) -> F.Column:
        return F.sort_array(F.collect_set(F.when(F.col("_what") == what, F.col("_identity"))))

    return spans.groupBy(*GROUP, "generation").agg(
        those("joined").alias("joined"),
        those("gone").alias("gone"),
        those("changed").alias("_changed"),
        F.min("_member").alias("_one"),
        F.countDistinct("_member").alias("_members"),
    )


def _finished(rows: DataFrame) -> DataFrame:
    came, went = F.size("joined") > 0, F.size("gone") > 0
    cause = (
        F.when(F.col("joined").isNull(), "partitions_grew")
        .when(came & went, "members_changed")
        .when(came, "new_member")
        .when(went, "left_or_expired")
        .otherwise("metadata_changed")
    )
    order = Window.partitionBy(*GROUP).orderBy("log_offset")
    overtaken = F.col("ended_ms").isNull()
    finished = F.when(~overtaken, F.col("log_offset"))
    rows = (
        rows.withColumn("cause", cause)
        .withColumn("trigger_member", F.when(F.col("_members") == 1, F.col("_one")))
        .withColumn("_round", F.count(finished).over(so_far(order)) - F.when(overtaken, 0).otherwise(1))
    )
    rounds = Window.partitionBy(*GROUP, "_round")
    return (
        rows.withColumn("aborted_generations", F.sum(overtaken.cast("int")).over(rounds))
        .where("ended_ms is not null")
        .select(
            *GROUP,
            "generation",
            "log_offset",
            F.lit(0).alias("group_life"),
            "started_ms",
            "ended_ms",
            "cause",
            "trigger_member",
            F.lit("log").alias("source"),
            F.when(F.col("joined").isNull(), _CONFIDENCE / 2).otherwise(_CONFIDENCE).alias("confidence"),
            "members_after",
            "joined",
            "gone",
            F.col("aborted_generations").cast("int").alias("aborted_generations"),
            F.lit("consumer").alias("protocol"),
        )
    )
