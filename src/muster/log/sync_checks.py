"""Is a frame of the sync journal something that a log could have written? Asked before a start uses it.

A frame that says something impossible is reported and left out: what it would do to a log nobody can say, and a start must not fail
because of it. Whether its log is there, and where it ends, is `sync_recovery`'s question.
"""

from __future__ import annotations

from typing import Final

from muster.log.directory import is_log_name
from muster.log.sync_frames import Frame
from muster.log.sync_reading import LostFrame
from muster.wire.batch import check_crc, iterate_batches
from muster.wire.errors import WireError

_MOST_SEGMENT_BYTES: Final = 2**31 - 1
"""Positions in an index are 32-bit numbers, and so are lengths of batches."""
_MOST_OFFSETS: Final = 2**31


def impossible(frame: Frame) -> str | None:
    """What is wrong with it; None if it can be used."""
    problem = impossible_place(frame)
    if problem is not None:
        return problem
    if not frame.batches:
        return "it holds no batch"
    next_offset = frame.segment_base
    try:
        for position, header in iterate_batches(frame.batches):
            check_crc(frame.batches, header, position)
            if not next_offset <= header.base_offset < frame.segment_base + _MOST_OFFSETS:
                return f"offset {header.base_offset} does not follow {next_offset - 1}"
            next_offset = header.next_offset
    except WireError as error:
        return str(error)
    return None


def impossible_place(frame: Frame | LostFrame) -> str | None:
    """The same of where it says that its batches stand, whatever those are."""
    if not is_log_name(frame.topic, frame.partition):
        return f"{frame.topic!r} and {frame.partition} do not name a log"
    if frame.segment_base < 0 or frame.position < 0 or frame.end > _MOST_SEGMENT_BYTES:
        return f"no segment begins at offset {frame.segment_base} and reaches from position {frame.position} to {frame.end}"
    return None
