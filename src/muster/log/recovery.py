"""After a stop that was not clean: is every batch sound, and where does the log end?

A crash can tear only what was being written, which is the end of the last segment: that is cut off and reported. Anything else
was not made by a crash; records that were acknowledged may go with it, so that is the operator's decision, and the error
says which (design law 10: no silent loss).

What is a torn end is told by batch headers alone, each where the batch before it ends. Batches hold whatever clients sent, also
whole batches, so nothing is ever searched for in them.
"""

from __future__ import annotations

import logging
from typing import Final, NamedTuple

from muster.log.contract import StorageError
from muster.log.disk import Disk, sync_file
from muster.log.index import SegmentIndex
from muster.log.segment import Segment
from muster.wire.batch import HEADER_SIZE, check_crc, parse_header
from muster.wire.errors import WireError

_CHUNK_BYTES: Final = 1024 * 1024

logger = logging.getLogger(__name__)


class Trouble(NamedTuple):
    """The first place in a segment that is not a sound batch."""

    position: int
    next_offset: int
    problem: str


def recover_segment(
    segment: Segment, disk: Disk, index_interval: int, *, is_last: bool, recovery_point: int
) -> list[tuple[int, int]]:
    """Check every batch, make the indexes anew, cut a torn tail of the last segment, sync it.

    `recovery_point`: everything before this offset was synced. Returns the (leader epoch, first offset) pairs that the
    segment's batches begin.
    """
    index = SegmentIndex(segment.base_offset, index_interval)
    epochs: list[tuple[int, int]] = []
    trouble = first_trouble(segment, index, epochs)
    if trouble is not None:
        if not is_last:
            raise _damaged(segment, trouble, "newer segments follow")
        why_not = why_not_torn(segment, trouble, recovery_point)
        if why_not is not None:
            raise _damaged(segment, trouble, why_not)
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
        if header.is_transactional:
            segment.has_transactional_batches = True
        index.note_header(header)
    return None


def why_not_torn(segment: Segment, trouble: Trouble, recovery_point: int) -> str | None:
    """What shows that the trouble in a last segment is not the end of an unfinished write; None if it may be one.

    A write that a crash ended leaves a batch that reaches past the end of the file, less than a header, or zeros up to the end.
    A power failure may also leave batches of the right length with pages missing in them, one or several of the same write.
    """
    # Asked first: a rotten length may reach past the end of the file too, and then looks like an unfinished write.
    if trouble.next_offset < recovery_point:
        return f"everything before offset {recovery_point} was synced"
    position = trouble.position
    while segment.size - position >= HEADER_SIZE:
        try:
            header = parse_header(segment.read_at(position, HEADER_SIZE))
        except WireError:
            return (
                None if _is_zero(segment, position) else f"what stands at position {position} is no header of a batch"
            )
        if header.base_offset < trouble.next_offset:
            return f"the header at position {position} says offset {header.base_offset}, which nobody was writing"
        if position + header.size > segment.size:
            return None
        try:
            check_crc(segment.read_at(position, header.size), header)
        except WireError:
            position += header.size
            continue
        return f"a sound batch follows at position {position} (offset {header.base_offset})"
    return None


def _is_zero(segment: Segment, position: int) -> bool:
    """Whether there is nothing but zeros up to the end: a file may be lengthened before its bytes are written."""
    while position < segment.size:
        chunk = segment.read_at(position, min(_CHUNK_BYTES, segment.size - position))
        if not chunk or chunk.strip(b"\0"):
            return False
        position += len(chunk)
    return True


def _damaged(segment: Segment, trouble: Trouble, why_not: str) -> StorageError:
    return StorageError(
        f"{segment.log_path}: damaged at position {trouble.position}, offset {trouble.next_offset}: {trouble.problem};"
        f" {why_not}, so this is not a torn tail. Restore the file from a backup, or give up the records from offset"
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
