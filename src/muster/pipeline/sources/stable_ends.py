"""How far a partition can be read by a consumer of committed records: a rule over the headers of its batches.

The last stable offset is the first offset of the oldest transaction that is open, or the end of the log if none is (trap 10). The
readable end lies behind the last record before it that such a consumer is given: markers, and what was aborted, are not (trap 9).
Pure; the readers of files and of brokers bring the headers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from muster.pipeline.sources.record_columns import Numbers, is_control
from muster.wire.batch import TRANSACTIONAL_BIT, CorruptBatch, UnknownCompression, decode_records, parse_header
from muster.wire.batch_markers import control_type
from muster.wire.special_values import COMMIT_MARKER


class StableEnd(NamedTuple):
    lso: int
    readable_end: int


class KnownEnd(NamedTuple):
    """Where a partition ended when it was last looked at; how far it was readable then may not be known."""

    leo: int
    lso: int | None = None
    readable_end: int | None = None

    @property
    def stable(self) -> StableEnd | None:
        if self.lso is None or self.readable_end is None:
            return None
        return StableEnd(self.lso, self.readable_end)


@dataclass(slots=True)
class _Transaction:
    """What one producer has written since its last marker."""

    first: int
    ends: list[int]


def is_commit(buf: bytes, position: int) -> bool:
    """Whether the control batch there is a COMMIT marker. One whose record compaction took ends a transaction without data."""
    try:
        records = decode_records(buf, parse_header(buf, position), position)
        return any(control_type(record.key) == COMMIT_MARKER for record in records)
    except (CorruptBatch, UnknownCompression):
        return False


def stable_end(headers: Numbers, commits: Sequence[bool], before: StableEnd, end: int) -> StableEnd:
    """`headers` are all batches from `before.lso` up to `end`; `commits` says of each control batch whether it is a COMMIT marker.

    From the last stable offset on is enough: transactions that began before it are decided, and `before` knows what they left.
    """
    transactional, control = headers["attributes"] & TRANSACTIONAL_BIT != 0, is_control(headers)
    has_records = headers["record_count"] > 0
    ends: Numbers = headers["base_offset"].astype(np.int64) + headers["last_offset_delta"] + 1
    open_now: dict[int, _Transaction] = {}
    committed: list[int] = []
    verdicts = iter(commits)
    flagged = np.flatnonzero(transactional | control)
    columns = (headers["producer_id"], headers["base_offset"], ends, has_records, control)
    for producer, base, end_of_batch, holds_any, is_marker in zip(
        *(each[flagged].tolist() for each in columns), strict=True
    ):
        if is_marker:
            ended = open_now.pop(producer, None)
            if next(verdicts) and ended is not None:
                committed += ended.ends
        else:
            held = open_now.setdefault(producer, _Transaction(base, []))
            held.ends += [end_of_batch] if holds_any else []
    lso = min((each.first for each in open_now.values()), default=end)
    readable = np.append(ends[~transactional & ~control & has_records], np.array(committed, dtype=np.int64))
    return StableEnd(lso, int(readable[readable <= lso].max(initial=before.readable_end)))
