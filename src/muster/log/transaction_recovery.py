"""Making the indexes of aborted transactions anew from the log: after a stop that was not clean, or if a file is damaged.

An entry needs to know where its transaction began, which may be some segments before the one with the marker. Only as many
of those are read as the markers make necessary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from muster.log.contract import StorageError
from muster.log.disk import Disk, write_file
from muster.log.segment import TRANSACTION_INDEX_SUFFIX, Segment
from muster.log.transaction_index import TransactionScan
from muster.wire.batch import BatchHeader, EndMarker, decode_marker, decode_records
from muster.wire.errors import WireError


def recover_aborted(segments: Sequence[Segment], first: int, disk: Disk) -> None:
    """After a stop that was not clean, when the batches from `segments[first]` on have been checked.

    The files that say that the log has transactions may be missing, if the machine lost power before their names were synced.
    """
    if not any(segment.has_transaction_index or segment.has_transactional_batches for segment in segments):
        return
    try:
        for segment in segments[first:]:
            if not segment.has_transaction_index:
                write_file(disk, segment.path(TRANSACTION_INDEX_SUFFIX), b"", sync=True)
                segment.has_transaction_index = True
        rebuild_aborted(segments, first)
        for segment in segments[first:-1]:
            segment.save_indexes()
        disk.sync_directory(segments[0].directory)
    except OSError as error:
        raise StorageError(f"{segments[0].directory}: cannot be written: {error.strerror or error}") from error


def rebuild_aborted(segments: Sequence[Segment], first: int) -> None:
    """Find the aborted transactions of `segments[first:]` in the log. They are saved when the log is closed."""
    for segment in segments[first:]:
        segment.aborted = []
    start = _where_all_begin(segments, first)
    scan = TransactionScan(knows_all_open=start == 0)
    for at in range(start, len(segments)):
        for header, marker in _transactional(segments[at]):
            if marker is None:
                scan.note(header)
            elif (aborted := scan.end(header, marker)) is not None and at >= first:
                segments[at].aborted.append(aborted)


def _where_all_begin(segments: Sequence[Segment], first: int) -> int:
    """The segment from which on every transaction is seen whole that has its marker in `segments[first:]`.

    A transaction of a producer begins behind its last marker, and not before sequence 0, with which each epoch begins.
    """
    unknown: set[int] = set()
    known: set[int] = set()
    for segment in segments[first:]:
        for _, header in segment.headers_from(0):
            if header.is_control and header.producer_id not in known:
                unknown.add(header.producer_id)
            if _is_beginning(header):
                known.add(header.producer_id)
    while unknown and first > 0:
        first -= 1
        for _, header in segments[first].headers_from(0):
            if _is_beginning(header):
                unknown.discard(header.producer_id)
    return first


def _is_beginning(header: BatchHeader) -> bool:
    return header.is_control or (header.is_transactional and header.base_sequence == 0)


def _transactional(segment: Segment) -> Iterator[tuple[BatchHeader, EndMarker | None]]:
    """The transactional batches of a segment: records with None, others with the marker that they are."""
    for position, header in segment.headers_from(0):
        if not header.is_control:
            if header.is_transactional:
                yield header, None
            continue
        try:
            records = decode_records(segment.read_at(position, header.size), header)
            marker = decode_marker(records[0].key, records[0].value) if records else None
        except WireError as error:
            raise segment.damaged(position, str(error)) from error
        if marker is not None:
            yield header, marker
