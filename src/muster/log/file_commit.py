"""What one log has in a commit: planned in the loop's thread, carried out in another, settled back in the loop's.

Every log stands or falls alone: if any step of its share fails, its files are put back to what was durable before, and
if even that fails, the next commit puts them back first. A segment that closes is synced before the next one is made,
so that a crash can tear only the last. A share that does nothing but add some bytes to a file can be made durable by the
sync journal, together with others (`tick_commit`); the rest syncs its own files.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from librt.threading import Lock

from muster.log.checkpoints import LEADER_EPOCHS, PARTITION_METADATA, format_epochs
from muster.log.contract import StorageError
from muster.log.disk import Disk, sync_file, write_all, write_bytes, write_file
from muster.log.file_access import FileAccess
from muster.log.index import SegmentIndex
from muster.log.segment import INDEX_SUFFIX, TIME_INDEX_SUFFIX, TRANSACTION_INDEX_SUFFIX, Segment
from muster.log.staging import StagedBatch
from muster.log.sync_journal import Entry
from muster.log.transaction_index import AbortedTransaction, encode_entries

if TYPE_CHECKING:
    from muster.log.file_log import FileLog

MOST_BYTES_TWICE: Final = 256 * 1024
"""A log with more than this in a commit syncs its own file: writing it once more would cost more than a sync does."""


class SegmentWrite:
    """Batches that go to the end of one segment."""

    __slots__ = (
        "aborted",
        "batches",
        "begins_transactions",
        "closing",
        "closing_aborted",
        "is_new",
        "segment",
        "size",
        "start_size",
    )

    def __init__(self, segment: Segment, start_size: int, is_new: bool) -> None:
        self.segment = segment
        self.start_size = start_size
        self.is_new = is_new
        self.size = 0
        self.batches: list[StagedBatch] = []
        self.closing: SegmentIndex | None = None
        """Set if the segment is full after this: its indexes as they will be."""
        self.closing_aborted: list[AbortedTransaction] | None = None
        """The same for its aborted transactions; None if their file is right as it is."""
        self.aborted: list[AbortedTransaction] = []
        """Transactions whose markers are among the batches."""
        self.begins_transactions = False
        """The segment has no `.txnindex` yet and needs one: it tells every later start that the log has transactions."""

    def add(self, batch: StagedBatch) -> None:
        self.batches.append(batch)
        self.size += len(batch.bytes)


class Leftover:
    """A file that a failed commit could not put back. `size` None: it should not be there at all."""

    __slots__ = ("path", "size")

    def __init__(self, path: str, size: int | None) -> None:
        self.path = path
        self.size = size


class LogShare:
    """Touches no state that the loop's thread reads, except whether the log was deleted, under the log's guard."""

    __slots__ = (
        "_access",
        "_content",
        "_guard",
        "_new_files",
        "after_failure",
        "failure",
        "in_journal",
        "leftovers",
        "log",
        "new_epochs",
        "sync_creation",
        "syncs_itself",
        "writes",
    )

    def __init__(
        self,
        log: FileLog,
        writes: list[SegmentWrite],
        leftovers: list[Leftover],
        new_epochs: list[tuple[int, int]] | None,
        *,
        sync_creation: bool,
        after_failure: bool,
    ) -> None:
        self.log = log
        self._access: FileAccess = log.access
        self._guard: Lock = log.guard
        self.writes = writes
        self.leftovers = leftovers
        self.new_epochs = new_epochs
        """All leader epochs, if a new one begins here."""
        self.sync_creation = sync_creation
        """The directory was made since the last commit."""
        self.after_failure = after_failure
        last = writes[-1]
        self._new_files = last.is_new or any(write.begins_transactions for write in writes)
        # After a failure the file may come back from a power failure with bytes that were refused, until it is synced.
        self.syncs_itself = (
            after_failure
            or sync_creation
            or new_epochs is not None
            or len(writes) > 1
            or self._new_files
            or last.size > MOST_BYTES_TWICE
        )
        self.in_journal = False
        self.failure: StorageError | None = None
        self._content = b""

    @property
    def rolled(self) -> bool:
        return len(self.writes) > 1

    def write(self) -> None:
        with self._guard:  # a deletion cannot come in between
            if self._is_deleted("written"):
                return
            try:
                self._write()
            except OSError as error:
                self.fail(StorageError(f"{self.log.directory}: cannot be written: {error.strerror or error}"))

    def sync(self) -> None:
        if self.failure is not None:
            return
        with self._guard:
            if self._is_deleted("synced"):
                return
            try:
                self._sync()
            except OSError as error:
                self.fail(StorageError(f"{self.log.directory}: cannot be synced: {error.strerror or error}"))

    def journal_entry(self) -> Entry:
        write = self.writes[0]
        segment = write.segment
        return Entry(self.log.journal_mark, segment.log_path, segment.base_offset, write.start_size, self._content)

    def fail(self, failure: StorageError) -> None:
        """Put the files back to what was durable before; what cannot be put back now is left for the next commit."""
        self.failure = failure
        leftovers = list(self.leftovers)
        for write in reversed(self.writes):
            path = write.segment.log_path
            if write.is_new:
                leftovers.append(Leftover(path, None))
                self._access.writers.drop(path)
            else:
                leftovers.append(Leftover(path, write.start_size))
        self.leftovers = []
        for leftover in leftovers:
            try:
                put_back(self._access.disk, leftover)
            except OSError:
                self.leftovers.append(leftover)

    def _is_deleted(self, verb: str) -> bool:
        if self.log.deleted:
            self.failure = StorageError(f"{self.log.directory}: was deleted before it could be {verb}")
            return True
        return False

    def _write(self) -> None:
        disk, writers = self._access.disk, self._access.writers
        while self.leftovers:
            put_back(disk, self.leftovers[-1])
            self.leftovers.pop()
        for write in self.writes:
            path = write.segment.log_path
            batches = write.batches
            if write.begins_transactions:
                # Before the batches: without it nobody would look for the transactions in them after a clean stop.
                write_file(disk, write.segment.path(TRANSACTION_INDEX_SUFFIX), b"", sync=False)
            if len(batches) == 1:
                self._content = batches[0].bytes
                write_bytes(disk, writers.get(path), self._content)
            elif self.syncs_itself:
                write_all(disk, writers.get(path), [batch.bytes for batch in batches])
            else:
                self._content = b"".join([batch.bytes for batch in batches])
                write_bytes(disk, writers.get(path), self._content)
            if write.closing is not None:
                disk.sync(writers.get(path))
                writers.drop(path)
                self._write_closing_indexes(write.segment, write.closing)
                if write.closing_aborted is not None:
                    content = encode_entries(write.closing_aborted)
                    write_file(disk, write.segment.path(TRANSACTION_INDEX_SUFFIX), content, sync=True)
        if self.new_epochs is not None:
            self._write_epochs(self.new_epochs)

    def _sync(self) -> None:
        disk = self._access.disk
        disk.sync(self._access.writers.get(self.writes[-1].segment.log_path))
        directory = self.log.directory
        if self.sync_creation:
            sync_file(disk, os.path.join(directory, PARTITION_METADATA))
        if self.sync_creation or self.new_epochs is not None or self._new_files:
            disk.sync_directory(directory)

    def _write_closing_indexes(self, segment: Segment, index: SegmentIndex) -> None:
        for suffix, content in zip((INDEX_SUFFIX, TIME_INDEX_SUFFIX), index.to_files(), strict=True):
            write_file(self._access.disk, segment.path(suffix), content, sync=True)

    def _write_epochs(self, epochs: list[tuple[int, int]]) -> None:
        """The rename is made durable by the directory's sync that follows."""
        path = os.path.join(self.log.directory, LEADER_EPOCHS)
        sync = self._access.durability == "fsync"
        write_file(self._access.disk, path + ".tmp", format_epochs(epochs), sync=sync)
        self._access.disk.rename(path + ".tmp", path)


def put_back(disk: Disk, leftover: Leftover) -> None:
    """Undo what a failed write left in a file."""
    if leftover.size is not None:
        disk.truncate(leftover.path, leftover.size)
        return
    with suppress(FileNotFoundError):
        disk.remove(leftover.path)
    # A segment that a power failure brings back would lengthen the log by what was refused.
    disk.sync_directory(os.path.dirname(leftover.path))
