"""After a stop that was not clean: is every batch sound, and where does the log end?

A crash can tear only what was being written, which is the end of the last segment: that is cut off and said. A bad
batch with sound ones behind it was not made by a crash; records that were acknowledged would go with it, so that is the
operator's decision, and the error says which (design law 10: no silent loss).
"""

from __future__ import annotations

import logging
from typing import Final, NamedTuple

from muster.log.contract import StorageError
from muster.log.disk import Disk, sync_file
from muster.log.index import SegmentIndex
from muster.log.segment import Segment
from muster.wire.batch import HEADER_SIZE, BatchHeader, check_crc, parse_header
from muster.wire.errors import WireError

_CHUNK_BYTES: Final = 1024 * 1024
_MAGIC_AT: Final = 16
_MAGIC_BYTE: Final = b"\x02"
_MAX_OFFSET_STEP: Final = 2**31

logger = logging.getLogger(__name__)


class Trouble(NamedTuple):
    """The first place in a segment that is not a sound batch."""

    position: int
    next_offset: int
    problem: str


def recover_segment(segment: Segment, disk: Disk, index_interval: int, *, is_last: bool) -> list[tuple[int, int]]:
    """Check every batch, make the indexes anew, cut a torn tail of the last segment, sync it.

    Returns the (leader epoch, first offset) pairs that the segment's batches begin.
    """
    index = SegmentIndex(segment.base_offset, index_interval)
    epochs: list[tuple[int, int]] = []
    trouble = first_trouble(segment, index, epochs)
    if trouble is not None:
        behind = sound_batch_behind(segment, trouble)
        if behind is not None or not is_last:
            raise _damaged_inside(segment, trouble, behind)
        _cut(segment, disk, trouble)
    segment.index = index
    try:
        # What is trusted from here on must not live in the system's cache only.
        sync_file(disk, segment.log_path)
        if not is_last:  # the last one goes on growing; its indexes are saved when it is closed
            segment.save_indexes()
    except OSError as error:
        raise StorageError(f"{segment.log_path}: cannot be synced after recovery: {error.strerror}") from error
    return epochs


def first_trouble(segment: Segment, index: SegmentIndex, epochs: list[tuple[int, int]]) -> Trouble | None:
    """Check every batch, noting it in `index` and the leader epochs that begin in `epochs`; None if all are sound."""
    chunk, chunk_at = b"", 0
    while index.size < segment.size:
        position = index.size
        at = position - chunk_at
        if at + HEADER_SIZE > len(chunk):
            chunk, chunk_at, at = segment.read_at(position, _CHUNK_BYTES), position, 0
        try:
            header = parse_header(chunk, at)
            if position + header.size > segment.size:
                problem = f"a batch of {header.size} bytes is cut off after {segment.size - position}"
                return Trouble(position, index.next_offset, problem)
            if at + header.size > len(chunk):
                chunk = segment.read_at(position, max(header.size, _CHUNK_BYTES))
                chunk_at, at = position, 0
            check_crc(chunk, header, at)
        except WireError as error:
            return Trouble(position, index.next_offset, str(error))
        if header.base_offset < index.next_offset:
            problem = f"offset {header.base_offset} comes after offset {index.next_offset - 1}"
            return Trouble(position, index.next_offset, problem)
        if not epochs or header.partition_leader_epoch > epochs[-1][0]:
            epochs.append((header.partition_leader_epoch, header.base_offset))
        index.note_header(header)
    return None


def sound_batch_behind(segment: Segment, trouble: Trouble) -> tuple[int, BatchHeader] | None:
    """A sound batch after the trouble, wherever it starts: lengths cannot be trusted there, so every byte is tried."""
    rest = segment.read_at(trouble.position, segment.size - trouble.position)
    magic_at = rest.find(_MAGIC_BYTE, _MAGIC_AT + 1)
    while magic_at >= 0:
        header = _sound_header(rest, magic_at - _MAGIC_AT, trouble.next_offset)
        if header is not None:
            return trouble.position + magic_at - _MAGIC_AT, header
        magic_at = rest.find(_MAGIC_BYTE, magic_at + 1)
    return None


def _sound_header(rest: bytes, at: int, next_offset: int) -> BatchHeader | None:
    try:
        header = parse_header(rest, at)
        if not next_offset <= header.base_offset < next_offset + _MAX_OFFSET_STEP:
            return None
        check_crc(rest, header, at)
    except WireError:
        return None
    return header


def _damaged_inside(segment: Segment, trouble: Trouble, behind: tuple[int, BatchHeader] | None) -> StorageError:
    path = segment.log_path
    if behind is not None:
        what_follows = f"sound batches follow at position {behind[0]} (offset {behind[1].base_offset})"
    else:
        what_follows = "newer segments follow"
    return StorageError(
        f"{path}: damaged at position {trouble.position}, offset {trouble.next_offset}: {trouble.problem};"
        f" {what_follows}, so this is not a torn tail. Restore the file from a backup, or give up the records from offset"
        f" {trouble.next_offset} on: 'muster log repair' on the data directory shows what would go, and cuts there"
    )


def _cut(segment: Segment, disk: Disk, trouble: Trouble) -> None:
    torn = segment.size - trouble.position
    logger.warning(
        "%s: cut %d bytes of an unfinished write at position %d, offset %d: %s",
        segment.log_path,
        torn,
        trouble.position,
        trouble.next_offset,
        trouble.problem,
    )
    try:
        disk.truncate(segment.log_path, trouble.position)
    except OSError as error:
        raise StorageError(f"{segment.log_path}: its torn tail cannot be cut: {error.strerror}") from error
    segment.size = trouble.position
