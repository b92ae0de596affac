"""A compacted segment as files: written beside the old ones, swapped in by renames, finished or undone after a crash.

The order is Kafka's. `B` is the first offset of the group of segments that becomes one:

1. `B.log.cleaned` and its indexes are written and synced.
2. They are renamed to `.swap`, the log last, and the directory is synced. From here on the new segment counts.
3. The old files are renamed to `.deleted`, oldest first, and the new ones lose their `.swap`, the log last.
4. The directory is synced, and `.deleted` files are removed.

A start that finds `B.log.swap` does step 3 again; without it, whatever `.cleaned` or `.swap` there is was not finished
and goes. Steps 1, 2 and 4 run away from the loop's thread, step 3 in it.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from muster.log.compaction_round import Source
from muster.log.contract import CompactionOvertaken, StorageError
from muster.log.disk import Disk, write_all
from muster.log.index import SegmentIndex
from muster.log.segment import (
    ALL_SUFFIXES,
    INDEX_SUFFIX,
    LOG_SUFFIX,
    TIME_INDEX_SUFFIX,
    TRANSACTION_INDEX_SUFFIX,
    Segment,
)
from muster.log.segment_batches import checked_batches
from muster.log.transaction_index import AbortedTransaction, encode_entries, without_lost_markers
from muster.wire.batch import BatchHeader, parse_header

if TYPE_CHECKING:
    from muster.log.file_log import FileLog

CLEANED_SUFFIX: Final = ".cleaned"
SWAP_SUFFIX: Final = ".swap"
DELETED_SUFFIX: Final = ".deleted"
_INDEXES: Final = (INDEX_SUFFIX, TIME_INDEX_SUFFIX, TRANSACTION_INDEX_SUFFIX)
_WRITE_BYTES: Final = 256 * 1024

logger = logging.getLogger(__name__)


class FileTarget:
    """The one segment that takes the place of a group of closed ones."""

    def __init__(self, log: FileLog, group: Sequence[Segment]) -> None:
        self._log = log
        self._group = group
        self._access = log.access
        self._disk = log.access.disk
        interval = log.config.index_interval_bytes
        self._index = SegmentIndex(group[0].base_offset, interval)
        self._path = group[0].path
        self._suffixes: list[str] = [LOG_SUFFIX]
        self._fd: int | None = None
        self._unwritten: list[bytes] = []
        self._unwritten_bytes = 0
        self._swapped = False
        self._interval = interval
        self._markers: list[int] = []
        self._aborted: list[AbortedTransaction] = []
        self._has_transaction_index = any(segment.has_transaction_index for segment in group)

    def add(self, header: BatchHeader, batch: bytes) -> None:
        if header.is_control:
            self._markers.append(header.last_offset)
        self._index.note_header(parse_header(batch))
        self._unwritten.append(batch)
        self._unwritten_bytes += len(batch)
        if self._unwritten_bytes >= _WRITE_BYTES:
            self._write()

    def seal(self) -> None:
        self._write()
        assert self._fd is not None
        self._disk.sync(self._fd)
        self._close()
        if len(self._index):
            for suffix, content in zip((INDEX_SUFFIX, TIME_INDEX_SUFFIX), self._index.to_files(), strict=True):
                self._write_index(suffix, content)
        if self._has_transaction_index:
            # Loaded when the round began (`FileLog.begin_compaction`); closed segments get no more of them.
            before = [aborted for segment in self._group for aborted in segment.aborted]
            self._aborted = without_lost_markers(before, self._markers)
            self._write_index(TRANSACTION_INDEX_SUFFIX, encode_entries(self._aborted))
        with self._log.guard:
            self._log.refuse_if_deleted()
            for suffix in reversed(self._suffixes):
                self._disk.rename(self._path(suffix) + CLEANED_SUFFIX, self._path(suffix) + SWAP_SUFFIX)
        self._disk.sync_directory(self._log.directory)

    def swap(self) -> None:
        if self._log.deleted or not self._log.has_neighbours(self._group):
            self.discard()
            raise CompactionOvertaken(f"{self._log.directory}: retention was quicker than a compaction")
        done: list[tuple[str, str]] = []
        try:
            for old, new in self._moves():
                self._disk.rename(old, new)
                done.append((old, new))
        except OSError as error:
            self._undo(done)
            raise StorageError(
                f"{self._log.directory}: a compacted segment cannot be put in place: {error.strerror or error}"
            ) from error
        self._swapped = True
        access = self._access
        for segment in self._group:
            access.readers.drop(segment.log_path)
            access.writers.drop(segment.log_path)
        base_offset = self._group[0].base_offset
        compacted = Segment(
            self._log.directory, base_offset, self._disk, access.readers, self._interval, self._index.size
        )
        compacted.index = self._index
        compacted.has_transaction_index = self._has_transaction_index
        compacted.aborted = self._aborted
        self._log.replace_segments(self._group, compacted)

    def sweep(self) -> None:
        self._disk.sync_directory(self._log.directory)
        for segment in self._group:
            for suffix in ALL_SUFFIXES:
                with suppress(FileNotFoundError):
                    self._disk.remove(segment.path(suffix) + DELETED_SUFFIX)

    def discard(self) -> None:
        """What cannot be removed now is removed when the next round begins, or at the next start."""
        with suppress(OSError):
            self._close()
            if self._swapped:
                self.sweep()
            elif not self._log.deleted:
                remove_unfinished(self._disk, self._log.directory)

    def _moves(self) -> list[tuple[str, str]]:
        old = [segment.path(suffix) for segment in self._group for suffix in ALL_SUFFIXES]
        away = [(path, path + DELETED_SUFFIX) for path in old if os.path.exists(path)]
        return away + [(self._path(suffix) + SWAP_SUFFIX, self._path(suffix)) for suffix in reversed(self._suffixes)]

    def _undo(self, done: list[tuple[str, str]]) -> None:
        try:
            for old, new in reversed(done):
                self._disk.rename(new, old)
        except OSError as error:
            self._log.compaction_is_stuck = True
            logger.error(
                "%s: a compaction stopped half-way and cannot be undone: %s; some of its records cannot be read until the"
                " server starts again, which finishes it",
                self._log.directory,
                error,
            )
        else:
            self.discard()

    def _write(self) -> None:
        if self._fd is None:
            with self._log.guard:
                self._log.refuse_if_deleted()
                self._fd = self._disk.open_for_append(self._path(LOG_SUFFIX) + CLEANED_SUFFIX, fresh=True)
        parts, self._unwritten, self._unwritten_bytes = self._unwritten, [], 0
        write_all(self._disk, self._fd, parts)

    def _write_index(self, suffix: str, content: bytes) -> None:
        fd = self._disk.open_for_append(self._path(suffix) + CLEANED_SUFFIX, fresh=True)
        try:
            write_all(self._disk, fd, [content])
            self._disk.sync(fd)
        finally:
            self._disk.close(fd)
        self._suffixes.append(suffix)

    def _close(self) -> None:
        fd, self._fd = self._fd, None
        if fd is not None:
            self._disk.close(fd)


def segments_of(group: Sequence[Source]) -> list[Segment]:
    segments = [source for source in group if isinstance(source, Segment)]
    assert len(segments) == len(group), "a log of files is made of file segments"
    return segments


def remove_unfinished(disk: Disk, directory: str) -> None:
    """Throw away what a compaction that did not get to its swap left. The log's `.swap` goes before its indexes'."""
    for name in sorted(os.listdir(directory), reverse=True):
        if name.endswith((CLEANED_SUFFIX, LOG_SUFFIX + SWAP_SUFFIX)):
            disk.remove(os.path.join(directory, name))
    for name in os.listdir(directory):
        if name.endswith(SWAP_SUFFIX):
            disk.remove(os.path.join(directory, name))


def finish_interrupted_swaps(disk: Disk, directory: str) -> None:
    """At a start: put the segments in place that were ready, and clear away what was not."""
    names = sorted(os.listdir(directory))
    ready = [name for name in names if name.endswith(LOG_SUFFIX + SWAP_SUFFIX)]
    for name in ready:
        _finish_swap(disk, directory, name)
    changed = bool(ready)
    for name in os.listdir(directory):
        if name.endswith((CLEANED_SUFFIX, SWAP_SUFFIX, DELETED_SUFFIX)):
            disk.remove(os.path.join(directory, name))
            changed = True
    if changed:
        disk.sync_directory(directory)


def _finish_swap(disk: Disk, directory: str, name: str) -> None:
    swap_path = os.path.join(directory, name)
    stem = name.removesuffix(LOG_SUFFIX + SWAP_SUFFIX)
    base_offset = end_offset = int(stem)
    for header, _ in checked_batches(disk, swap_path, os.stat(swap_path).st_size):
        end_offset = header.next_offset
    if end_offset == base_offset:
        return  # a compacted segment keeps at least the header of its last batch: this one holds nothing to put in place
    replaced = 0
    for other in sorted(os.listdir(directory)):
        number, dot, suffix = other.partition(".")
        is_segments = dot + suffix in ALL_SUFFIXES and number.isdecimal()
        if is_segments and base_offset <= int(number) < end_offset:
            disk.remove(os.path.join(directory, other))
            replaced += dot + suffix == LOG_SUFFIX
    disk.sync_directory(directory)
    for suffix in (*_INDEXES, LOG_SUFFIX):
        path = os.path.join(directory, stem + suffix)
        if os.path.exists(path + SWAP_SUFFIX):
            disk.rename(path + SWAP_SUFFIX, path)
    logger.info("%s: finished a compaction that was interrupted (%d old segments removed)", directory, replaced)
