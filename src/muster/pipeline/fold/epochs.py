"""New records of KIP-848 groups (types 3 to 8): bumps of the epoch, who came and went before them, and who has arrived since.

A bump stays open for as long as members may arrive. Then it is finished, or it was overtaken and counts with the next one.
"""

from __future__ import annotations

import polars as pl

from muster.explain.causes import ARRIVAL_LIMIT_MS
from muster.pipeline.fold.group_frames import Clocks, Frames, of_kind, replaced
from muster.pipeline.tables.columns import GROUP, Frame, is_true, newest
from muster.pipeline.tables.consumer_epochs import (
    BUMP,
    arrivals,
    epoch_bumps,
    member_events,
    with_ends,
    with_member_changes,
    with_overtaken,
)

_GROUP_METADATA = 3


def fold_epochs(state: Frames, group_epochs: Frame, member_epochs: Frame) -> None:
    """Kinds `last_epoch`, `bump` and `epoch_event` of `state` are replaced. Has to come before the fold of members."""
    new = epoch_bumps(group_epochs, state["last_epoch"])
    came_and_went = of_kind(member_events(member_epochs, present_members(state["member"])), "epoch_event")
    events = pl.concat([state["epoch_event"], came_and_went])
    changed = with_member_changes(new, events, state["last_epoch"])
    state["last_epoch"] = replaced(
        state["last_epoch"], _last_epochs(state["last_epoch"], group_epochs, changed), *GROUP
    )
    state["epoch_event"] = _behind_the_last_bump(events, new)
    opened = changed.with_columns(
        arrived=pl.lit(None, pl.List(pl.String)),
        arrived_ms=pl.lit(None, pl.Int64),
        arrived_offset=pl.lit(None, pl.Int64),
        aborted_generations=pl.lit(None, pl.Int32),
    )
    state["bump"] = _with_arrivals(pl.concat([state["bump"], of_kind(opened, "bump")]), member_epochs)


def present_members(members: Frame) -> Frame:
    """Of the state's members those of KIP-848 whose metadata is there."""
    return members.filter((pl.col("protocol") == "consumer") & is_true(pl.col("is_alive")))


def settle_bumps(state: Frames, clocks: Clocks) -> None:
    """Nobody can arrive any more at bumps that are old enough: those that nobody reached are only counted from now on."""
    if state["bump"].is_empty() or clocks.offsets_ms is None:
        return
    bumps = state["bump"].sort(*GROUP, "log_offset")
    is_waiting = pl.col("aborted_generations").is_null()
    waiting = with_overtaken(with_ends(bumps.filter(is_waiting)), state["last_epoch"])
    is_old = pl.col("started_ms") + ARRIVAL_LIMIT_MS < clocks.offsets_ms
    old = waiting.filter(is_old.cast(pl.Int8).cum_min().over(GROUP) == 1)
    if old.is_empty():
        return
    reached = old.filter(pl.col("ended_ms").is_not_null())
    since = pl.col("ended_ms").is_not_null().cum_sum(reverse=True).over(GROUP) == 0
    overtaken = old.group_by(GROUP).agg(
        _unreached=since.sum().cast(pl.Int32), _any_reached=pl.col("ended_ms").is_not_null().any()
    )
    counted = state["last_epoch"].join(overtaken, on=GROUP)
    before = pl.when("_any_reached").then(0).otherwise(pl.col("overtaken").fill_null(0))
    counted = of_kind(counted.with_columns(overtaken=before + pl.col("_unreached")), "last_epoch")
    state["last_epoch"] = replaced(state["last_epoch"], counted, *GROUP)
    state["bump"] = pl.concat(
        [
            bumps.filter(~is_waiting),
            of_kind(reached, "bump"),
            bumps.filter(is_waiting).join(old.select(BUMP), on=BUMP, how="anti"),
        ]
    )


def _last_epochs(known: Frame, group_epochs: Frame, bumps: Frame) -> Frame:
    """The newest record of type 3 of each group here, and the counts up to it."""
    records = group_epochs.filter(pl.col("record_type") == _GROUP_METADATA)
    removed = records.group_by(GROUP).agg(_removed=pl.col("is_tombstone").sum().cast(pl.Int32))
    left = newest(bumps, GROUP, "log_offset").select(*GROUP, _left="left")
    rows = (
        newest(records, GROUP, "log_offset")
        .select(*GROUP, "log_offset", "record_ms", "epoch", "is_tombstone")
        .join(known.select(*GROUP, "epoch_life", "left", "overtaken"), on=GROUP, how="left")
        .join(removed, on=GROUP)
        .join(left, on=GROUP, how="left")
    )
    return of_kind(
        rows.with_columns(
            epoch_life=pl.col("epoch_life").fill_null(0) + pl.col("_removed"),
            left=pl.coalesce("_left", "left"),
            overtaken=pl.col("overtaken").fill_null(0),
        ),
        "last_epoch",
    )


def _behind_the_last_bump(events: Frame, bumps: Frame) -> Frame:
    last = bumps.group_by(GROUP).agg(_bump=pl.col("log_offset").max())
    rows = events.join(last, on=GROUP, how="left", maintain_order="left")
    return of_kind(rows.filter((pl.col("log_offset") > pl.col("_bump")).fill_null(True)), "epoch_event")


def _with_arrivals(bumps: Frame, member_epochs: Frame) -> Frame:
    came = arrivals(bumps, member_epochs)
    if came.is_empty():
        return bumps
    rows = bumps.join(came, on=BUMP, how="left", suffix="_now", maintain_order="left")
    nobody = pl.lit([], pl.List(pl.String))
    everybody = pl.col("arrived").fill_null(nobody).list.set_union(pl.col("arrived_now").fill_null(nobody))
    is_reached = pl.col("arrived").is_not_null() | pl.col("arrived_now").is_not_null()
    return of_kind(
        rows.with_columns(
            arrived=pl.when(is_reached).then(everybody.list.sort()),
            arrived_ms=pl.max_horizontal("arrived_ms", "arrived_ms_now"),
            arrived_offset=pl.max_horizontal("arrived_offset", "arrived_offset_now"),
        ),
        "bump",
    )
