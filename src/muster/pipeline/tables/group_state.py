"""Each group as it stands at the end of what was read: its state, its members' topics, and who owns what.

A group without a row here has only offsets: a simple consumer, or a group that was removed (trap 16). A tombstone of a classic
group that went over to the KIP-848 protocol is no removal: what that protocol wrote later counts (trap 2).

Columns: cluster, group_id, type (classic, consumer), state, protocol_type, generation, n_members, empty_since_ms (null: not empty,
or nobody knows), topics (subscribed by anybody; null: cannot be told), seen_ms, log_partition, log_offset.
"""

from __future__ import annotations

import polars as pl

from muster.pipeline.tables.columns import GROUP, LOG, Column, Frame, newest

_MEMBER_METADATA = 5
_GROUP_METADATA = 3
_REBALANCING = ("PreparingRebalance", "CompletingRebalance")
_PLACE = (*LOG, "log_offset")


def group_states(
    generations: Frame, members: Frame, group_epochs: Frame, member_epochs: Frame, journal: Frame
) -> Frame:
    both = pl.concat([_classic(generations, members, journal), _consumer(group_epochs, member_epochs)])
    return newest(both, GROUP, "log_offset")


def owners(states: Frame, assignments: Frame) -> Frame:
    """(cluster, group_id, topic, partition, owner) of the newest generation of each group."""
    place = states.filter((pl.col("type") == "classic") & (pl.col("n_members") > 0)).select(_PLACE)
    rows = assignments.join(place, on=_PLACE, how="semi")
    return rows.group_by(*GROUP, "topic", "partition").agg(owner=pl.col("identity").min())


def _subscribed(members: Frame, keys: tuple[str, ...]) -> Frame:
    """Topics that anybody subscribes to; null if of one member nobody can tell."""
    topics = pl.col("topics").explode().drop_nulls().unique().sort()
    return (
        members.group_by(keys)
        .agg(
            pl.len().cast(pl.Int32).alias("_seats"),
            topics=topics,
            _unreadable=pl.col("topics").is_null().any(),
        )
        .with_columns(topics=pl.when(~pl.col("_unreadable")).then("topics"))
    )


def _classic(generations: Frame, members: Frame, journal: Frame) -> Frame:
    last = newest(generations, GROUP, "log_offset").filter(pl.col("kind") != "deleted")
    topics = _subscribed(members.join(last, on=_PLACE, how="semi"), _PLACE).select(*_PLACE, "topics")
    nobody = pl.col("n_members") == 0
    stored = pl.when(nobody).then(pl.lit("Empty")).otherwise(pl.lit("Stable"))
    # A rebalance under way is only in the journal; the record that ends it is younger than its last event.
    under_way = (pl.col("_at_ms") >= pl.col("record_ms")).fill_null(pl.col("_at_ms").is_not_null())
    return (
        last.join(topics, on=_PLACE, how="left")
        .join(_rebalancing(journal), on=GROUP, how="full", coalesce=True)
        .filter(pl.col("_state").is_not_null() | pl.col("generation").is_not_null())
        .with_columns(state=pl.when(under_way).then("_state").otherwise(stored))
        .filter(pl.col("state").is_not_null())
        .select(
            *GROUP,
            "state",
            "generation",
            "n_members",
            "topics",
            "log_partition",
            type=pl.lit("classic"),
            protocol_type=pl.when(pl.col("protocol_type") != "").then("protocol_type"),
            empty_since_ms=pl.when(nobody & (pl.col("state_ms") >= 0)).then("state_ms"),
            seen_ms="record_ms",
            log_offset=pl.col("log_offset").fill_null(-1),
        )
    )


def _rebalancing(journal: Frame) -> Frame:
    """Groups whose last word in the journal is a move into a rebalance, not out of it and not their removal."""
    moves = journal.filter(pl.col("kind").is_in(["state_changed", "group_removed"]))
    last = newest(moves, GROUP, "log_offset").with_columns(_state=pl.col("payload").str.json_path_match("$.to"))
    return last.filter(pl.col("_state").is_in(_REBALANCING)).select(*GROUP, "_state", _at_ms="at_ms")


def _consumer(group_epochs: Frame, member_epochs: Frame) -> Frame:
    group = newest(group_epochs.filter(pl.col("record_type") == _GROUP_METADATA), GROUP, "log_offset")
    group = group.filter(~pl.col("is_tombstone"))
    metadata = member_epochs.filter(pl.col("record_type") == _MEMBER_METADATA)
    alive = newest(metadata, (*GROUP, "member_id"), "log_offset").filter(~pl.col("is_tombstone"))
    of_group = _subscribed(alive, GROUP).select(*GROUP, "topics", n_members="_seats")
    joined = group.join(of_group, on=GROUP, how="left").with_columns(n_members=pl.col("n_members").fill_null(0))
    nobody: Column = pl.col("n_members") == 0
    return joined.select(
        *GROUP,
        pl.when(nobody).then(pl.lit("Empty")).otherwise(pl.lit("Stable")).alias("state"),
        pl.col("epoch").alias("generation"),
        "n_members",
        pl.when(nobody).then(pl.lit([], pl.List(pl.String))).otherwise("topics").alias("topics"),
        "log_partition",
        type=pl.lit("consumer"),
        protocol_type=pl.lit("consumer"),
        empty_since_ms=pl.when(nobody).then("record_ms"),
        seen_ms="record_ms",
        log_offset="log_offset",
    )
