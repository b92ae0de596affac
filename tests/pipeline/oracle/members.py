"""`g_member` from all generations, epochs and events at once."""

from __future__ import annotations

import polars as pl

from muster.pipeline.tables.columns import GROUP, LOG, Frame, in_order_of, newest
from muster.pipeline.tables.members import (
    changes_of,
    departures,
    farewells,
    finished_members,
)

_PLACE = (*LOG, "log_offset")
_MEMBER_METADATA, _MEMBER_ASSIGNMENT = 5, 8
_IDENTITY = (*GROUP, "identity")
_MEMBER = (*GROUP, "member_id")


def members_seen(
    generations: Frame,
    members: Frame,
    assignments: Frame,
    member_epochs: Frame,
    journal: Frame,
    rebalances: Frame,
    states: Frame,
) -> Frame:
    """`rebalances` are `g_rebalance`, `states` those of `group_state`."""
    rows = pl.concat([_classic(generations, members, assignments, states), _consumer(member_epochs)])
    return finished_members(rows, departures(rebalances), farewells(journal))


def _classic(generations: Frame, members: Frame, assignments: Frame, states: Frame) -> Frame:
    here = states.filter(pl.col("type") == "classic").select(_PLACE).with_columns(_here=pl.lit(True))
    owned = assignments.join(here, on=_PLACE).group_by(_IDENTITY).agg(_owned=pl.len().cast(pl.Int32))
    lives = generations.select(*_PLACE, "group_life")
    rows = members.join(lives, on=_PLACE, how="left").join(here, on=_PLACE, how="left").sort("log_offset")
    seen = rows.group_by(_IDENTITY).agg(
        pl.col("member_id").last(),
        pl.col("client_id").last(),
        pl.col("client_host").last(),
        is_static=pl.col("instance_id").is_not_null().any(),
        first_seen_ms=pl.col("record_ms").min(),
        _last_ms=pl.col("record_ms").max(),
        is_present=pl.col("_here").fill_null(False).any(),
        n_generations=changes_of("group_life", "generation"),
        n_restarts=changes_of("member_id") - 1,
    )
    owning = pl.when("is_present").then(pl.col("_owned").fill_null(0))
    return seen.join(owned, on=_IDENTITY, how="left").with_columns(n_partitions=owning).drop("_owned")


def _consumer(member_epochs: Frame) -> Frame:
    """KIP-848: metadata records tell who, assignment records how much and in how many epochs."""
    metadata = member_epochs.filter(pl.col("record_type") == _MEMBER_METADATA)
    last = newest(metadata, _MEMBER, "log_offset").select(*_MEMBER, is_present=~pl.col("is_tombstone"))
    who = (
        metadata.filter(~pl.col("is_tombstone"))
        .with_columns(identity=pl.coalesce("instance_id", "member_id"))
        .group_by(_MEMBER)
        .agg(
            in_order_of("identity", "log_offset"),
            in_order_of("client_id", "log_offset"),
            in_order_of("client_host", "log_offset"),
            is_static=pl.col("instance_id").is_not_null().any(),
        )
    )
    living = member_epochs.filter(~pl.col("is_tombstone"))
    alive = living.group_by(_MEMBER).agg(first_seen_ms=pl.col("record_ms").min(), _last_ms=pl.col("record_ms").max())
    held = (
        living.filter(pl.col("record_type") == _MEMBER_ASSIGNMENT)
        .sort("log_offset")
        .group_by(_MEMBER)
        .agg(
            n_generations=changes_of("member_epoch"),
            _owned=in_order_of("n_assigned", "log_offset"),
        )
    )
    rows = who.join(alive, on=_MEMBER).join(last, on=_MEMBER).join(held, on=_MEMBER, how="left")
    return rows.select(
        *_IDENTITY,
        "member_id",
        "client_id",
        "client_host",
        "is_static",
        "first_seen_ms",
        "_last_ms",
        "is_present",
        n_generations=pl.col("n_generations").fill_null(0),
        n_restarts=pl.lit(0, pl.Int32),
        n_partitions=pl.when("is_present").then(pl.col("_owned").fill_null(0)),
    )
