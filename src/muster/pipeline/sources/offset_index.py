"""A segment's `.index` file, to begin reading near an offset instead of at the segment's first byte.

An index is a hint only: it may be missing, behind the log, or padded with zeros (Kafka reserves room). What it says is believed
after a look at the log itself. Knows the entry layout: relative last offset of a batch, position of that batch.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from muster.pipeline.sources.segment_bytes import SegmentBytes
from muster.wire.batch_header import MAGIC, MAGIC_AT

_ENTRY: Final = np.dtype([("offset", ">i4"), ("position", ">i4")])


def position_before(segment_path: str, content: SegmentBytes, base_offset: int, offset: int) -> int:
    """The position of a batch at or before the one that holds `offset`; 0, the segment's begin, if nothing better is known."""
    try:
        entries = np.fromfile(segment_path.removesuffix(".log") + ".index", dtype=_ENTRY)
    except OSError:
        return 0
    positions = entries["position"].astype(np.int64)
    rising = np.flatnonzero(np.diff(positions) <= 0)
    valid = int(rising[0]) + 1 if rising.size else len(positions)
    known = entries["offset"][:valid].astype(np.int64) + base_offset
    at = int(np.searchsorted(known, offset, side="right")) - 1
    if at < 0:
        return 0
    position = int(positions[at])
    return position if _is_batch_before(content, position, base_offset, offset) else 0


def _is_batch_before(content: SegmentBytes, position: int, base_offset: int, offset: int) -> bool:
    start = content.read(position, 17) if position >= 0 else b""
    return (
        len(start) == MAGIC_AT + 1
        and start[MAGIC_AT] == MAGIC
        and base_offset <= int.from_bytes(start[:8], "big") <= offset
    )
