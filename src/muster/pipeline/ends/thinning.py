"""Which steps of a partition stay where there are too many: what is long ago is known less exactly. Pure; called by `steps`.

Time is cut into buckets whose widths are powers of two, each at most a sixteenth of the time that has passed since. Of each bucket
the first step and the last stay. So the bracket of a record (`tables.time_lag`) stays as it was, or both steps around the record
are in one bucket. The last hour is left alone. With a step a minute that makes some 360 steps after a month, and about 32 more
each time the history doubles.

Where those are too many, as in files with many batches a minute, every bucket is at least a second wide, then twice as wide.

Narrow buckets lie in wide ones, so the steps that are left do not depend on when and how often others were taken out before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from muster.core.time_units import MINUTE_MS

Longs: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]

OLD_PARTS: Final = 16
"""A bucket's width is at most this part of its age."""
LEAST_PARTS: Final = 8
"""The same where there are too many steps for that."""
WHOLE_MS: Final = 60 * MINUTE_MS
"""Steps that are not older than this, before the newest one, all stay."""


@dataclass(frozen=True, slots=True)
class _Grain:
    parts: int
    whole_ms: int
    least_shift: int | None
    """Every bucket is at least 2**this ms wide, however young it is."""


_SECOND: Final = 10
_GRAINS: Final = (
    _Grain(OLD_PARTS, WHOLE_MS, None),
    _Grain(OLD_PARTS, 0, _SECOND),
    _Grain(LEAST_PARTS, 0, _SECOND),
)
"""Tried in this order, until enough steps are gone."""
_MOST_SHIFT: Final = 42  # a bucket of 139 years


def thinned(steps: pl.DataFrame, parts: int, max_steps: int) -> pl.DataFrame:
    """Rows with `at`, `topic_epoch`, `end_ms` and `exact`, in order. Partitions with more than `max_steps` are thinned out.

    An eighth of `max_steps` is free then, so that this is not done again with the next step.
    """
    at = steps["at"].to_numpy()
    over = np.bincount(at, minlength=parts) > max_steps
    if not over.any():
        return steps
    epoch, end_ms = steps["topic_epoch"].to_numpy(), steps["end_ms"].to_numpy().astype(np.int64)
    stays = np.ones(len(at), dtype=bool)
    for grain in _GRAINS:
        rows = np.flatnonzero(over[at])
        stays[rows] = _ends_of_buckets(at[rows], epoch[rows], end_ms[rows], grain)
        over &= np.bincount(at[stays], minlength=parts) > max_steps - max_steps // 8
        if not over.any():
            break
    else:  # topics that are made anew all the time: each of their lives has steps of its own
        rows = np.flatnonzero(over[at] & stays)
        stays[rows] = _without_every_second_old_one(at[rows])
    # Behind a step that is gone nobody knows which of the two batches a record was in.
    follows = np.append(True, stays[:-1])
    exact = pl.col("exact") & pl.Series(follows)
    return steps.with_columns(exact=exact).filter(pl.Series(stays))


def _ends_of_buckets(at: npt.NDArray[np.uint32], epoch: npt.NDArray[np.int32], end_ms: Longs, grain: _Grain) -> Flags:
    """Whether each step is the first or the last of its bucket, or in none."""
    begins = np.append(True, at[1:] != at[:-1])
    newest = end_ms[np.append(np.flatnonzero(begins)[1:], len(at)) - 1]
    shift = _shifts(end_ms, newest[np.cumsum(begins) - 1], grain)
    in_none = shift < 0
    bucket = end_ms >> np.maximum(shift, 0)
    for name in (epoch, shift, bucket):
        begins[1:] |= name[1:] != name[:-1]
    found: Flags = in_none | begins | np.append(begins[1:], True)
    return found


def _shifts(end_ms: Longs, newest_ms: Longs, grain: _Grain) -> Longs:
    """The bucket of a step is `end_ms >> shift`: the widest one that is old enough as a whole; -1 if none is."""
    shift = np.full(len(end_ms), -1 if grain.least_shift is None else grain.least_shift, dtype=np.int64)
    for wider in range((grain.least_shift or 0) + 1, _MOST_SHIFT):
        age_ms = newest_ms - (((end_ms >> wider) + 1) << wider)
        is_old = age_ms >= max(grain.parts << wider, grain.whole_ms)
        if not is_old.any():
            break
        shift[is_old] = wider
    return shift


def _without_every_second_old_one(at: npt.NDArray[np.uint32]) -> Flags:
    first = np.searchsorted(at, at)
    number, size = np.arange(len(at)) - first, np.searchsorted(at, at, side="right") - first
    stays: Flags = (number >= size // 2) | (number % 2 == 0)
    return stays
