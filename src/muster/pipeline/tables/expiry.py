"""`g_expiry`: when each committed offset goes, by the coordinator's own rule (KIP-211; muster.core.offsets.expire).

| group | offsets of | age counts from |
|---|---|---|
| any | a commit with an expire time of its own | goes at that time |
| simple, or removed | any topic | the commit |
| classic, Empty | any topic | when it became empty; the commit if that is unknown |
| classic, Stable, consumer protocol, subscriptions known | topics nobody subscribes to | the commit |
| classic, anything else | | never |
| KIP-848 | topics nobody subscribes to; all when it is empty | the commit |

`expires_ms` is when it is due; it goes with the first check from then on. A pending transactional commit keeps it.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from muster.pipeline.tables.columns import GROUP, POSITION, conform
from muster.pipeline.tables.durations import span
from muster.pipeline.tables.settings import GoldSettings


def offset_expiry(
    current: DataFrame, states: DataFrame, commits: DataFrame, lag: DataFrame, settings: GoldSettings
) -> DataFrame:
    pending = commits.where("txn_state = 'open'").select(*POSITION).distinct().withColumn("_pending", F.lit(True))
    rows = (
        current.join(states.drop("log_partition", "log_offset"), list(GROUP), "left")
        .join(pending, list(POSITION), "left")
        .join(lag.select(*POSITION, F.col("lag").alias("at_risk_records")), list(POSITION), "left")
        .withColumn("_subscribed", F.array_contains("topics", F.col("topic")))
        .withColumn("_rule", _rule())
    )
    eligible = F.col("_rule").isin("commit", "empty", "unsubscribed")
    own_time = F.col("expire_ms") >= 0
    base = F.when(eligible & (F.col("_rule") == "empty"), F.coalesce("empty_since_ms", "commit_ms")).when(
        eligible, F.col("commit_ms")
    )
    due = F.when(eligible & own_time, F.col("expire_ms")).when(
        eligible, F.col("base_ms") + settings.offsets_retention_ms
    )
    return conform(
        rows.withColumn("committed", F.col("committed_offset"))
        .withColumn("base_ms", base)
        .withColumn("expires_ms", due)
        .withColumn("group_state", F.coalesce("state", F.lit("Simple")))
        .withColumn("reason", _reason(settings)),
        "g_expiry",
    )


def _rule() -> Column:
    simple = F.col("state").isNull() | (F.col("protocol_type").isNull() & (F.col("state") == "Empty"))
    readable = F.col("topics").isNotNull() & (F.col("protocol_type") == "consumer")
    classic_stable = (F.col("type") == "classic") & (F.col("state") == "Stable")
    return (
        F.when(F.col("_pending").isNotNull(), "pending")
        .when(simple, "commit")
        .when((F.col("type") == "classic") & (F.col("state") == "Empty"), "empty")
        .when((F.col("type") == "consumer") & F.col("topics").isNull(), "unreadable")
        .when(
            (classic_stable & readable) | (F.col("type") == "consumer"),
            F.when(F.col("_subscribed"), "subscribed").otherwise("unsubscribed"),
        )
        .when(classic_stable, "unreadable")
        .otherwise("rebalancing")
    )


def _reason(settings: GoldSettings) -> Column:
    kept = span(settings.offsets_retention_ms)
    rule = F.col("_rule")
    said = (
        F.when(rule == "pending", "kept: a transaction with this offset is open")
        .when(rule == "subscribed", "kept: a member subscribes to the topic")
        .when(rule == "rebalancing", "kept: the group is rebalancing")
        .when(rule == "unreadable", "kept: nobody can read what the members subscribe to")
        .when(F.col("expire_ms") >= 0, "the commit named its own time")
        .when(rule == "commit", f"no members ever or any more: {kept} after its commit")
        .when(
            (rule == "empty") & F.col("empty_since_ms").isNull(),
            f"the group is empty, nobody knows since when: {kept} after its commit",
        )
        .when(rule == "empty", f"the group is empty: {kept} after it became so")
        .otherwise(f"no member subscribes to the topic: {kept} after its commit")
    )
    overdue = F.col("expires_ms") <= settings.now_ms
    check = span(settings.offsets_retention_check_interval_ms)
    return F.when(
        F.coalesce(overdue, F.lit(False)),
        F.concat(said, F.lit(f"; due, goes with the next check within {check}")),
    ).otherwise(said)
