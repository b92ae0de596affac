"""Burrow's rule once more, one window at a time, as Burrow writes it: what the columns are compared with."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

OK, WARN, STALL, STOP, REWIND = "OK", "WARN", "STALL", "STOP", "REWIND"


class Window(NamedTuple):
    """The last commits of a partition in log order, column by column: objects would cost more than the judging."""

    offsets: Sequence[int]
    times: Sequence[int]
    lags: Sequence[int | None]
    """Against the newest end offset that was known when each arrived."""


def burrow_status(
    window: Window,
    ends: Sequence[int],
    current_lag: int,
    now_ms: int,
    *,
    allowed_lag: int = 0,
    complete: float = 1.0,
    minimum_complete: float = 0.0,
) -> str:
    """`ends` are the last sampled end offsets. First match wins."""
    offsets = window.offsets
    if not offsets or complete < minimum_complete or current_lag <= allowed_lag:
        return OK
    if _silent(window.times, now_ms) and not any(end <= offsets[-1] for end in ends):
        return STOP
    if _rewound(offsets):
        return REWIND
    lags = [lag for lag in window.lags if lag is not None]
    if any(lag <= allowed_lag for lag in lags):
        return OK
    if min(offsets) == max(offsets):
        return STALL
    return WARN if _never_falls(lags) else OK


def _silent(times: Sequence[int], now_ms: int) -> bool:
    """Longer silent than the whole window is long. Burrow's clock has whole seconds."""
    return now_ms // 1000 * 1000 - times[-1] > times[-1] - times[0]


def _rewound(offsets: Sequence[int]) -> bool:
    for index in range(1, len(offsets)):
        before = offsets[index - 1]
        if offsets[index] < before:
            return max(offsets[index:]) < before
    return False


def _never_falls(lags: Sequence[int]) -> bool:
    return all(later >= earlier for earlier, later in itertools.pairwise(lags))
