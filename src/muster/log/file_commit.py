"""One commit of the file store: plans made in the loop's thread, carried out in another, settled back in the loop's.

Every log stands or falls alone: if any step of its share fails, its files are put back to what was durable before, and
if even that fails, the next commit puts them back first. A segment that closes is synced before the next one is made,
so that a crash can tear only the last.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import field
from threading import Lock

from muster.log.checkpoints import LEADER_EPOCHS, PARTITION_METADATA, format_epochs
from muster.log.contract import StorageError
from muster.log.disk import Disk, sync_file, write_all, write_file
from muster.log.file_access import FileAccess
from muster.log.index import SegmentIndex
from muster.log.segment import INDEX_SUFFIX, TIME_INDEX_SUFFIX, Segment
from muster.log.staging import StagedBatch
from muster.wire.late_dataclass import dataclass


@dataclass(slots=True)
class SegmentWrite:
    """Batches that go to the end of one segment."""

    segment: Segment
    start_size: int
    is_new: bool
    batches: list[StagedBatch] = field(default_factory=list)
    closing: SegmentIndex | None = None
    """Set if the segment is full after this: its indexes as they will be."""


@dataclass(slots=True, frozen=True)
class Leftover:
    """A file that a failed commit could not put back. `size` None: it should not be there at all."""

    path: str
    size: int | None


@dataclass(slots=True)
class LogShare:
    """What one log has in a commit, and what became of it. Touches no state that the loop's thread reads."""

    directory: str
    access: FileAccess
    guard: Lock
    """Held while files are written, so that a deletion cannot come in between."""
    is_deleted: Callable[[], bool]
    writes: list[SegmentWrite]
    leftovers: list[Leftover]
    new_epochs: list[tuple[int, int]] | None
    """All leader epochs, if a new one begins here."""
    sync_creation: bool
    """The directory was made since the last commit."""
    failure: StorageError | None = None

    @property
    def rolled(self) -> bool:
        return len(self.writes) > 1

    def write(self) -> None:
        self._attempt("written", self._write)

    def sync(self) -> None:
        if self.failure is None:
            self._attempt("synced", self._sync)

    def fail(self, failure: StorageError) -> None:
        """Put the files back to what was durable before; what cannot be put back now is left for the next commit."""
        self.failure = failure
        leftovers = list(self.leftovers)
        for write in reversed(self.writes):
            path = write.segment.log_path
            if write.is_new:
                leftovers.append(Leftover(path, None))
                self.access.writers.drop(path)
            else:
                leftovers.append(Leftover(path, write.start_size))
        self.leftovers = []
        for leftover in leftovers:
            try:
                put_back(self.access.disk, leftover)
            except OSError:
                self.leftovers.append(leftover)

    def _attempt(self, verb: str, step: Callable[[], None]) -> None:
        with self.guard:
            if self.is_deleted():
                self.failure = StorageError(f"{self.directory}: was deleted before it could be {verb}")
                return
            try:
                step()
            except OSError as error:
                self.fail(StorageError(f"{self.directory}: cannot be {verb}: {error.strerror or error}"))

    def _write(self) -> None:
        disk, writers = self.access.disk, self.access.writers
        while self.leftovers:
            put_back(disk, self.leftovers[-1])
            self.leftovers.pop()
        for write in self.writes:
            path = write.segment.log_path
            write_all(disk, writers.get(path), [batch.bytes for batch in write.batches])
            if write.closing is not None:
                disk.sync(writers.get(path))
                writers.drop(path)
                self._write_closing_indexes(write.segment, write.closing)
        if self.new_epochs is not None:
            self._write_epochs(self.new_epochs)

    def _sync(self) -> None:
        disk = self.access.disk
        disk.sync(self.access.writers.get(self.writes[-1].segment.log_path))
        if self.sync_creation:
            sync_file(disk, os.path.join(self.directory, PARTITION_METADATA))
        if self.sync_creation or self.new_epochs is not None or self.writes[-1].is_new:
            disk.sync_directory(self.directory)

    def _write_closing_indexes(self, segment: Segment, index: SegmentIndex) -> None:
        for suffix, content in zip((INDEX_SUFFIX, TIME_INDEX_SUFFIX), index.to_files(), strict=True):
            write_file(self.access.disk, segment.path(suffix), content, sync=True)

    def _write_epochs(self, epochs: list[tuple[int, int]]) -> None:
        """The rename is made durable by the directory's sync that follows."""
        path = os.path.join(self.directory, LEADER_EPOCHS)
        sync = self.access.durability == "fsync"
        write_file(self.access.disk, path + ".tmp", format_epochs(epochs), sync=sync)
        self.access.disk.rename(path + ".tmp", path)


def put_back(disk: Disk, leftover: Leftover) -> None:
    """Undo what a failed write left in a file."""
    if leftover.size is not None:
        disk.truncate(leftover.path, leftover.size)
        return
    try:
        disk.remove(leftover.path)
    except FileNotFoundError:
        return
