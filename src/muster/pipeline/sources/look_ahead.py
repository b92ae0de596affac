"""How far a micro-batch may go in a log with holes: compaction takes records and leaves their offsets empty.

The limit of a micro-batch is there for the memory of a task, so it is about records. Offsets are the most records that there can
be: in a compacted log, where of a thousand offsets one is left, a limit of offsets makes micro-batches of next to nothing. So the
headers of some batches ahead are read, which say how many records are left and where. Nothing is guessed from them: what was
looked at counts as it is, behind it every offset counts as a record. Knows batch headers; who reads them is the caller's matter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np

from muster.pipeline.sources.log_source import Stretch
from muster.pipeline.sources.record_columns import Numbers

LOOKS: Final = (64 << 10, 256 << 10, 1 << 20, 4 << 20, 8 << 20)
"""Bytes of each look at most: the first one tells a log without holes, all together pass some 100,000 commits."""
_HOLES_FROM: Final = 4
"""So many offsets a record, and it is worth looking further: each look reads what a task is going to read again."""

Look: TypeAlias = Callable[[int, int], Numbers]
"""The headers of the batches from an offset on that lie in so many bytes. Fewer, or none, are no harm."""


def reach(stretch: Stretch, records: int, look: Look) -> int:
    """An offset that has at most `records` records between the begin of the stretch and itself. It may lie behind the end."""
    at, left = stretch.start, records
    for size in LOOKS:
        headers = look(at, size)
        if not len(headers):
            continue  # a batch that is larger than that, perhaps
        passed, found, is_full = _passed(headers, at, left)
        has_holes = passed - at > _HOLES_FROM * found
        at, left = passed, left - found
        if is_full or not has_holes or at >= stretch.end:
            break
    return at + left


def _passed(headers: Numbers, start: int, most: int) -> tuple[int, int, bool]:
    """Up to where these batches have no more than `most` records from `start` on, how many, and whether one did not fit."""
    bases = headers["base_offset"].astype(np.int64)
    behind = bases + headers["last_offset_delta"] + 1
    ours = behind > start
    firsts, behind = np.maximum(bases[ours], start), behind[ours]
    counts = np.cumsum(np.minimum(headers["record_count"][ours], behind - firsts))
    fitting = int(np.searchsorted(counts, most, side="right"))
    found = int(counts[fitting - 1]) if fitting else 0
    if fitting < len(counts):
        return int(firsts[fitting]), found, True
    return (int(behind[-1]) if len(behind) else start), found, False
