"""When a log is worth compacting, how far it may be, and which segments become one. Pure arithmetic, Kafka's rules.

`memory` and `files` ask it for their own kind of segments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from muster.log.contract import LogConfig
from muster.log.segment_rules import MAX_RELATIVE_OFFSET, SegmentFacts
from muster.wire.late_dataclass import dataclass

S = TypeVar("S", bound=SegmentFacts)


@dataclass(slots=True, frozen=True)
class Cleanable:
    """The part of a log that a round would look at."""

    first_dirty: int
    """Everything before this offset was compacted by an earlier round."""
    end: int
    """Nothing from this offset on may be touched yet."""
    clean_bytes: int
    dirty_bytes: int
    overdue: bool
    """`max.compaction.lag.ms` has passed for the oldest record that was never compacted."""

    @property
    def ratio(self) -> float:
        whole = self.clean_bytes + self.dirty_bytes
        return self.dirty_bytes / whole if whole else 0.0


def cleanable(
    config: LogConfig,
    closed: Sequence[SegmentFacts],
    active_base: int,
    clean_offset: int,
    now_ms: int,
    stable_offset: int | None = None,
) -> Cleanable:
    """What may be compacted: closed segments, and of those only up to the first that is younger than the lag, or that reaches
    beyond the last stable offset. A record there may replace nothing yet that readers of committed records still need.

    A `clean_offset` that the log does not reach (it lost its end) or has left behind (retention) counts for nothing.
    """
    start = closed[0].base_offset if closed else active_base
    if not start <= clean_offset <= active_base:
        clean_offset = start
    bases_after = [*(segment.base_offset for segment in closed), active_base][1:]
    end, clean_bytes, dirty_bytes, overdue = start, 0, 0, False
    for segment, next_base in zip(closed, bases_after, strict=True):
        if next_base <= clean_offset:
            clean_bytes += segment.size
        else:
            if stable_offset is not None and next_base > stable_offset:
                break
            if config.min_compaction_lag_ms > 0 and _younger(segment, now_ms - config.min_compaction_lag_ms):
                break
            first = segment.first_time_ms
            if dirty_bytes == 0 and first is not None and now_ms - first > config.max_compaction_lag_ms:
                overdue = True
            dirty_bytes += segment.size
        end = next_base
    return Cleanable(clean_offset, max(end, clean_offset), clean_bytes, dirty_bytes, overdue)


def due_ratio(config: LogConfig, part: Cleanable) -> float | None:
    """The dirty ratio if a round is due: more than `min.cleanable.dirty.ratio`, or a record has waited too long."""
    if not config.cleanup_compact or not part.dirty_bytes:
        return None
    return part.ratio if part.overdue or part.ratio > config.min_cleanable_dirty_ratio else None


def grouped(segments: Sequence[S], bases_after: Sequence[int], max_bytes: int) -> list[list[S]]:
    """Neighbours that fit into one segment together: compaction makes segments small, and many small ones are slow."""
    groups: list[list[S]] = []
    size = 0
    for segment, next_base in zip(segments, bases_after, strict=True):
        fits = (
            groups
            and size + segment.size <= max_bytes
            and next_base - 1 - groups[-1][0].base_offset <= MAX_RELATIVE_OFFSET
        )
        if fits:
            groups[-1].append(segment)
            size += segment.size
        else:
            groups.append([segment])
            size = segment.size
    return groups


def _younger(segment: SegmentFacts, limit_ms: int) -> bool:
    last = segment.last_time_ms
    return last is not None and last > limit_ms
