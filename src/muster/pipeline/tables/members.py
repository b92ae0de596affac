"""`g_member` and `g_member_churn`: who was in a group and when, and how many came and went a day.

A member is its group instance id, else its member id. A static member that restarts keeps its place: a restart, not churn
(trap 32). Who left by itself and who expired is known from the journal; without one `expiries` is null, not zero (trap 33).
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from muster.pipeline.tables.columns import GROUP, LOG, conform, newest, utc_date

_MEMBER_METADATA, _MEMBER_ASSIGNMENT = 5, 8


def members_seen(
    generations: DataFrame,
    members: DataFrame,
    assignments: DataFrame,
    member_epochs: DataFrame,
    journal: DataFrame,
    rebalances: DataFrame,
    states: DataFrame,
) -> DataFrame:
    """`rebalances` are `g_rebalance`, `states` those of `group_state`."""
    rows = _classic(generations, members, assignments, states).unionByName(_consumer(member_epochs))
    departures = _departures(rebalances)
    farewells = _farewells(journal)
    joined = rows.join(departures, [*GROUP, "identity"], "left").join(farewells, [*GROUP, "member_id"], "left")
    gone = ~F.col("is_present")
    return conform(
        joined.withColumn("left_because", F.when(gone, F.coalesce("_said", "_inferred")))
        .withColumn(
            "last_seen_ms", F.when(gone, F.coalesce("_left_ms", "_gone_ms", "_last_ms")).otherwise(F.col("_last_ms"))
        )
        .withColumn("last_seen_ms", F.greatest("last_seen_ms", "_last_ms")),
        "g_member",
    )


def _classic(generations: DataFrame, members: DataFrame, assignments: DataFrame, states: DataFrame) -> DataFrame:
    place = [*LOG, "log_offset"]
    here = states.where("type = 'classic'").select(*place).withColumn("_here", F.lit(True))
    owned = assignments.join(here, place).groupBy(*GROUP, "identity").agg(F.count("*").cast("int").alias("_owned"))
    lives = generations.select(*place, "group_life")
    rows = members.join(lives, place, "left").join(here, place, "left")
    newest_id = F.max_by("member_id", "log_offset")
    seen = rows.groupBy(*GROUP, "identity").agg(
        newest_id.alias("member_id"),
        F.max_by("client_id", "log_offset").alias("client_id"),
        F.max_by("client_host", "log_offset").alias("client_host"),
        F.max(F.col("instance_id").isNotNull()).alias("is_static"),
        F.min("record_ms").alias("first_seen_ms"),
        F.max("record_ms").alias("_last_ms"),
        F.max(F.coalesce("_here", F.lit(False))).alias("is_present"),
        F.countDistinct("group_life", "generation").cast("int").alias("n_generations"),
        (F.countDistinct("member_id") - 1).cast("int").alias("n_restarts"),
    )
    return (
        seen.join(owned, [*GROUP, "identity"], "left")
        .withColumn("n_partitions", F.when(F.col("is_present"), F.coalesce("_owned", F.lit(0))))
        .drop("_owned")
    )


def _consumer(member_epochs: DataFrame) -> DataFrame:
    """KIP-848: metadata records tell who, assignment records how much and in how many epochs."""
    metadata = member_epochs.where(F.col("record_type") == _MEMBER_METADATA)
    last = newest(metadata, (*GROUP, "member_id"), "log_offset").select(*GROUP, "member_id", ~F.col("is_tombstone"))
    last = last.toDF(*GROUP, "member_id", "is_present")
    who = (
        metadata.where("not is_tombstone")
        .groupBy(*GROUP, "member_id")
        .agg(
            F.max_by(F.coalesce("instance_id", "member_id"), "log_offset").alias("identity"),
            F.max_by("client_id", "log_offset").alias("client_id"),
            F.max_by("client_host", "log_offset").alias("client_host"),
            F.max(F.col("instance_id").isNotNull()).alias("is_static"),
        )
    )
    alive = (
        member_epochs.where(~F.col("is_tombstone"))
        .groupBy(*GROUP, "member_id")
        .agg(F.min("record_ms").alias("first_seen_ms"), F.max("record_ms").alias("_last_ms"))
    )
    held = member_epochs.where((F.col("record_type") == _MEMBER_ASSIGNMENT) & ~F.col("is_tombstone"))
    held = held.groupBy(*GROUP, "member_id").agg(
        F.countDistinct("member_epoch").cast("int").alias("n_generations"),
        F.max_by("n_assigned", "log_offset").alias("_owned"),
    )
    key = [*GROUP, "member_id"]
    rows = who.join(alive, key).join(last, key).join(held, key, "left")
    return rows.select(
        *GROUP,
        "identity",
        "member_id",
        "client_id",
        "client_host",
        "is_static",
        "first_seen_ms",
        "_last_ms",
        "is_present",
        F.coalesce("n_generations", F.lit(0)).alias("n_generations"),
        F.lit(0).alias("n_restarts"),
        F.when(F.col("is_present"), F.coalesce("_owned", F.lit(0))).alias("n_partitions"),
    )


def _departures(rebalances: DataFrame) -> DataFrame:
    """When each identity last went missing from a generation, and why as far as that rebalance tells."""
    gone = rebalances.select(*GROUP, F.explode("gone").alias("identity"), "ended_ms", "cause")
    return gone.groupBy(*GROUP, "identity").agg(
        F.max("ended_ms").alias("_gone_ms"), F.max_by("cause", "ended_ms").alias("_inferred")
    )


def _farewells(journal: DataFrame) -> DataFrame:
    events = journal.where(F.col("kind").isin("member_left", "member_expelled"))
    return events.groupBy(*GROUP, "member_id").agg(
        F.max("at_ms").alias("_left_ms"), F.max_by("cause", "log_offset").alias("_said")
    )


def member_churn(rebalances: DataFrame, generations: DataFrame, journal: DataFrame) -> DataFrame:
    """A row a group and day on which something happened. Static restarts stand apart from joins and leaves."""
    day = utc_date(F.col("ended_ms"))
    of_log = rebalances.groupBy(*GROUP, day.alias("dt")).agg(
        F.sum(F.coalesce(F.size("joined"), F.lit(0))).alias("joins"),
        F.sum(F.coalesce(F.size("gone"), F.lit(0))).alias("_gone"),
        F.count("*").alias("rebalances"),
    )
    restarts = (
        generations.where("kind = 'static_replace'")
        .groupBy(*GROUP, utc_date(F.col("record_ms")).alias("dt"))
        .agg(F.count("*").alias("_restarts"))
    )
    told = journal.groupBy(*GROUP, utc_date(F.col("at_ms")).alias("dt")).agg(
        F.sum((F.col("kind") == "member_left").cast("int")).alias("_left"),
        F.sum((F.col("kind") == "member_expelled").cast("int")).alias("_expelled"),
        F.sum((F.col("kind") == "member_joined").cast("int")).alias("_joined"),
    )
    key = [*GROUP, "dt"]
    rows = of_log.join(restarts, key, "full").join(told, key, "full")
    with_journal = F.col("_left").isNotNull()
    zero = F.lit(0)
    return conform(
        rows.withColumns(
            {
                # The journal also sees members that came and went between two generations.
                "joins": F.when(with_journal, F.col("_joined")).otherwise(F.coalesce("joins", zero)),
                "leaves": F.when(with_journal, F.col("_left")).otherwise(F.coalesce("_gone", zero)),
                "expiries": F.col("_expelled"),
                "static_restarts": F.coalesce("_restarts", zero),
                "rebalances": F.coalesce("rebalances", zero),
            }
        ),
        "g_member_churn",
    )
