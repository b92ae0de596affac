"""What a log of files does about transactions: which of its segments has which aborted ones, and that it has any at all.

A segment's `.txnindex` is there, perhaps empty, from the first transactional batch of the log on. So a start knows from the
names of the files whether it has to look for open transactions, retention never takes the last file that says so, and logs
without transactions cost nothing. In the loop's thread; `file_log` calls it.
"""

from __future__ import annotations

import logging
from bisect import bisect_right
from collections.abc import Sequence
from contextlib import suppress

from muster.log.contract import StorageError
from muster.log.disk import Disk, write_file
from muster.log.file_commit import SegmentWrite
from muster.log.index import IndexDamaged
from muster.log.segment import TRANSACTION_INDEX_SUFFIX, Segment
from muster.log.transaction_index import AbortedTransaction, collect
from muster.log.transaction_recovery import rebuild_aborted

logger = logging.getLogger(__name__)


def expect_indexes(segments: Sequence[Segment]) -> bool:
    """Whether the log has transactions. Behind the first segment with an index every one has it: one whose file is missing is
    made anew when it is needed."""
    found = False
    for segment in segments:
        found = found or segment.has_transaction_index
        segment.has_transaction_index = found
    return found


def begin_transactions(segment: Segment, disk: Disk) -> None:
    """Outside of a commit: make the file that says it."""
    try:
        write_file(disk, segment.path(TRANSACTION_INDEX_SUFFIX), b"", sync=True)
        disk.sync_directory(segment.directory)
    except OSError as error:
        raise StorageError(f"{segment.directory}: cannot be written: {error.strerror or error}") from error
    segment.has_transaction_index = True


def plan_transactions(writes: list[SegmentWrite], new_aborted: list[AbortedTransaction]) -> None:
    """Each aborted transaction belongs to the segment that gets its marker."""
    for at in range(len(writes) - 1, -1, -1):
        write = writes[at]
        write.begins_transactions = not write.segment.has_transaction_index
        if new_aborted:
            write.aborted = [each for each in new_aborted if each.last_offset >= write.segment.base_offset]
            new_aborted = new_aborted[: len(new_aborted) - len(write.aborted)]
    for at in range(len(writes) - 1):
        write = writes[at]
        loaded = write.segment.loaded_aborted
        if loaded is not None:
            write.closing_aborted = loaded + write.aborted


def collect_aborted(segments: Sequence[Segment], from_offset: int, to_offset: int) -> list[AbortedTransaction]:
    """Those that may have records in the range. A marker may lie segments behind the records that it ends."""
    found: list[AbortedTransaction] = []
    first = max(0, bisect_right(segments, from_offset, key=lambda segment: segment.base_offset) - 1)
    for at in range(first, len(segments)):
        if collect(load_aborted(segments, at), from_offset, to_offset, found):
            break
    return found


def load_aborted(segments: Sequence[Segment], at: int) -> list[AbortedTransaction]:
    """Of one segment; made anew from the log if its file cannot be used."""
    segment = segments[at]
    try:
        return segment.aborted
    except IndexDamaged as problem:
        logger.info("%s: making its index of aborted transactions anew: %s", segment.log_path, problem)
    rebuild_aborted(segments[: at + 1], at)
    with suppress(OSError):  # the next start makes it anew
        segment.save_aborted()
    return segment.aborted
