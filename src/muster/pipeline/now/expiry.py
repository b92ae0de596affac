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

from typing import TYPE_CHECKING, Final

from muster.pipeline.now.one_pass import Selected
from muster.pipeline.tables.durations import span
from muster.pipeline.tables.settings import GoldSettings

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

EXPIRY: Final = Selected("g_expiry", "is_current", {"committed": "committed_offset", "at_risk_records": "lag"})
_GOES: Final = ("commit", "empty", "unsubscribed")


def with_expiry(rows: DataFrame, settings: GoldSettings) -> DataFrame:
    """Rows of positions with their group's facts in `group` get the columns of `g_expiry`."""
    from pyspark.sql import functions as F

    goes = F.col("expiry_rule").isin(*_GOES)
    base = F.when(F.col("expiry_rule") == "empty", F.coalesce(F.col("group.empty_since_ms"), F.col("commit_ms"))).when(
        goes, F.col("commit_ms")
    )
    due = F.when(goes & (F.col("expire_ms") >= 0), F.col("expire_ms")).when(
        goes, F.try_add(F.col("base_ms"), F.lit(settings.offsets_retention_ms))
    )
    return (
        rows.withColumn("expiry_rule", _rule())
        .withColumns({"base_ms": base, "group_state": F.coalesce(F.col("group.state"), F.lit("Simple"))})
        .withColumn("expires_ms", due)
        .withColumn("reason", _reason(settings))
    )


def _rule() -> Column:
    from pyspark.sql import functions as F

    state, kind, protocol, topics = (F.col(f"group.{name}") for name in ("state", "type", "protocol_type", "topics"))
    simple = state.isNull() | (protocol.isNull() & (state == "Empty"))
    readable = topics.isNotNull() & (protocol == "consumer")
    classic_stable = (kind == "classic") & (state == "Stable")
    is_subscribed = F.array_contains(topics, F.col("topic"))
    return (
        F.when(F.col("is_pending"), F.lit("pending"))
        .when(simple, F.lit("commit"))
        .when((kind == "classic") & (state == "Empty"), F.lit("empty"))
        .when((kind == "consumer") & topics.isNull(), F.lit("unreadable"))
        .when(
            (classic_stable & readable) | (kind == "consumer"),
            F.when(is_subscribed, F.lit("subscribed")).otherwise(F.lit("unsubscribed")),
        )
        .when(classic_stable, F.lit("unreadable"))
        .otherwise(F.lit("rebalancing"))
    )


def _reason(settings: GoldSettings) -> Column:
    from pyspark.sql import functions as F

    kept = span(settings.offsets_retention_ms)
    rule = F.col("expiry_rule")
    said = (
        F.when(rule == "pending", F.lit("kept: a transaction with this offset is open"))
        .when(rule == "subscribed", F.lit("kept: a member subscribes to the topic"))
        .when(rule == "rebalancing", F.lit("kept: the group is rebalancing"))
        .when(rule == "unreadable", F.lit("kept: nobody can read what the members subscribe to"))
        .when(F.col("expire_ms") >= 0, F.lit("the commit named its own time"))
        .when(rule == "commit", F.lit(f"no members ever or any more: {kept} after its commit"))
        .when(
            (rule == "empty") & F.col("group.empty_since_ms").isNull(),
            F.lit(f"the group is empty, nobody knows since when: {kept} after its commit"),
        )
        .when(rule == "empty", F.lit(f"the group is empty: {kept} after it became so"))
        .otherwise(F.lit(f"no member subscribes to the topic: {kept} after its commit"))
    )
    overdue = F.col("expires_ms") <= settings.now_ms
    check = span(settings.offsets_retention_check_interval_ms)
    return F.when(overdue, F.concat(said, F.lit(f"; due, goes with the next check within {check}"))).otherwise(said)
