"""Burrow's rule for one partition, bit for bit (LinkedIn Burrow, caching evaluator). Pure; `status` feeds it.

Kept on purpose, though one may think otherwise: a window of one commit is STOP after any silence and STALL by definition;
only the first rewind of a window is looked at; flat lag counts as not falling; a null lag (a commit from before the first
sample) proves nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

OK, WARN, STALL, STOP, REWIND = "OK", "WARN", "STALL", "STOP", "REWIND"


class Commit(NamedTuple):
    offset: int
    commit_ms: int
    lag: int | None
    """Against the newest end offset that was known when it arrived."""


def burrow_status(
    window: Sequence[Commit],
    ends: Sequence[int],
    current_lag: int,
    now_ms: int,
    *,
    allowed_lag: int = 0,
    complete: float = 1.0,
    minimum_complete: float = 0.0,
) -> str:
    """`window` are the last commits in log order, `ends` the last sampled end offsets. First match wins."""
    if not window or complete < minimum_complete or current_lag <= allowed_lag:
        return OK
    if _silent(window, now_ms) and not any(end <= window[-1].offset for end in ends):
        return STOP
    if _rewound(window):
        return REWIND
    if any(commit.lag is not None and commit.lag <= allowed_lag for commit in window):
        return OK
    if all(commit.offset == window[0].offset for commit in window):
        return STALL
    return WARN if _never_falls([commit.lag for commit in window if commit.lag is not None]) else OK


def _silent(window: Sequence[Commit], now_ms: int) -> bool:
    """Longer silent than the whole window is long. Burrow's clock has whole seconds."""
    first_ms, last_ms = window[0].commit_ms, window[-1].commit_ms
    return now_ms // 1000 * 1000 - last_ms > last_ms - first_ms


def _rewound(window: Sequence[Commit]) -> bool:
    for index in range(1, len(window)):
        before = window[index - 1].offset
        if window[index].offset < before:
            return not any(commit.offset >= before for commit in window[index:])
    return False


def _never_falls(lags: Sequence[int]) -> bool:
    return all(later >= earlier for earlier, later in itertools.pairwise(lags))
