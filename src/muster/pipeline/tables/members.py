"""`g_member`: who was in a group and when.

A member is its group instance id, else its member id. A static member that restarts keeps its place: a restart, not churn
(trap 32). Who left by itself and who expired is known from the journal, else from the rebalance that missed it first.
"""

from __future__ import annotations

import polars as pl

from muster.pipeline.tables.columns import GROUP, Column, Frame, conform, in_order_of

_IDENTITY = (*GROUP, "identity")
_MEMBER = (*GROUP, "member_id")


def finished_members(rows: Frame, left: Frame, said: Frame) -> Frame:
    """`left` are `departures`, `said` are `farewells`."""
    joined = rows.join(left, on=_IDENTITY, how="left").join(said, on=_MEMBER, how="left")
    gone = ~pl.col("is_present")
    left_ms = pl.when(gone).then(pl.coalesce("_left_ms", "_gone_ms", "_last_ms")).otherwise("_last_ms")
    return conform(
        joined.with_columns(
            left_because=pl.when(gone).then(pl.coalesce("_said", "_inferred")),
            last_seen_ms=pl.max_horizontal(left_ms, "_last_ms"),
        ),
        "g_member",
    )


def changes_of(*names: str) -> Column:
    """In an aggregation of rows in log order: how often these values became others, the first ones included."""
    values = pl.struct(names)
    return (values != values.shift()).fill_null(True).sum().cast(pl.Int32)


def departures(rebalances: Frame) -> Frame:
    """When each identity last went missing from a generation, and why as far as that rebalance tells."""
    rows = rebalances.sort("ended_ms", "generation", "log_offset")
    gone = rows.select(*GROUP, "ended_ms", "cause", identity="gone").explode("identity").drop_nulls("identity")
    return gone.group_by(_IDENTITY, maintain_order=True).agg(
        _gone_ms=pl.col("ended_ms").last(), _inferred=pl.col("cause").last()
    )


def farewells(journal: Frame) -> Frame:
    events = journal.filter(pl.col("kind").is_in(["member_left", "member_expelled"]))
    return events.group_by(_MEMBER).agg(_left_ms=pl.col("at_ms").max(), _said=in_order_of("cause", "log_offset"))
