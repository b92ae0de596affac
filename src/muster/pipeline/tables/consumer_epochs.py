"""Rebalances of KIP-848 groups, whose log tells their whole length: the epoch bump, the target, each member's arrival.

| record | says |
|---|---|
| ConsumerGroupMetadata (3) with epoch e | the rebalance to e began |
| CurrentMemberAssignment (8) with member epoch e | that member has arrived |
| ConsumerGroupMemberMetadata (5), first or a tombstone | somebody came or went |

A group epoch that no member reached before the next bump was overtaken: it is counted as aborted with the next one.
"""

from __future__ import annotations

import polars as pl

from muster.pipeline.tables.columns import GROUP, Column, Frame, is_true

_GROUP_METADATA, _MEMBER_METADATA, _MEMBER_ASSIGNMENT = 3, 5, 8
_CONFIDENCE = 0.8
_BUMP = (*GROUP, "generation")


def epoch_rebalances(group_epochs: Frame, member_epochs: Frame) -> Frame:
    """Columns of `g_rebalance` as far as the log knows them."""
    bumps = (
        group_epochs.filter((pl.col("record_type") == _GROUP_METADATA) & ~pl.col("is_tombstone"))
        .select(*GROUP, "log_offset", started_ms="record_ms", generation="epoch")
        .sort("log_offset")
    )
    rows = bumps.join(_arrivals(member_epochs), on=_BUMP, how="left").join(
        _changes(bumps, member_epochs), on=_BUMP, how="left"
    )
    return _finished(rows)


def _arrivals(member_epochs: Frame) -> Frame:
    arrived = member_epochs.filter((pl.col("record_type") == _MEMBER_ASSIGNMENT) & ~pl.col("is_tombstone"))
    return arrived.group_by(*GROUP, generation="member_epoch").agg(
        ended_ms=pl.col("record_ms").max(), members_after=pl.col("member_id").n_unique().cast(pl.Int32)
    )


def _changes(bumps: Frame, member_epochs: Frame) -> Frame:
    """Members whose metadata came, changed or went since the bump before; they are written just before the bump or with it."""
    metadata = member_epochs.filter(pl.col("record_type") == _MEMBER_METADATA).sort("log_offset")
    known = is_true(~pl.col("is_tombstone").shift().over(*GROUP, "member_id"))
    what = pl.when("is_tombstone").then(pl.lit("gone")).when(known).then(pl.lit("changed")).otherwise(pl.lit("joined"))
    events = metadata.select(
        *GROUP,
        _member="member_id",
        _identity=pl.coalesce("instance_id", "member_id"),
        _at="log_offset",
        _what=what,
    )
    # Each event belongs to the first bump behind it.
    spans = events.join_asof(
        bumps.select(*GROUP, "generation", "log_offset"),
        left_on="_at",
        right_on="log_offset",
        by=list(GROUP),
        strategy="forward",
        check_sortedness=False,
    ).filter(pl.col("generation").is_not_null())

    def those(what: str) -> Column:
        return pl.col("_identity").filter(pl.col("_what") == what).unique().sort()

    return spans.group_by(_BUMP).agg(
        joined=those("joined"),
        gone=those("gone"),
        _one=pl.col("_member").min(),
        _members=pl.col("_member").n_unique(),
    )


def _finished(rows: Frame) -> Frame:
    came, went = pl.col("joined").list.len() > 0, pl.col("gone").list.len() > 0
    cause = (
        pl.when(pl.col("joined").is_null())
        .then(pl.lit("partitions_grew"))
        .when(came & went)
        .then(pl.lit("members_changed"))
        .when(came)
        .then(pl.lit("new_member"))
        .when(went)
        .then(pl.lit("left_or_expired"))
        .otherwise(pl.lit("metadata_changed"))
    )
    certain = pl.when(pl.col("joined").is_null()).then(_CONFIDENCE / 2).otherwise(_CONFIDENCE)
    finished = pl.col("ended_ms").is_not_null().cast(pl.Int32)
    rows = rows.sort(*GROUP, "log_offset").with_columns(
        cause=cause,
        trigger_member=pl.when(pl.col("_members") == 1).then("_one"),
        # Those that were overtaken count with the next one that was finished.
        _round=finished.cum_sum().over(GROUP) - finished,
    )
    overtaken = pl.col("ended_ms").is_null().sum().over(*GROUP, "_round")
    return (
        rows.with_columns(aborted_generations=overtaken.cast(pl.Int32))
        .filter(pl.col("ended_ms").is_not_null())
        .select(
            *GROUP,
            "generation",
            "log_offset",
            "started_ms",
            "ended_ms",
            "cause",
            "trigger_member",
            "members_after",
            "joined",
            "gone",
            "aborted_generations",
            group_life=pl.lit(0, pl.Int32),
            source=pl.lit("log"),
            confidence=certain,
            protocol=pl.lit("consumer"),
        )
    )
