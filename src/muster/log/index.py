"""The sparse indexes of one segment: about one entry for every `index.interval.bytes` of log.

Offset index: (relative offset of a batch's last record, position of the batch), 8 bytes an entry. Time index: (newest
timestamp so far, relative offset of the batch that brought it), 12 bytes an entry: whatever is newer lies behind it.
Both as in Kafka's `.index` and `.timeindex`. Knows no files; `segment` loads and saves the bytes.
"""

from __future__ import annotations

import struct
import sys
from array import array
from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import Final

from muster.wire.batch import NO_TIMESTAMP, BatchHeader

_OFFSET_ENTRY: Final = 8
_TIME_ENTRY = struct.Struct(">qi")


class IndexDamaged(Exception):
    """The bytes cannot be an index of this segment. The index is made anew from the log."""


class SegmentIndex:
    """Both indexes, and what a writer knows of the segment so far. `size` counts the log's bytes that were noted."""

    __slots__ = (
        "_base_offset",
        "_interval",
        "_offsets",
        "_positions",
        "_since_entry",
        "_time_offsets",
        "_times",
        "max_timestamp",
        "max_timestamp_offset",
        "next_offset",
        "size",
    )

    def __init__(self, base_offset: int, interval: int) -> None:
        self._base_offset = base_offset
        self._interval = interval
        self._offsets = array("i")
        self._positions = array("i")
        self._times = array("q")
        self._time_offsets = array("i")
        self._since_entry = 0
        self.size = 0
        self.next_offset = base_offset
        self.max_timestamp = -1
        self.max_timestamp_offset = -1

    def __len__(self) -> int:
        return len(self._offsets)

    def note(self, last_offset: int, max_timestamp: int, size: int) -> None:
        """One more batch at the end of the log."""
        if max_timestamp > self.max_timestamp:
            self.max_timestamp = max_timestamp
            self.max_timestamp_offset = last_offset
        if self._since_entry > self._interval:
            self._offsets.append(last_offset - self._base_offset)
            self._positions.append(self.size)
            self._enter_time()
            self._since_entry = 0
        self._since_entry += size
        self.size += size
        self.next_offset = last_offset + 1

    def note_header(self, header: BatchHeader) -> None:
        """A batch that compaction emptied keeps its timestamp for the producer's sake; no record carries it."""
        timestamp = header.max_timestamp if header.record_count else NO_TIMESTAMP
        self.note(header.last_offset, timestamp, header.size)

    def floor_position(self, offset: int) -> int:
        """Where to start looking for `offset`: no batch before this position holds it or a later one."""
        entry = bisect_right(self._offsets, offset - self._base_offset) - 1
        return self._positions[entry] if entry >= 0 else 0

    def position_before_time(self, timestamp_ms: int) -> int:
        """Where to start looking for a timestamp: everything before this position is older."""
        entry = bisect_left(self._times, timestamp_ms) - 1
        return self.floor_position(self._base_offset + self._time_offsets[entry]) if entry >= 0 else 0

    def copy(self) -> SegmentIndex:
        twin = SegmentIndex(self._base_offset, self._interval)
        twin._offsets = self._offsets[:]
        twin._positions = self._positions[:]
        twin._times = self._times[:]
        twin._time_offsets = self._time_offsets[:]
        twin._since_entry = self._since_entry
        twin.size = self.size
        twin.next_offset = self.next_offset
        twin.max_timestamp = self.max_timestamp
        twin.max_timestamp_offset = self.max_timestamp_offset
        return twin

    def to_files(self) -> tuple[bytes, bytes]:
        """The content of `.index` and `.timeindex`, the newest timestamp entered at the end so that it is found again."""
        self._enter_time()
        entries = array("i", bytes(_OFFSET_ENTRY * len(self._offsets)))
        entries[0::2] = self._offsets
        entries[1::2] = self._positions
        if sys.byteorder == "little":
            entries.byteswap()
        times = zip(self._times, self._time_offsets, strict=True)
        return entries.tobytes(), b"".join([_TIME_ENTRY.pack(*entry) for entry in times])

    def load(self, offset_bytes: bytes, time_bytes: bytes, segment_size: int) -> None:
        """Take over saved entries. The log from the last entry's position on is still to be noted (`resume_at_last_entry`)."""
        if len(offset_bytes) % _OFFSET_ENTRY or len(time_bytes) % _TIME_ENTRY.size:
            raise IndexDamaged("its length is not a multiple of an entry's")
        entries = array("i", offset_bytes)
        if sys.byteorder == "little":
            entries.byteswap()
        offsets, positions = entries[0::2], entries[1::2]
        times, time_offsets = array("q"), array("i")
        for time, offset in _TIME_ENTRY.iter_unpack(time_bytes):
            times.append(time)
            time_offsets.append(offset)
        if not (_ascending(offsets) and _ascending(positions) and _ascending(times)):
            raise IndexDamaged("its entries do not ascend")
        if offsets and (offsets[0] < 0 or positions[0] < 0 or positions[-1] >= segment_size):
            raise IndexDamaged("it points outside of the log")
        self._offsets, self._positions = offsets, positions
        self._times, self._time_offsets = times, time_offsets
        if times:
            self.max_timestamp = times[-1]
            self.max_timestamp_offset = self._base_offset + time_offsets[-1]

    def resume_at_last_entry(self) -> int:
        """Get ready to note the log from the last entry on; returns its position."""
        self.size = self._positions[-1] if self._positions else 0
        self._since_entry = 0
        return self.size

    def _enter_time(self) -> None:
        if self.max_timestamp >= 0 and (not self._times or self.max_timestamp > self._times[-1]):
            self._times.append(self.max_timestamp)
            self._time_offsets.append(self.max_timestamp_offset - self._base_offset)


def _ascending(numbers: array[int]) -> bool:
    return all(earlier < later for earlier, later in pairwise(numbers))
