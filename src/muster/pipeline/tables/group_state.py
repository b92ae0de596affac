"""Each group as it stands at the end of what was read: its state, its members' topics, and who owns what.

A group without a row here has only offsets: a simple consumer, or a group that was removed (trap 16). A tombstone of a classic
group that went over to the KIP-848 protocol is no removal: what that protocol wrote later counts (trap 2).

Columns: cluster, group_id, type (classic, consumer), state, protocol_type, generation, n_members, empty_since_ms (null: not empty,
or nobody knows), topics (subscribed by anybody; null: cannot be told), seen_ms, log_partition, log_offset.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muster.pipeline.tables.columns import GROUP, LOG, newest

_MEMBER_METADATA = 5
_GROUP_METADATA = 3
_REBALANCING = ("PreparingRebalance", "CompletingRebalance")


def group_states(
    generations: DataFrame, members: DataFrame, group_epochs: DataFrame, member_epochs: DataFrame, journal: DataFrame
) -> DataFrame:
    both = _classic(generations, members, journal).unionByName(_consumer(group_epochs, member_epochs))
    return newest(both, GROUP, "log_offset")


def owners(states: DataFrame, assignments: DataFrame) -> DataFrame:
    """(cluster, group_id, topic, partition, owner) of the newest generation of each group."""
    place = states.where("type = 'classic' and n_members > 0").select(*LOG, "log_offset")
    rows = assignments.join(place, [*LOG, "log_offset"], "left_semi")
    return rows.groupBy(*GROUP, "topic", "partition").agg(F.min("identity").alias("owner"))


def _classic(generations: DataFrame, members: DataFrame, journal: DataFrame) -> DataFrame:
    last = newest(generations, GROUP, "log_offset").where("kind != 'deleted'")
    topics = (
        members.groupBy(*LOG, "log_offset")
        .agg(
            F.array_distinct(F.flatten(F.collect_list("topics"))).alias("topics"),
            F.max(F.col("topics").isNull()).alias("_unreadable"),
        )
        .withColumn("topics", F.when(~F.col("_unreadable"), F.col("topics")))
    )
    nobody = F.col("n_members") == 0
    stored = F.when(nobody, "Empty").otherwise("Stable")
    return (
        last.join(topics, [*LOG, "log_offset"], "left")
        .join(_rebalancing(journal), list(GROUP), "full")
        .where(F.col("_state").isNotNull() | F.col("generation").isNotNull())
        # A rebalance under way is only in the journal; the record that ends it is younger than its last event.
        .withColumn("_under_way", F.coalesce(F.col("_at_ms") >= F.col("record_ms"), F.col("_at_ms").isNotNull()))
        .withColumn("state", F.when(F.col("_under_way"), F.col("_state")).otherwise(stored))
        .where("state is not null")
        .select(
            *GROUP,
            F.lit("classic").alias("type"),
            "state",
            F.when(F.col("protocol_type") != "", F.col("protocol_type")).alias("protocol_type"),
            "generation",
            "n_members",
            F.when(nobody & (F.col("state_ms") >= 0), F.col("state_ms")).alias("empty_since_ms"),
            "topics",
            F.col("record_ms").alias("seen_ms"),
            "log_partition",
            F.coalesce("log_offset", F.lit(-1)).alias("log_offset"),
        )
    )


def _rebalancing(journal: DataFrame) -> DataFrame:
    """Groups whose last word in the journal is a move into a rebalance, not out of it and not their removal."""
    moves = journal.where(F.col("kind").isin("state_changed", "group_removed"))
    last = newest(moves, GROUP, "log_offset").withColumn("_state", F.get_json_object("payload", "$.to"))
    return last.where(F.col("_state").isin(*_REBALANCING)).select(*GROUP, "_state", F.col("at_ms").alias("_at_ms"))


def _consumer(group_epochs: DataFrame, member_epochs: DataFrame) -> DataFrame:
    group = newest(group_epochs.where(F.col("record_type") == _GROUP_METADATA), GROUP, "log_offset").where(
        "not is_tombstone"
    )
    metadata = member_epochs.where(F.col("record_type") == _MEMBER_METADATA)
    alive = newest(metadata, (*GROUP, "member_id"), "log_offset").where("not is_tombstone")
    of_group = alive.groupBy(*GROUP).agg(
        F.count("*").cast("int").alias("n_members"),
        F.array_distinct(F.flatten(F.collect_list("topics"))).alias("topics"),
        F.max(F.col("topics").isNull()).alias("_unreadable"),
    )
    joined = group.join(of_group, list(GROUP), "left").withColumn("n_members", F.coalesce("n_members", F.lit(0)))
    return joined.select(
        *GROUP,
        F.lit("consumer").alias("type"),
        F.when(F.col("n_members") == 0, "Empty").otherwise("Stable").alias("state"),
        F.lit("consumer").alias("protocol_type"),
        F.col("epoch").alias("generation"),
        "n_members",
        F.when(F.col("n_members") == 0, F.col("record_ms")).alias("empty_since_ms"),
        F.when(F.col("n_members") == 0, F.array().cast("array<string>"))
        .when(~F.col("_unreadable"), F.col("topics"))
        .alias("topics"),
        F.col("record_ms").alias("seen_ms"),
        "log_partition",
        "log_offset",
    )
