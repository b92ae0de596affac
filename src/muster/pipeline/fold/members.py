"""`g_member`: rows of members are open as long as they may come back, and finished an hour after they have gone.

A dynamic member never comes back: it gets another id. A static one keeps its identity for ever, so its row stays open.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from muster.pipeline.fold.classic_members import CLASSIC
from muster.pipeline.fold.closing import closing
from muster.pipeline.fold.group_frames import Clocks, Frames
from muster.pipeline.tables.columns import GROUP, Frame, is_true
from muster.pipeline.tables.members import departures, finished_members
from muster.pipeline.tables.settings import GoldSettings

_IDENTITY: Final = (*GROUP, "identity")
_MEMBER: Final = (*GROUP, "member_id")


def finish_members(state: Frames, clocks: Clocks, settings: GoldSettings) -> Frame:
    """`g_member` of members that are gone for good; they, and what was said about them, are taken out of the state."""
    members = state["member"]
    is_gone = ~pl.col("is_static") & closing(clocks, settings, pl.col("missing_ms")) & pl.col("identity").is_not_null()
    finished = members.filter(is_gone)
    if not finished.is_empty():
        finished = finished.join(_missed_by_open_rebalances(state), on=_IDENTITY, how="anti")
    rows = member_rows(state, finished, None) if not finished.is_empty() else finished
    if not finished.is_empty():
        state["member"] = members.join(finished, on=[*_MEMBER, "protocol"], how="anti")
    _forget_words(state, clocks, settings)
    return rows


def _missed_by_open_rebalances(state: Frames) -> Frame:
    """Who is missed by a rebalance that is not closed: its cause may still change."""
    gone = [state[kind].select(*GROUP, identity="gone").explode("identity") for kind in ("rebalance", "bump")]
    return pl.concat([*gone, state["epoch_event"].select(_IDENTITY)]).drop_nulls("identity").unique()


def _forget_words(state: Frames, clocks: Clocks, settings: GoldSettings) -> None:
    """Departures and farewells of those whose rows are finished; a farewell may be read before the member's record is."""
    if not state["departure"].is_empty():
        state["departure"] = state["departure"].join(state["member"].drop_nulls("identity"), on=_IDENTITY, how="semi")
    if not state["farewell"].is_empty():
        is_old = is_true(closing(clocks, settings, pl.col("left_ms")))
        old = state["farewell"].filter(is_old).join(state["member"], on=_MEMBER, how="anti")
        state["farewell"] = state["farewell"].join(old, on=_MEMBER, how="anti")


def member_rows(state: Frames, members: Frame, still_open: Frame | None) -> Frame:
    """`g_member` of these members of the state. `still_open` are the rebalances that are not closed."""
    standing = state["group"].filter(pl.col("type") == CLASSIC).select(*GROUP, _newest="log_offset")
    is_classic = pl.col("protocol") == CLASSIC
    in_newest = is_true(pl.col("last_offset") == pl.col("_newest"))
    rows = (
        members.filter(pl.col("identity").is_not_null())
        .join(standing, on=GROUP, how="left")
        .with_columns(is_present=pl.when(is_classic).then(in_newest).otherwise("is_alive"))
        .with_columns(
            first_seen_ms="first_ms",
            _last_ms="last_ms",
            n_partitions=pl.when("is_present").then(pl.col("n_partitions").fill_null(0)),
        )
    )
    said = state["farewell"].select(*_MEMBER, _left_ms="left_ms", _said="cause")
    return finished_members(rows, _departures(state, still_open), said)


def _departures(state: Frames, still_open: Frame | None) -> Frame:
    """The last time that each member was missed; open rebalances are later than closed ones."""
    known = state["departure"].select(*_IDENTITY, _gone_ms="gone_ms", _inferred="cause")
    if still_open is None:
        return known
    return pl.concat([known, departures(still_open)]).unique(_IDENTITY, keep="last", maintain_order=True)
