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

import polars as pl

from muster.pipeline.tables.columns import GROUP, POSITION, Column, Frame, conform
from muster.pipeline.tables.durations import span
from muster.pipeline.tables.settings import GoldSettings


def offset_expiry(current: Frame, states: Frame, pending: Frame, lag: Frame, settings: GoldSettings) -> Frame:
    """`pending` are the positions that an open transaction wants to commit."""
    rows = (
        current.join(states.drop("log_partition", "log_offset"), on=GROUP, how="left")
        .join(pending.select(POSITION).with_columns(_pending=pl.lit(True)), on=POSITION, how="left")
        .join(lag.select(*POSITION, at_risk_records="lag"), on=POSITION, how="left")
        .with_columns(_subscribed=pl.col("topics").list.contains(pl.col("topic")))
        .with_columns(_rule=_rule())
    )
    eligible = pl.col("_rule").is_in(["commit", "empty", "unsubscribed"])
    base = (
        pl.when(pl.col("_rule") == "empty")
        .then(pl.coalesce("empty_since_ms", "commit_ms"))
        .when(eligible)
        .then("commit_ms")
    )
    due = (
        pl.when(eligible & (pl.col("expire_ms") >= 0))
        .then("expire_ms")
        .when(eligible)
        .then(pl.col("base_ms") + settings.offsets_retention_ms)
    )
    return conform(
        rows.with_columns(committed="committed_offset", base_ms=base, group_state=pl.col("state").fill_null("Simple"))
        .with_columns(expires_ms=due)
        .with_columns(reason=_reason(settings)),
        "g_expiry",
    )


def _rule() -> Column:
    state, kind = pl.col("state"), pl.col("type")
    simple = state.is_null() | (pl.col("protocol_type").is_null() & (state == "Empty"))
    readable = pl.col("topics").is_not_null() & (pl.col("protocol_type") == "consumer")
    classic_stable = (kind == "classic") & (state == "Stable")
    return (
        pl.when(pl.col("_pending").is_not_null())
        .then(pl.lit("pending"))
        .when(simple)
        .then(pl.lit("commit"))
        .when((kind == "classic") & (state == "Empty"))
        .then(pl.lit("empty"))
        .when((kind == "consumer") & pl.col("topics").is_null())
        .then(pl.lit("unreadable"))
        .when((classic_stable & readable) | (kind == "consumer"))
        .then(pl.when("_subscribed").then(pl.lit("subscribed")).otherwise(pl.lit("unsubscribed")))
        .when(classic_stable)
        .then(pl.lit("unreadable"))
        .otherwise(pl.lit("rebalancing"))
    )


def _reason(settings: GoldSettings) -> Column:
    kept = span(settings.offsets_retention_ms)
    rule = pl.col("_rule")
    said = (
        pl.when(rule == "pending")
        .then(pl.lit("kept: a transaction with this offset is open"))
        .when(rule == "subscribed")
        .then(pl.lit("kept: a member subscribes to the topic"))
        .when(rule == "rebalancing")
        .then(pl.lit("kept: the group is rebalancing"))
        .when(rule == "unreadable")
        .then(pl.lit("kept: nobody can read what the members subscribe to"))
        .when(pl.col("expire_ms") >= 0)
        .then(pl.lit("the commit named its own time"))
        .when(rule == "commit")
        .then(pl.lit(f"no members ever or any more: {kept} after its commit"))
        .when((rule == "empty") & pl.col("empty_since_ms").is_null())
        .then(pl.lit(f"the group is empty, nobody knows since when: {kept} after its commit"))
        .when(rule == "empty")
        .then(pl.lit(f"the group is empty: {kept} after it became so"))
        .otherwise(pl.lit(f"no member subscribes to the topic: {kept} after its commit"))
    )
    overdue = pl.col("expires_ms") <= settings.now_ms
    check = span(settings.offsets_retention_check_interval_ms)
    later = pl.concat_str(said, pl.lit(f"; due, goes with the next check within {check}"))
    return pl.when(overdue).then(later).otherwise(said)
