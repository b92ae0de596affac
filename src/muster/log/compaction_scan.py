"""The first pass of a compaction: which offset is the last of each key, how each transaction ended, who produced last.

Pure: fed with batches in order. `compaction_filter` judges every batch by what was found here.
"""

from __future__ import annotations

from bisect import bisect_right
from enum import Enum
from typing import Final, NamedTuple

from muster.log.compacted_batch import record_places
from muster.wire.batch import NO_PRODUCER_ID, BatchHeader
from muster.wire.special_values import ABORT_MARKER, COMMIT_MARKER

MAX_KEYS: Final = 500_000
"""Kept in memory at a time, about 200 bytes each; a log with more new keys takes several rounds."""


class Fate(Enum):
    """What became of the transaction that a batch belongs to."""

    COMMITTED = "committed"
    ABORTED = "aborted"
    UNDECIDED = "undecided"
    """No marker in what was read: still open, or its marker comes later."""


class LastBatch(NamedTuple):
    last_offset: int
    max_timestamp: int


def marker_type(key: bytes | None) -> int | None:
    """A control record's key is its version and its type, two 16-bit numbers; None for types but ABORT and COMMIT."""
    if key is None or len(key) < 4:
        return None
    number = int.from_bytes(key[2:4], "big")
    return number if number in (ABORT_MARKER, COMMIT_MARKER) else None


class CompactionScan:
    def __init__(self, first_dirty: int, max_keys: int = MAX_KEYS) -> None:
        self._first_dirty = first_dirty
        self._max_keys = max_keys
        self.last_offsets: dict[bytes, int] = {}
        """Key -> the offset of its last record, of the part that was not compacted before."""
        self.end_offset = first_dirty
        """The scan knows everything before this offset."""
        self.last_batches: dict[int, LastBatch] = {}
        """Producer id -> its last batch so far."""
        self._markers: dict[int, list[tuple[int, bool]]] = {}
        """Producer id -> (offset, was it a commit) of its markers, ascending."""
        self._open: dict[int, tuple[int, list[tuple[bytes, int]]]] = {}
        """Producer id -> first offset and the (key, offset) pairs of its transaction without a marker so far."""

    def note(self, header: BatchHeader, batch: bytes) -> bool:
        """One more batch. False: there is no room for its keys; it and what follows are for another round."""
        if header.base_offset >= self._first_dirty and len(self.last_offsets) >= self._max_keys:
            return False
        if header.producer_id != NO_PRODUCER_ID:
            self.last_batches[header.producer_id] = LastBatch(header.last_offset, header.max_timestamp)
        if header.is_control:
            self._note_marker(header, batch)
        elif header.is_transactional:
            self._note_transactional(header, batch)
        elif header.last_offset >= self._first_dirty:
            base, last_offsets = header.base_offset, self.last_offsets
            for place in record_places(batch, header)[1]:
                if place.key is not None:
                    last_offsets[place.key] = base + place.offset_delta
        self.end_offset = max(self.end_offset, header.next_offset)
        return True

    def fate_of(self, header: BatchHeader) -> Fate:
        """A producer has one transaction at a time: its next marker tells."""
        markers = self._markers.get(header.producer_id, [])
        at = bisect_right(markers, header.last_offset, key=lambda marker: marker[0])
        if at == len(markers):
            return Fate.UNDECIDED
        return Fate.COMMITTED if markers[at][1] else Fate.ABORTED

    @property
    def clean_offset(self) -> int:
        """Everything before this is settled after the round. An open transaction has to be looked at again: a tombstone
        in it counts only once it is committed (Kafka stops at the last stable offset for the same reason)."""
        return min([self.end_offset, *(first for first, _ in self._open.values())])

    def _note_transactional(self, header: BatchHeader, batch: bytes) -> None:
        _, pairs = self._open.setdefault(header.producer_id, (header.base_offset, []))
        if header.last_offset >= self._first_dirty:
            base = header.base_offset
            pairs += [
                (place.key, base + place.offset_delta)
                for place in record_places(batch, header)[1]
                if place.key is not None
            ]

    def _note_marker(self, header: BatchHeader, batch: bytes) -> None:
        for place in record_places(batch, header)[1]:
            kind = marker_type(place.key)
            if kind is None:
                continue
            self._markers.setdefault(header.producer_id, []).append((header.last_offset, kind == COMMIT_MARKER))
            _, pairs = self._open.pop(header.producer_id, (0, []))
            if kind == COMMIT_MARKER:
                for key, offset in pairs:
                    # A plain record may have come behind it before the marker did.
                    self.last_offsets[key] = max(offset, self.last_offsets.get(key, -1))
