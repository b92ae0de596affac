"""Searches in the steps of many partitions at once: which step held a moment, which one an offset. Arrays, no loops over rows.

Steps of all partitions lie in one array each, in the order of partition, topic epoch and time; along an epoch neither offsets nor
times fall. A search is bisection for all questions together, within the bounds that each question brings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa

from muster.pipeline.ends.schema import BATCH_BEGIN, BATCH_END, MISSED_AFTER_MS
from muster.pipeline.ends.thinning import LEAST_PARTS

Longs: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]

NONE = -1
"""Instead of an index: there is no such step, or no such partition."""


@dataclass(frozen=True, slots=True)
class Steps:
    leo: Longs
    log_start: Longs
    has_start: Flags
    begin_ms: Longs
    end_ms: Longs
    exact: Flags
    is_sample: Flags
    """Not of a batch that was there before the first sample (`ends.record_times`)."""
    first: Longs
    """The first step of each partition; one more at the end."""
    epoch_first: Longs
    """Of each step, the first step of its epoch."""
    epoch_stop: Longs
    """Of each step, the first step behind its epoch."""

    @property
    def newest(self) -> Longs:
        """The newest step of each partition."""
        return self.first[1:] - 1

    def log_start_at(self, index: Longs) -> pl.Series:
        """Null where the index is NONE, and where the sample did not say."""
        known = index >= 0
        known[known] = self.has_start[index[known]]
        return pick(self.log_start, index, known)


def steps_of(lists: pa.ChunkedArray) -> Steps:
    """Of the column `steps` of rows of the table `ends`. Every row has at least one step."""
    column = lists.combine_chunks() if lists.num_chunks else pa.array([], lists.type)
    counts = column.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    values = column.flatten()
    number = np.repeat(np.arange(len(counts)), counts)
    epoch = _longs(values.field("topic_epoch"))
    begins = np.ones(len(epoch), dtype=bool)
    begins[1:] = (number[1:] != number[:-1]) | (epoch[1:] != epoch[:-1])
    starts = np.flatnonzero(begins).astype(np.int64)
    which = np.cumsum(begins) - 1
    log_start = values.field("log_start")
    return Steps(
        leo=_longs(values.field("leo")),
        log_start=_longs(log_start),
        has_start=np.asarray(log_start.is_valid()),
        begin_ms=_longs(values.field("begin_ms")),
        end_ms=_longs(values.field("end_ms")),
        exact=np.asarray(values.field("exact").fill_null(False)),
        is_sample=~np.asarray(pa.compute.is_in(values.field("sampler"), pa.array([BATCH_BEGIN, BATCH_END]))),
        first=first,
        epoch_first=starts[which],
        epoch_stop=np.append(starts[1:], len(epoch))[which],
    )


def last_at_most(values: Longs, first: Longs, stop: Longs, wanted: Longs) -> Longs:
    """For each question the last index in [first, stop) whose value is at most the wanted one, else NONE."""
    low, high = first.copy(), stop.copy()
    while (searching := low < high).any():
        middle = (low + high) // 2
        not_above = np.zeros(len(low), dtype=bool)
        not_above[searching] = values[middle[searching]] <= wanted[searching]
        low = np.where(searching & not_above, middle + 1, low)
        high = np.where(searching & ~not_above, middle, high)
    return np.where(low > first, low - 1, NONE)


def at_moment(steps: Steps, partition: Longs, moment_ms: Longs) -> Longs:
    """The newest step of the partition that was sampled by then, of any epoch; NONE too where the partition is.

    Where a batch is the last that is known, the log may have grown since by any number of records: NONE.
    """
    known = partition >= 0
    first, stop = np.zeros(len(partition), dtype=np.int64), np.zeros(len(partition), dtype=np.int64)
    first[known], stop[known] = steps.first[partition[known]], steps.first[partition[known] + 1]
    found = last_at_most(steps.end_ms, first, stop, moment_ms)
    return np.where((found >= 0) & steps.is_sample[found], found, NONE) if len(steps.is_sample) else found


def end_between(steps: Steps, at: Longs, moment_ms: Longs, offset: Longs | None = None) -> Longs:
    """The end of the log at each moment; `at` comes from `at_moment`. 0 where that is NONE.

    The step of that moment says it. Where the steps there have been thinned out, the end lies on the line between that one and the
    next: with the old end, a group that keeps its distance would look as if it fell behind. If the end passed `offset` there, which
    was committed at that moment, the group had caught up as near as is known, and the end is taken to be that offset.
    """
    if not len(steps.leo):
        return np.zeros(len(at), dtype=np.int64)
    here = np.maximum(at, 0)
    after = np.minimum(here + 1, len(steps.leo) - 1)
    gap_ms = steps.end_ms[after] - steps.end_ms[here]
    partition = np.searchsorted(steps.first, here, side="right") - 1
    age_ms = steps.end_ms[steps.newest[partition]] - steps.end_ms[after]
    is_thin = (after < steps.epoch_stop[here]) & (gap_ms > MISSED_AFTER_MS) & (LEAST_PARTS * gap_ms <= age_ms)
    is_thin &= ~steps.exact[after]
    share = (moment_ms - steps.end_ms[here]) / np.maximum(gap_ms, 1)
    end = steps.leo[here] + ((steps.leo[after] - steps.leo[here]) * share).astype(np.int64)
    if offset is not None:
        end = np.where((steps.leo[here] <= offset) & (offset <= steps.leo[after]), offset, end)
    return np.where(at >= 0, np.where(is_thin, end, steps.leo[here]), 0)


def around_offset(steps: Steps, newest: Longs, offset: Longs) -> dict[str, pl.Series]:
    """`at_*` and `next_*`, as `time_lag.bracket` wants them: the last step at or below the offset, and the one behind it.

    Only the epoch of the step `newest` is looked at, up to that step. Null where it is NONE; below the first step is a stand-in.
    """
    known = newest >= 0
    first, stop = np.zeros(len(newest), dtype=np.int64), np.zeros(len(newest), dtype=np.int64)
    first[known], stop[known] = steps.epoch_first[newest[known]], newest[known] + 1
    found = last_at_most(steps.leo, first, stop, offset)
    has_at = known & (found >= 0)
    after = np.where(found >= 0, found + 1, first)
    has_next = known & (after < stop)
    at_leo = np.full(len(newest), _BELOW_ALL, dtype=np.int64)
    at_leo[has_at] = steps.leo[found[has_at]]
    return {
        "at_leo": pl.Series(pl.from_arrow(pa.array(at_leo, mask=~known))),
        "at_begin_ms": pick(steps.begin_ms, found, has_at),
        "at_end_ms": pick(steps.end_ms, found, has_at),
        "next_leo": pick(steps.leo, after, has_next),
        "next_begin_ms": pick(steps.begin_ms, after, has_next),
        "next_end_ms": pick(steps.end_ms, after, has_next),
        "next_exact": pick(steps.exact, after, has_next),
    }


_BELOW_ALL = -(1 << 62)


def pick(values: npt.NDArray[Any], index: Longs, known: Flags) -> pl.Series:
    """The values at these indices, null where nothing is known."""
    taken = np.zeros(len(index), dtype=values.dtype)
    taken[known] = values[index[known]]
    return pl.Series(pl.from_arrow(pa.array(taken, mask=~known)))


def _longs(values: pa.Array) -> Longs:
    return np.asarray(values.fill_null(0).to_numpy(zero_copy_only=False), dtype=np.int64)
