"""Rows of `log` about groups as rows of the silver tables: the nested columns taken apart, one row a fact."""

from __future__ import annotations

from typing import Final

import polars as pl

from muster.pipeline.decode.consumer_group_rows import GROUP_EPOCH_TYPES
from muster.pipeline.fold.group_frames import here
from muster.pipeline.tables.columns import Column, Frame

_PLACE: Final = ("log_offset", "record_ms", "group_id", "dt")


def generation_facts(rows: Frame) -> Frame:
    """`s_group_generation` as the decoder knows it, with `run` and the list of `members`, who have an identity."""
    said = pl.col("generation").struct
    fields = ("generation", "protocol_type", "protocol", "leader", "state_ms")
    members = said.field("members").list.eval(
        pl.element().struct.with_fields(identity=_identity(pl.field("instance_id"), pl.field("member_id")))
    )
    return here(
        rows.select(
            *_PLACE,
            "run",
            *(said.field(name) for name in fields),
            group_life=pl.lit(None, pl.Int32),
            kind=pl.when("is_tombstone").then(pl.lit("deleted")),
            members=members,
            n_members=said.field("members").list.len().fill_null(0).cast(pl.Int32),
        )
    )


def member_facts(generations: Frame) -> Frame:
    """`s_member`, and what each member owns as the list `assigned`."""
    seats = generations.select("cluster", "log_partition", *_PLACE, "generation", member="members").explode("member")
    return seats.drop_nulls("member").unnest("member")


def assignment_facts(members: Frame) -> Frame:
    """`s_assignment`."""
    place = ("cluster", "log_partition", *_PLACE, "generation", "member_id", "identity")
    return members.select(*place, owned="assigned").explode("owned").drop_nulls("owned").unnest("owned")


def epoch_facts(rows: Frame) -> tuple[Frame, Frame]:
    """(`s_group_epoch`, `s_member_epoch`)."""
    of_group = pl.col("record_type").is_in(GROUP_EPOCH_TYPES)
    said = here(rows.select(*_PLACE, "record_type", "is_tombstone", "epoch").unnest("epoch"))
    return said.filter(of_group), said.filter(~of_group)


def event_facts(rows: Frame) -> Frame:
    """`b_journal_event`."""
    return here(rows.select("log_offset", "group_id", "dt", "event").unnest("event"))


def _identity(instance_id: Column, member_id: Column) -> Column:
    """Who a member is across restarts: its instance id if it has one."""
    return pl.when(instance_id != "").then(instance_id).otherwise(member_id)
