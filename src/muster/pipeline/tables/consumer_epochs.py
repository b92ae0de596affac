"""Rebalances of KIP-848 groups, whose log tells their whole length: the epoch bump, the target, each member's arrival.

| record | says |
|---|---|
| ConsumerGroupMetadata (3) with epoch e | the rebalance to e began |
| CurrentMemberAssignment (8) with member epoch e | that member has arrived |
| ConsumerGroupMemberMetadata (5), first or a tombstone | somebody came or went |

A group epoch that no member reached within an hour was overtaken: it is counted as aborted with the next one that was finished. One
after which nobody is left is over at once. Epochs start again when a group does: a tombstone of the group ends its life (trap 31).

Each step takes what is known from earlier records, so that the log may also be read in pieces.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from muster.explain.causes import ARRIVAL_LIMIT_MS, EPOCH_CAUSES, FIRST_EPOCHS
from muster.pipeline.tables.columns import GROUP, Column, Frame, is_true

_GROUP_METADATA, _MEMBER_METADATA, _MEMBER_ASSIGNMENT = 3, 5, 8
BUMP: Final = (*GROUP, "log_offset")
"""What a bump is known by."""


def epoch_bumps(group_epochs: Frame, lives: Frame | None = None) -> Frame:
    """Every new epoch of a group. `lives` (`epoch_life` of each group) is how often it was removed before these records."""
    rows = group_epochs.filter(pl.col("record_type") == _GROUP_METADATA).sort("log_offset")
    rows = rows.with_columns(group_life=pl.col("is_tombstone").cast(pl.Int32).cum_sum().over(GROUP))
    if lives is not None:
        rows = rows.join(lives.select(*GROUP, "epoch_life"), on=GROUP, how="left", maintain_order="left")
        rows = rows.with_columns(group_life=pl.col("group_life") + pl.col("epoch_life").fill_null(0))
    return rows.filter(~pl.col("is_tombstone")).select(
        *GROUP, "log_offset", "group_life", started_ms="record_ms", generation="epoch"
    )


def member_events(member_epochs: Frame, present: Frame | None = None) -> Frame:
    """Metadata that came, changed or went. `present` (group, member_id, identity) are those who were there before."""
    rows = member_epochs.filter(pl.col("record_type") == _MEMBER_METADATA).select(
        *GROUP, "member_id", "log_offset", "is_tombstone", identity=_identity()
    )
    if present is not None:
        before = present.select(*GROUP, "member_id", "identity", log_offset=pl.lit(-1, pl.Int64), is_tombstone=False)
        rows = pl.concat([before, rows], how="diagonal_relaxed")
    rows = rows.sort("log_offset", maintain_order=True)
    member = (*GROUP, "member_id")
    known = is_true(~pl.col("is_tombstone").shift().over(member))
    what = pl.when("is_tombstone").then(pl.lit("gone")).when(known).then(pl.lit("changed")).otherwise(pl.lit("joined"))
    # A tombstone says no more than the member id: who it was, the record before it says.
    gone_identity = pl.when(known).then(pl.col("identity").shift().over(member)).otherwise("identity")
    return rows.select(
        *GROUP,
        "member_id",
        "log_offset",
        identity=pl.when("is_tombstone").then(gone_identity).otherwise("identity"),
        what=what,
        known=known,
    ).filter(pl.col("log_offset") >= 0)


def _identity() -> Column:
    return pl.coalesce("instance_id", "member_id")


def with_member_changes(bumps: Frame, events: Frame, left: Frame | None = None) -> Frame:
    """Who came and went since the bump before: metadata is written just before the bump or with it.

    `joined` and `gone` are null where nobody's metadata changed. `left` is how many were there before, group by group.
    """
    spans = events_before(bumps, events)

    def those(what: str) -> Column:
        return pl.col("identity").filter(pl.col("what") == what).unique().sort()

    changes = spans.group_by(BUMP).agg(
        _joined=those("joined"),
        _gone=those("gone"),
        _came=(pl.col("what") == "joined").sum().cast(pl.Int64),
        _went=((pl.col("what") == "gone") & pl.col("known")).sum().cast(pl.Int64),
        trigger_member=pl.when(pl.col("member_id").n_unique() == 1).then(pl.col("member_id").min()),
    )
    # A static member that came back under a new id neither joined nor went (trap 32).
    changes = changes.with_columns(
        joined=pl.col("_joined").list.set_difference("_gone").list.sort(),
        gone=pl.col("_gone").list.set_difference("_joined").list.sort(),
    )
    rows = bumps.join(changes, on=BUMP, how="left").sort("log_offset")
    balance = pl.col("_came").fill_null(0) - pl.col("_went").fill_null(0)
    rows = rows.with_columns(left=balance.cum_sum().over(GROUP), _left=pl.lit(None, pl.Int64))
    if left is not None:
        rows = rows.drop("_left").join(left.select(*GROUP, _left="left"), on=GROUP, how="left", maintain_order="left")
        rows = rows.with_columns(left=pl.col("left") + pl.col("_left").fill_null(0))
    # Nobody has to arrive where nobody is left.
    emptied = is_true(pl.col("_went") > 0) & (pl.col("left") <= 0)
    # Before the first bump that was read is nobody only if it is the group's first.
    is_first = pl.col("generation").is_in(FIRST_EPOCHS)
    left_before = pl.coalesce(pl.col("left").shift().over(GROUP), "_left", pl.when(is_first).then(0))
    return rows.with_columns(emptied=emptied, from_empty=is_true(left_before == 0)).drop(
        "_joined", "_gone", "_came", "_went", "_left"
    )


def events_before(bumps: Frame, events: Frame) -> Frame:
    """Each event with the `log_offset` of the first bump behind it; those behind the last bump are left out."""
    return (
        events.rename({"log_offset": "_at"})
        .sort("_at")
        .join_asof(
            bumps.select(BUMP).sort("log_offset"),
            left_on="_at",
            right_on="log_offset",
            by=list(GROUP),
            strategy="forward",
            check_sortedness=False,
        )
        .filter(pl.col("log_offset").is_not_null())
    )


def arrivals(bumps: Frame, member_epochs: Frame) -> Frame:
    """A row a bump that anybody reached: `arrived` (who), `arrived_ms` and `arrived_offset` (the last of them).

    Each arrival belongs to the last bump to its epoch before it: an earlier life had an epoch of the same number.
    """
    arrived = (
        member_epochs.filter((pl.col("record_type") == _MEMBER_ASSIGNMENT) & ~pl.col("is_tombstone"))
        .select(*GROUP, "member_id", "record_ms", generation="member_epoch", _at="log_offset")
        .sort("_at")
    )
    found = arrived.join_asof(
        bumps.select(*BUMP, "generation", "started_ms").sort("log_offset"),
        left_on="_at",
        right_on="log_offset",
        by=[*GROUP, "generation"],
        strategy="backward",
        check_sortedness=False,
    ).filter(pl.col("log_offset").is_not_null() & (pl.col("record_ms") - pl.col("started_ms") <= ARRIVAL_LIMIT_MS))
    return found.group_by(BUMP).agg(
        arrived=pl.col("member_id").unique().sort(),
        arrived_ms=pl.col("record_ms").max(),
        arrived_offset=pl.col("_at").max(),
    )


def with_ends(rows: Frame) -> Frame:
    """`ended_ms`, `end_offset` and `members_after`; null for a bump that nobody has reached."""
    over_at_once = pl.col("emptied") & pl.col("arrived_ms").is_null()
    nobody = pl.lit(0, pl.Int32)
    return rows.with_columns(
        ended_ms=pl.when(over_at_once).then("started_ms").otherwise("arrived_ms"),
        end_offset=pl.when(over_at_once).then("log_offset").otherwise("arrived_offset"),
        members_after=pl.when(over_at_once).then(nobody).otherwise(pl.col("arrived").list.len().cast(pl.Int32)),
    )


def with_overtaken(rows: Frame, before: Frame | None = None) -> Frame:
    """`aborted_generations`: bumps that nobody reached count with the next one that was finished.

    `before` (`overtaken` of each group) are those in front of the first of these rows.
    """
    finished = pl.col("ended_ms").is_not_null().cast(pl.Int32)
    rows = rows.sort(*GROUP, "log_offset").with_columns(_round=finished.cum_sum().over(GROUP) - finished)
    overtaken = pl.col("ended_ms").is_null().sum().over(*GROUP, "_round").cast(pl.Int32)
    if before is not None:
        rows = rows.join(before.select(*GROUP, "overtaken"), on=GROUP, how="left", maintain_order="left")
        overtaken += pl.when(pl.col("_round") == 0).then(pl.col("overtaken").fill_null(0)).otherwise(0)
    return rows.with_columns(aborted_generations=overtaken).drop("_round", "overtaken", strict=False)


def finished_bumps(rows: Frame) -> Frame:
    """Columns of `g_rebalance` for those that have ended."""
    cause, confidence = _cause()
    return rows.filter(pl.col("ended_ms").is_not_null()).select(
        *GROUP,
        "generation",
        "group_life",
        "log_offset",
        "end_offset",
        "started_ms",
        "ended_ms",
        "trigger_member",
        "members_after",
        "joined",
        "gone",
        "aborted_generations",
        cause=cause,
        source=pl.lit("log"),
        confidence=confidence,
        protocol=pl.lit("consumer"),
    )


def _cause() -> tuple[Column, Column]:
    """The cause and how sure it is, by the rules that `muster groups explain` has too (`EPOCH_CAUSES`)."""
    facts = {
        "nobody": pl.col("joined").is_null(),
        "came": is_true(pl.col("joined").list.len() > 0),
        "went": is_true(pl.col("gone").list.len() > 0),
        "from_empty": is_true(pl.col("from_empty")),
    }
    *rules, (_, otherwise, least) = EPOCH_CAUSES
    cause, confidence = pl.lit(otherwise), pl.lit(least)
    for wanted, word, sure in reversed(rules):
        fits = pl.all_horizontal(*(facts[name] for name in wanted))
        cause, confidence = (
            pl.when(fits).then(pl.lit(word)).otherwise(cause),
            pl.when(fits).then(pl.lit(sure)).otherwise(confidence),
        )
    return cause, confidence
