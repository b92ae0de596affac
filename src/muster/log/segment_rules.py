"""When a segment is full or old enough to be closed, and which closed ones may go. Pure arithmetic.

Kafka's rules; `memory` and `files` keep them for their own kind of segments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from muster.log.contract import LogConfig

MAX_RELATIVE_OFFSET: Final = 2**31 - 1
"""Index entries hold offsets relative to the segment's first in 32 bits."""


class SegmentFacts(Protocol):
    """What the rules need to know of a segment."""

    base_offset: int
    size: int

    @property
    def first_time_ms(self) -> int | None:
        """The time of the first batch; None while empty."""
        ...

    @property
    def last_time_ms(self) -> int | None:
        """The newest time that a record in it carries; None while empty."""
        ...


def must_roll(
    config: LogConfig,
    *,
    size: int,
    first_time_ms: int | None,
    base_offset: int,
    batch_size: int,
    batch_time_ms: int,
    last_offset: int,
) -> bool:
    """Whether the next batch opens a new segment. An empty segment takes any batch, however large.

    `segment.ms` counts from the first batch's timestamp to the arriving one's, as Kafka does it: an old log that
    nobody writes to does not roll by itself (`rolls_by_clock` is for the retention pass).
    """
    if size == 0 or first_time_ms is None:
        return False
    return (
        size + batch_size > config.segment_bytes
        or batch_time_ms - first_time_ms > config.roll_after_ms
        or last_offset - base_offset > MAX_RELATIVE_OFFSET
    )


def rolls_by_clock(config: LogConfig, segment: SegmentFacts, now_ms: int) -> bool:
    """Whether the retention pass closes the active segment: it is over `segment.ms`, or all of it is over retention."""
    first = segment.first_time_ms
    if segment.size == 0 or first is None:
        return False
    return now_ms - first > config.roll_after_ms or (config.cleanup_delete and _too_old(config, segment, now_ms))


def count_droppable(config: LogConfig, closed: Sequence[SegmentFacts], log_size: int, now_ms: int) -> int:
    """How many of the closed segments, oldest first, retention lets go of.

    Time looks at the newest record of a segment. Size drops a segment only if what remains is still `retention.bytes`
    or more (Kafka keeps the segment that crosses the line).
    """
    if not config.cleanup_delete:
        return 0
    count = 0
    excess = log_size - config.retention_bytes if config.retention_bytes >= 0 else -1
    for segment in closed:
        if _too_old(config, segment, now_ms) or 0 < segment.size <= excess:
            excess -= segment.size
        else:
            break
        count += 1
    return count


def count_before(offset: int, bases_after: Sequence[int]) -> int:
    """How many segments lie wholly before `offset`, given where the segment after each one begins."""
    count = 0
    for next_base in bases_after:
        if next_base > offset:
            break
        count += 1
    return count


def _too_old(config: LogConfig, segment: SegmentFacts, now_ms: int) -> bool:
    last = segment.last_time_ms
    return config.retention_ms >= 0 and last is not None and now_ms - last > config.retention_ms
