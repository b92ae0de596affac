"""Kind `group`: how each group stands, made anew for the groups that a batch says something about.

From the last records of each that the state keeps, by the same function that looks through a whole history.
"""

from __future__ import annotations

import polars as pl

from muster.pipeline.fold.epochs import present_members
from muster.pipeline.fold.group_facts import assignment_facts, member_facts
from muster.pipeline.fold.group_frames import Frames, here, of_kind
from muster.pipeline.tables.columns import GROUP, Frame
from muster.pipeline.tables.group_state import group_states, owners

_GROUP_METADATA, _MEMBER_METADATA = 3, 5


def fold_group_states(state: Frames, touched: Frame) -> None:
    """Rows of the groups in `touched` are replaced. A group that is gone keeps its row only if it ever moved on."""
    last, epoch, journal, member = (
        state[kind].join(touched, on=GROUP, how="semi")
        for kind in ("last_generation", "last_epoch", "journal", "member")
    )
    seats = member_facts(last.with_columns(dt=pl.lit(None, pl.String)))
    states = group_states(
        last,
        seats,
        epoch.with_columns(record_type=pl.lit(_GROUP_METADATA)),
        present_members(member).with_columns(
            record_type=pl.lit(_MEMBER_METADATA), is_tombstone=pl.lit(False), log_offset="last_offset"
        ),
        journal.filter(pl.col("log_offset").is_not_null()),
    )
    owned = owners(states, assignment_facts(seats)).group_by(GROUP).agg(owners=pl.struct("topic", "partition", "owner"))
    moved = state["group"].join(touched, on=GROUP, how="semi").select(*GROUP, "moved")
    rows = states.join(owned, on=GROUP, how="left").join(moved, on=GROUP, how="full", coalesce=True)
    rows = here(rows.filter(pl.col("type").is_not_null() | pl.col("moved")))
    state["group"] = pl.concat([state["group"].join(touched, on=GROUP, how="anti"), of_kind(rows, "group")])


def touched_groups(*rows: Frame) -> Frame:
    return here(pl.concat([frame.select("group_id") for frame in rows]).unique()).select(GROUP)
