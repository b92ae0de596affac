"""New events of the journal: rebalances that it tells of, where each group stands, and who said farewell."""

from __future__ import annotations

import polars as pl

from muster.pipeline.fold.group_frames import Frames, of_kind
from muster.pipeline.tables.columns import GROUP, Frame, newest
from muster.pipeline.tables.journal_rebalances import BEGUN, told_epochs, told_rounds
from muster.pipeline.tables.members import farewells

_MOVE = ("at_ms", "log_offset", "kind", "payload")
_MEMBER = (*GROUP, "member_id")


def fold_journal(state: Frames, events: Frame) -> None:
    """Kinds `telling`, `journal` and `farewell` of `state` are replaced. `events` have the columns of `b_journal_event`."""
    known = state["journal"]
    begun = known.filter(pl.col("has_start").is_not_null()).select(*GROUP, *BEGUN)
    told, begun = told_rounds(events, begun)
    raised = of_kind(told_epochs(events), "telling")
    state["telling"] = pl.concat([state["telling"], of_kind(told, "telling"), raised])
    moved = pl.concat([known.filter(pl.col("log_offset").is_not_null()).select(*GROUP, *_MOVE), _moves(events)])
    last = newest(moved, GROUP, "log_offset")
    state["journal"] = of_kind(last.join(begun, on=GROUP, how="full", coalesce=True), "journal")
    state["farewell"] = _farewells(state["farewell"], events)


def _moves(events: Frame) -> Frame:
    """From state to state, and out of existence."""
    return events.filter(pl.col("kind").is_in(["state_changed", "group_removed"])).select(*GROUP, *_MOVE)


def _farewells(known: Frame, events: Frame) -> Frame:
    """The last one of each member."""
    new = farewells(events).select(*_MEMBER, left_ms="_left_ms", cause="_said")
    rows = pl.concat([known.select(new.columns), new])
    said = rows.group_by(_MEMBER, maintain_order=True).agg(pl.col("left_ms").max(), pl.col("cause").last())
    return of_kind(said, "farewell")
