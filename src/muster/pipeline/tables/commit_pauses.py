"""How long consumption paused around a rebalance, seen from the commits: the gap that spans its record, less the usual interval.

The log has no better measure of what users felt (analytics 2.6). A pair of neighbouring commits of a partition counts if the
rebalance's record lies between them in the log, nothing of the log is missing between them, and the second came at most
`PAUSE_LIMIT_MS` after the rebalance. The same pairs refine a guess: if the partitions of a member that went had no commit for its
session timeout while others' had, it did not leave, it expired. Where nobody commits, a silence says nothing: there may be
nothing to read.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from muster.pipeline.tables.columns import GROUP, Frame, is_true

PAUSE_LIMIT_MS: Final = 3_600_000
"""A commit that comes later than this after a rebalance has other reasons."""
_EXPIRED_CONFIDENCE: Final = 0.6
_REBALANCE: Final = "_rebalance"


def pauses_around(asked: Frame, pairs: Frame) -> Frame:
    """The pairs that count for these rebalances, each with the columns of `asked`.

    `asked` has the group, `end_offset` and `ended_ms` of each rebalance; `pairs` come from `fold.spans`.
    """
    counted = pairs.filter(is_true(pl.col("same_run")) & pl.col("next_log_offset").is_not_null())
    begins, times = _between(asked, counted)
    which = np.repeat(np.arange(len(counted)), times)
    within = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
    order = asked.sort(*GROUP, "end_offset")
    rebalances = order[np.repeat(begins, times) + within].drop(GROUP)
    pause = pl.col("next_ms") - pl.col("commit_ms") - pl.col("usual_ms").fill_null(0)
    spans: Frame = pl.concat([counted[which], rebalances], how="horizontal")
    in_time = pl.col("next_ms") <= pl.col("ended_ms") + PAUSE_LIMIT_MS
    return spans.filter(in_time).select(
        *(name for name in asked.columns if name != "ended_ms"),
        "topic",
        "partition",
        "commit_ms",
        next_commit_ms="next_ms",
        pause_ms=pause.clip(0),
    )


def _between(asked: Frame, pairs: Frame) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """For each pair: where the records between its commits begin among the sorted records of all groups, and how many there are.

    Records of a group lie side by side when they are sorted by group and offset, so two searches find them.
    """
    groups = asked.select(GROUP).unique().sort(GROUP).with_row_index("_group")
    records = asked.select(*GROUP, "end_offset").join(groups, on=GROUP).sort("_group", "end_offset")
    rows = pairs.select(*GROUP, "log_offset", "next_log_offset").join(
        groups, on=GROUP, how="left", maintain_order="left"
    )
    offsets = np.unique(records["end_offset"].to_numpy())
    width = len(offsets) + 1

    def place(group: pl.Series, offset: pl.Series, side: str) -> npt.NDArray[np.int64]:
        ranks = np.searchsorted(offsets, offset.to_numpy(), side=side)  # type: ignore[call-overload]
        places: npt.NDArray[np.int64] = group.to_numpy().astype(np.int64) * width + ranks
        return places

    places = place(records["_group"], records["end_offset"], "left")
    known = rows["_group"].is_not_null().to_numpy()
    group = rows["_group"].fill_null(0)
    begins = np.searchsorted(places, place(group, rows["log_offset"], "right"))
    ends = np.searchsorted(places, place(group, rows["next_log_offset"], "left"))
    return begins, np.where(known, np.maximum(ends - begins, 0), 0)


def numbered(changes: Frame) -> Frame:
    return changes.with_row_index(_REBALANCE)


def with_pauses(changes: Frame, gaps: Frame | None) -> Frame:
    """Adds pause_p50_ms and pause_max_ms; turns `left_or_expired` into `session_expired` where the gap shows it."""
    if gaps is None:
        unknown = pl.lit(None, pl.Int64)
        return changes.drop(_REBALANCE).with_columns(pause_p50_ms=unknown, pause_max_ms=unknown)
    rows = changes.join(_per_rebalance(changes, gaps), on=_REBALANCE, how="left")
    expired = (
        (pl.col("cause") == "left_or_expired")
        & (pl.col("source") == "log")
        & is_true(pl.col("_silent_ms") >= pl.col("gone_session_ms"))
        & is_true(pl.col("_others_silent_ms") < pl.col("gone_session_ms"))
    )
    return rows.with_columns(
        confidence=pl.when(expired).then(_EXPIRED_CONFIDENCE).otherwise("confidence"),
        cause=pl.when(expired).then(pl.lit("session_expired")).otherwise("cause"),
    ).drop(_REBALANCE, "_silent_ms", "_others_silent_ms")


def _per_rebalance(changes: Frame, gaps: Frame) -> Frame:
    theirs = (
        changes.select(_REBALANCE, "gone_partitions")
        .explode("gone_partitions")
        .drop_nulls("gone_partitions")
        .unnest("gone_partitions")
        .unique()
        .with_columns(_theirs=pl.lit(True))
    )
    rows = gaps.join(changes.select(_REBALANCE, "ended_ms"), on=_REBALANCE).join(
        theirs, on=[_REBALANCE, "topic", "partition"], how="left"
    )
    silent, was_theirs = pl.col("ended_ms") - pl.col("commit_ms"), is_true(pl.col("_theirs"))
    return rows.group_by(_REBALANCE).agg(
        pause_p50_ms=pl.col("pause_ms").median().cast(pl.Int64),
        pause_max_ms=pl.col("pause_ms").max(),
        _silent_ms=silent.filter(was_theirs).min(),
        _others_silent_ms=silent.filter(~was_theirs).min(),
    )
