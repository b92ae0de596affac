"""How long consumption paused around a rebalance, seen from the commits: the gap that spans its end, less the usual interval.

The log has no better measure of what users felt (analytics 2.6). The same gap refines a guess: if the partitions of a member
that went had no commit for its session timeout while others' had, it did not leave, it expired. Where nobody commits, a
silence says nothing: there may be nothing to read.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from muster.pipeline.tables.columns import GROUP, POSITION, Frame, is_true

_EXPIRED_CONFIDENCE = 0.6
_REBALANCE = "_rebalance"
_SPAN = {"topic": pl.String, "partition": pl.Int32, "commit_ms": pl.Int64, "next_commit_ms": pl.Int64}
_INTERVAL = {"cluster": pl.Categorical, "group_id": pl.Categorical, "topic": pl.Categorical, "partition": pl.Int32}


class CommitGaps:
    """Told of finished commits part by part, it keeps those between which a rebalance ended, and how long intervals were.

    Survivors of compaction do not count. Until `settle` is called, about 30 bytes are kept for each commit of a group that ever
    rebalanced.
    """

    def __init__(self, changes: Frame) -> None:
        """`changes` are numbered by `numbered`."""
        asked = changes.filter(pl.col("ended_ms").is_not_null()).select(*GROUP, _REBALANCE, "ended_ms")
        self._groups = asked.select(GROUP).unique().with_row_index("_group")
        asked = asked.join(self._groups, on=GROUP).sort("_group", "ended_ms")
        ends = asked["ended_ms"].to_numpy()
        self._first_ms = int(ends.min()) if len(ends) else 0
        self._width = int(np.ptp(ends)) + 3 if len(ends) else 3
        self._ends = self._places(asked["_group"], asked["ended_ms"])
        self._rebalances = asked[_REBALANCE].to_numpy()
        self._spans: list[Frame] = []
        self._intervals: list[Frame] = []
        self._usual: list[Frame] = []

    def add(self, commits: Frame) -> None:
        if self._groups.is_empty():
            return
        usable = commits.filter(pl.col("is_effective") & ~pl.col("is_tombstone") & pl.col("faithful")).select(
            pl.col(GROUP).cast(pl.String), "topic", "partition", "commit_ms", "prev_commit_ms", "next_commit_ms"
        )
        usable = usable.join(self._groups, on=GROUP)
        self._intervals.append(
            usable.select(
                *(pl.col(name).cast(kind) for name, kind in _INTERVAL.items()),
                interval_ms=pl.col("commit_ms") - pl.col("prev_commit_ms"),
            ).drop_nulls("interval_ms")
        )
        self._find_spans(usable)

    def settle(self) -> None:
        """All commits of all keys that were seen so far have passed: their intervals become the one that is usual."""
        if self._intervals:
            usual = pl.col("interval_ms").quantile(0.5, "lower").cast(pl.Int64)
            found = pl.concat(self._intervals).group_by(POSITION).agg(usual_ms=usual)
            self._usual.append(found.with_columns(pl.col("cluster", "group_id", "topic").cast(pl.String)))
            self._intervals = []

    def _find_spans(self, usable: Frame) -> None:
        """Ends in [commit, next commit) of the same group lie side by side among the sorted ends."""
        forever = usable["next_commit_ms"].fill_null(self._first_ms + self._width)
        begins = np.searchsorted(self._ends, self._places(usable["_group"], usable["commit_ms"]))
        counts = np.searchsorted(self._ends, self._places(usable["_group"], forever)) - begins
        spanning = np.flatnonzero(counts > 0)
        if not len(spanning):
            return
        often = counts[spanning]
        within = np.arange(often.sum()) - np.repeat(np.cumsum(often) - often, often)
        rows = usable[np.repeat(spanning, often)].select(
            *GROUP, *(pl.col(name).cast(kind) for name, kind in _SPAN.items())
        )
        numbers = self._rebalances[np.repeat(begins[spanning], often) + within]
        self._spans.append(rows.with_columns(pl.Series(_REBALANCE, numbers)))

    def _places(self, groups: pl.Series, times: pl.Series) -> npt.NDArray[np.int64]:
        """One number that orders by group, then time."""
        within = np.clip(times.to_numpy() - self._first_ms + 1, 0, self._width - 1)
        places: npt.NDArray[np.int64] = groups.to_numpy().astype(np.int64) * self._width + within
        return places

    def gaps(self) -> Frame | None:
        """A row a rebalance and partition: pause_ms, and how long before its end the last commit came; None if there is none."""
        if not self._spans:
            return None
        self.settle()
        spans, usual = pl.concat(self._spans), pl.concat(self._usual)
        pause = pl.col("next_commit_ms") - pl.col("commit_ms") - pl.col("usual_ms").fill_null(0)
        return spans.join(usual, on=POSITION, how="left").with_columns(pause_ms=pause.clip(0))


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
