"""Rebalances of KIP-848 groups, whose log tells their whole length: the epoch bump, the target, each member's arrival.

| record | says |
|---|---|
| ConsumerGroupMetadata (3) with epoch e | the rebalance to e began |
| CurrentMemberAssignment (8) with member epoch e | that member has arrived |
| ConsumerGroupMemberMetadata (5), first or a tombstone | somebody came or went |

A group epoch that no member reached before the next bump was overtaken: it is counted as aborted with the next one. One after
which nobody is left is over at once. Epochs start again when a group does: a tombstone of the group ends its life (trap 31).
"""

from __future__ import annotations

import polars as pl

from muster.pipeline.tables.columns import GROUP, Column, Frame, is_true

_GROUP_METADATA, _MEMBER_METADATA, _MEMBER_ASSIGNMENT = 3, 5, 8
_CONFIDENCE = 0.8
_BUMP = (*GROUP, "log_offset")


def epoch_rebalances(group_epochs: Frame, member_epochs: Frame) -> Frame:
    """Columns of `g_rebalance` as far as the log knows them."""
    bumps = (
        group_epochs.filter(pl.col("record_type") == _GROUP_METADATA)
        .sort("log_offset")
        .with_columns(group_life=pl.col("is_tombstone").cast(pl.Int32).cum_sum().over(GROUP))
        .filter(~pl.col("is_tombstone"))
        .select(*GROUP, "log_offset", "group_life", started_ms="record_ms", generation="epoch")
    )
    rows = (
        bumps.join(_arrivals(bumps, member_epochs), on=_BUMP, how="left")
        .join(_changes(bumps, member_epochs), on=_BUMP, how="left")
        .sort("log_offset")
    )
    # Nobody has to arrive where nobody is left.
    left = pl.col("_came").fill_null(0) - pl.col("_went").fill_null(0)
    emptied = is_true(pl.col("_went") > 0) & (left.cum_sum().over(GROUP) <= 0) & pl.col("ended_ms").is_null()
    return _finished(
        rows.with_columns(
            ended_ms=pl.when(emptied).then("started_ms").otherwise("ended_ms"),
            members_after=pl.when(emptied).then(pl.lit(0, pl.Int32)).otherwise("members_after"),
        )
    )


def _arrivals(bumps: Frame, member_epochs: Frame) -> Frame:
    """Each belongs to the last bump to its epoch before it: an earlier life had an epoch of the same number."""
    arrived = (
        member_epochs.filter((pl.col("record_type") == _MEMBER_ASSIGNMENT) & ~pl.col("is_tombstone"))
        .select(*GROUP, "member_id", "record_ms", generation="member_epoch", _at="log_offset")
        .sort("_at")
    )
    found = arrived.join_asof(
        bumps.select(*GROUP, "generation", "log_offset"),
        left_on="_at",
        right_on="log_offset",
        by=[*GROUP, "generation"],
        strategy="backward",
        check_sortedness=False,
    ).filter(pl.col("log_offset").is_not_null())
    return found.group_by(_BUMP).agg(
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
        # A tombstone says no more than the member id.
        _identity=pl.coalesce(pl.col("instance_id").forward_fill().over(*GROUP, "member_id"), "member_id"),
        _at="log_offset",
        _what=what,
        _known=known,
    )
    # Each event belongs to the first bump behind it.
    spans = events.join_asof(
        bumps.select(*GROUP, "log_offset"),
        left_on="_at",
        right_on="log_offset",
        by=list(GROUP),
        strategy="forward",
        check_sortedness=False,
    ).filter(pl.col("log_offset").is_not_null())

    def those(what: str) -> Column:
        return pl.col("_identity").filter(pl.col("_what") == what).unique().sort()

    changes = spans.group_by(_BUMP).agg(
        _joined=those("joined"),
        _gone=those("gone"),
        _came=(pl.col("_what") == "joined").sum().cast(pl.Int64),
        _went=((pl.col("_what") == "gone") & pl.col("_known")).sum().cast(pl.Int64),
        _one=pl.col("_member").min(),
        _members=pl.col("_member").n_unique(),
    )
    # A static member that came back under a new id neither joined nor went (trap 32).
    return changes.with_columns(
        joined=pl.col("_joined").list.set_difference("_gone").list.sort(),
        gone=pl.col("_gone").list.set_difference("_joined").list.sort(),
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
            "group_life",
            "log_offset",
            "started_ms",
            "ended_ms",
            "cause",
            "trigger_member",
            "members_after",
            "joined",
            "gone",
            "aborted_generations",
            source=pl.lit("log"),
            confidence=certain,
            protocol=pl.lit("consumer"),
        )
    )
