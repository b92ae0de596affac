"""Rebalances that are open: what the log and the journal say of them so far, their episodes and their pauses.

Whatever may still change is computed anew each time, by the same functions that compute it from a whole history
(`muster.pipeline.tables`). Only what is closed is remembered as a result.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import polars as pl

from muster.pipeline.fold.group_frames import Frames, of_kind
from muster.pipeline.tables.columns import GROUP, Frame, schema_of
from muster.pipeline.tables.commit_pauses import numbered, pauses_around, with_pauses
from muster.pipeline.tables.consumer_epochs import finished_bumps, with_ends, with_overtaken
from muster.pipeline.tables.journal_rebalances import is_epoch
from muster.pipeline.tables.journal_words import told_bumps, told_rebalances
from muster.pipeline.tables.rebalance_pauses import owned_pauses
from muster.pipeline.tables.rebalances import with_episodes
from muster.pipeline.tables.settings import GoldSettings

_RECORD: Final = (*GROUP, "end_offset")


def open_changes(state: Frames, settings: GoldSettings) -> Frame:
    """Everything of `g_rebalance` but the pauses, numbered; `end_offset` is the record that pauses are measured around."""
    if not any(len(state[kind]) for kind in ("rebalance", "telling", "bump")):
        return _no_changes()
    in_log = state["rebalance"].sort(*GROUP, "log_offset").drop("owned", "log_partition")
    told = state["telling"].sort(*GROUP, "j_log_offset").drop("log_partition")
    rows = told_rebalances(in_log, told.filter(~is_epoch()), settings.journal_match_ms)
    if not state["bump"].is_empty():
        bumps = told_bumps(finished_bumps(ended_bumps(state)), told.filter(is_epoch()), settings.journal_match_ms)
        rows = pl.concat([rows, bumps], how="diagonal")
    last = state["last_episode"].select(*GROUP, last_episode="episode", last_ended_ms="ended_ms")
    return numbered(with_episodes(rows, settings, last))


@cache
def _no_changes() -> Frame:
    gone = pl.List(pl.Struct({"topic": pl.String, "partition": pl.Int32}))
    more: dict[str, Any] = {
        "_rebalance": pl.UInt32,
        "end_offset": pl.Int64,
        "gone_partitions": gone,
        "gone_session_ms": pl.Int64,
    }
    return pl.DataFrame(schema={**schema_of("g_rebalance"), **more}).drop("pause_p50_ms", "pause_max_ms")


def ended_bumps(state: Frames) -> Frame:
    """KIP-848: the open bumps with their ends so far, null for those that nobody has reached."""
    bumps = with_ends(state["bump"])
    is_counted = pl.col("aborted_generations").is_not_null()
    return pl.concat(
        [bumps.filter(is_counted), with_overtaken(bumps.filter(~is_counted), state["last_epoch"])], how="diagonal"
    )


def fold_pauses(state: Frames, pairs: Frame, changes: Frame) -> None:
    """Kind `pause` of `state` is replaced. `pairs` are those that this batch completed, `changes` come from `open_changes`.

    A rebalance of a KIP-848 group ends with the last arrival: when another one comes, pauses are measured around that one.
    """
    asked = changes.filter(pl.col("end_offset").is_not_null()).select(*_RECORD, "ended_ms")
    kept = state["pause"].join(asked, on=_RECORD, how="semi")
    if asked.is_empty() or pairs.is_empty():
        state["pause"] = kept
    else:
        state["pause"] = pl.concat([kept, of_kind(pauses_around(asked, pairs), "pause")])


def paused_rebalances(state: Frames, changes: Frame) -> tuple[Frame, Frame]:
    """(`g_rebalance`, `g_rebalance_pause`) of `changes`, with all the other columns that those have."""
    gaps = state["pause"].join(changes.select(*_RECORD, "_rebalance"), on=_RECORD)
    owners = (
        state["rebalance"]
        .select(*GROUP, "log_offset", owned="owned")
        .explode("owned")
        .drop_nulls("owned")
        .unnest("owned")
    )
    rows = with_pauses(changes, None if gaps.is_empty() else gaps)
    return rows, owned_pauses(changes, gaps, owners)
