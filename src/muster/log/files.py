"""Logs in files, in Kafka's own layout: the embedded store that `muster serve` uses.

Knows the data directory and all logs in it, gathers their commits, keeps the checkpoints and the documents. One object
per directory; everything except a commit's `run` belongs to the loop's thread.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from muster.log.checkpoints import CLEAN_OFFSETS, RECOVERY_POINTS, START_OFFSETS, format_offsets, parse_offsets
from muster.log.contract import Durability, LogConfig, LogUnusable, StorageError
from muster.log.directory import (
    PRIVATE_DOCUMENTS,
    DirectoryLock,
    deleted_path,
    document_path,
    has_clean_mark,
    leave_clean_mark,
    partition_directories,
    partition_path,
    prepare_directory,
    remove_tree,
    take_clean_mark,
    warn_if_open_to_others,
)
from muster.log.disk import Disk, is_of_the_machine, replace_file
from muster.log.file_access import file_access
from muster.log.file_log import FileLog
from muster.log.file_open import open_directory, read_topic_id
from muster.log.side_by_side import SideBySide
from muster.log.sync_journal import RETIRE_AT_BYTES, SyncJournal
from muster.log.sync_recovery import settle_journals
from muster.log.tick_commit import FileCommit, TickCommits


class FileStore:
    """A `LogStore` over one directory."""

    def __init__(
        self,
        directory: str,
        durability: Durability = "fsync",
        disk: Disk | None = None,
        *,
        journal_bytes: int = RETIRE_AT_BYTES,
    ) -> None:
        """`journal_bytes`: how large a file of the sync journal becomes."""
        self.durability: Durability = durability
        self.directory = os.path.abspath(directory)
        self._disk = disk or Disk()
        prepare_directory(self.directory, self._disk)
        self._lock = self._take_directory()
        try:
            self._access = file_access(self._disk, durability)
            self._on_disk = self._find_logs()
            self.has_outdated_points = False
            """The file with the recovery points may name logs that are gone. A namesake must not begin under one of those: its
            torn end would be taken for damage of what was synced."""
            self._recovery_points = self._read_offsets(RECOVERY_POINTS)
            self._start_offsets = self._read_offsets(START_OFFSETS)
            self._clean_offsets = self._read_offsets(CLEAN_OFFSETS)
            # Before the mark goes: a start that is broken off here must not make the next one read what was outdated.
            self._settle_journals(is_clean=self._has_clean_mark() or not self._on_disk)
            self.was_clean = self._take_clean_mark() or not self._on_disk
        except BaseException:
            self._release_directory()
            raise
        self._unchecked = set() if self.was_clean else set(self._on_disk)
        """Logs that were not opened, hence not recovered, since a stop that was not clean."""
        self._logs: dict[tuple[str, int], FileLog] = {}
        self._side_by_side = SideBySide()
        self._journal = SyncJournal(self.directory, self._journal_owner, self._disk, journal_bytes)
        self._commits = TickCommits(self, self._access, self._journal, self._side_by_side)

    # What is different where several processes share the directory: see `shared_files`

    def _take_directory(self) -> DirectoryLock | None:
        lock = DirectoryLock(self.directory, self._disk)
        warn_if_open_to_others(self.directory, self._disk)
        return lock

    def _release_directory(self) -> None:
        if self._lock is not None:
            self._lock.release()

    @property
    def _journal_owner(self) -> int:
        """Part of the names of the sync journal's files."""
        return 0

    def _settle_journals(self, *, is_clean: bool) -> None:
        settle_journals(self.directory, self._disk, is_clean=is_clean)

    def _find_logs(self) -> set[tuple[str, int]]:
        return partition_directories(self.directory)

    def _has_clean_mark(self) -> bool:
        return has_clean_mark(self.directory)

    def _take_clean_mark(self) -> bool:
        return take_clean_mark(self.directory)

    def _leave_clean_mark(self) -> None:
        leave_clean_mark(self.directory, self._disk)

    def keep_offsets(self, name: str, offsets: Mapping[tuple[str, int], int]) -> None:
        """Replace one of the checkpoints at the top of the directory. May run away from the loop's thread."""
        path = os.path.join(self.directory, name)
        try:
            replace_file(self._disk, path, format_offsets(offsets))
        except OSError as error:
            raise StorageError(f"{path}: cannot be written: {error.strerror or error}") from error

    # What `LogStore` promises

    def partitions(self) -> Sequence[tuple[str, int]]:
        return sorted(self._on_disk)

    def open(self, topic: str, partition: int, topic_id: bytes, config: LogConfig) -> FileLog:
        key = (topic, partition)
        log = self._logs.get(key)
        if log is not None:
            log.config = config
            return log
        path = partition_path(self.directory, topic, partition)
        start_offset = self._start_offsets.get(key, 0)
        try:
            opened = open_directory(
                path,
                topic_id,
                config,
                self._access,
                clean=key not in self._unchecked,
                recovery_point=self._recovery_points.get(key, 0),
                start_offset=start_offset,
            )
        except StorageError as error:
            if key in self._on_disk:
                self._unchecked.add(key)  # the stop of a server that could not open it is not clean
            if is_of_the_machine(error):
                raise  # the log may be whole: it must not be taken for damaged
            raise LogUnusable(str(error)) from error
        log = FileLog(
            topic,
            partition,
            config,
            self._commits.on_first_staged,
            topic_id=topic_id,
            directory=path,
            access=self._access,
            segments=opened.segments,
            start_offset=start_offset,
            epochs=opened.epochs,
            creation_synced=not opened.is_new and key not in self._unchecked,
            keep_start_offsets=self._keep_start_offsets,
            clean_offset=self._clean_offsets.get(key, 0),
            keep_clean_offset=self._keep_clean_offset,
        )
        self._logs[key] = log
        self._on_disk.add(key)
        self._unchecked.discard(key)
        return log

    def get(self, topic: str, partition: int) -> FileLog | None:
        return self._logs.get((topic, partition))

    def announce(self, topic: str, topic_id: bytes, partitions: Sequence[int]) -> None:
        """This node leads everything that is here."""

    def make_room(self, names: Sequence[str]) -> None:
        """The catalog deletes by itself what is left of a topic before it makes another one of that name."""

    def release(self, topic: str, partition: int) -> None:
        key = (topic, partition)
        log = self._logs.pop(key, None)
        if log is None:
            return
        log.fall_back()
        self._commits.forget(log)
        with log.guard:  # waits for a commit that is writing to it
            log.close()
            self._recovery_points[key] = log.durable_offset
        log.release_files()

    def delete(self, topic: str, partition: int, topic_id: bytes | None = None) -> None:
        """The directory is renamed first, so that a crash half-way cannot bring part of the log back."""
        key = (topic, partition)
        if key not in self._on_disk:
            return
        log = self._logs.get(key)
        if log is None:
            self._remove_directory(topic, partition)
        else:
            with log.guard:  # waits for a commit that is writing to it
                self._remove_directory(topic, partition)
                log.deleted = True
            log.release_files()
            log.fall_back()
            self._commits.forget(log)
            del self._logs[key]
        self._on_disk.discard(key)
        self._unchecked.discard(key)
        if self._recovery_points.pop(key, None) is not None:
            self.has_outdated_points = True
        if self._start_offsets.pop(key, None) is not None:
            self._keep_start_offsets()
        if self._clean_offsets.pop(key, None) is not None:
            self.keep_offsets(CLEAN_OFFSETS, self._clean_offsets)

    def clear_some(self) -> bool:
        return False  # `delete` leaves nothing

    def topic_id_of(self, topic: str, partition: int) -> bytes | None:
        return read_topic_id(partition_path(self.directory, topic, partition))

    def begin_commit(self) -> FileCommit | None:
        return self._commits.begin()

    def read_document(self, name: str) -> bytes | None:
        path = document_path(self.directory, name)
        try:
            with open(path, "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StorageError(f"{path}: cannot be read: {error.strerror}") from error

    def forget_document(self, name: str) -> None:
        """Nobody else writes it."""

    def write_document(self, name: str, content: bytes) -> None:
        path = document_path(self.directory, name)
        try:
            replace_file(self._disk, path, content, private=name in PRIVATE_DOCUMENTS)
        except OSError as error:
            raise StorageError(f"{path}: cannot be written: {error.strerror or error}") from error

    def close(self) -> None:
        try:
            self._close_logs()
        finally:
            self._journal.abandon()
            self._side_by_side.close()
            self._access.readers.close()
            self._access.writers.close()
            self._release_directory()

    def _close_logs(self) -> None:
        commit = self.begin_commit()
        if commit is not None:
            commit.run()
            for _, failure in commit.finish():
                if failure is not None:
                    raise failure
        self._side_by_side.each(FileLog.close, list(self._logs.values()))
        self._drop_journal()
        points = self.current_recovery_points()
        for key, log in self._logs.items():
            points[key] = log.durable_offset
        self.keep_offsets(RECOVERY_POINTS, points)
        self._keep_start_offsets()
        if not self._unchecked:
            self._leave_clean_mark()

    def _drop_journal(self) -> None:
        """Every log was synced by its `close`."""
        try:
            self._journal.close()
        except OSError as error:
            raise StorageError(
                f"{self.directory}: its sync journal cannot be removed: {error.strerror or error}"
            ) from error

    def current_recovery_points(self) -> dict[tuple[str, int], int]:
        for key, log in self._logs.items():
            self._recovery_points[key] = max(self._recovery_points.get(key, 0), log.recovery_point)
        return dict(self._recovery_points)

    def _keep_start_offsets(self) -> None:
        """Only logs that start inside of a segment need an entry; the others start where their first file does."""
        offsets = dict(self._start_offsets)
        for key, log in self._logs.items():
            offsets.pop(key, None)
            if log.start_offset > log.first_segment_base:
                offsets[key] = log.start_offset
        self.keep_offsets(START_OFFSETS, offsets)
        self._start_offsets = offsets

    def _keep_clean_offset(self, key: tuple[str, int], offset: int) -> None:
        """May run away from the loop's thread. Written only when the compaction it tells of is durable: a log taken for
        cleaner than it is would lose a tombstone before what it erased."""
        if self._clean_offsets.get(key) != offset:
            self._clean_offsets = {**self._clean_offsets, key: offset}
            self.keep_offsets(CLEAN_OFFSETS, self._clean_offsets)

    def _read_offsets(self, name: str) -> dict[tuple[str, int], int]:
        """The entries of logs that are still there: one that was deleted must not lend its offsets to a namesake."""
        path = os.path.join(self.directory, name)
        try:
            with open(path, "rb") as file:
                offsets = parse_offsets(file.read(), path)
        except FileNotFoundError:
            return {}
        still_there = {key: offset for key, offset in offsets.items() if key in self._on_disk}
        if name == RECOVERY_POINTS and len(still_there) < len(offsets):
            self.has_outdated_points = True
        return still_there

    def _remove_directory(self, topic: str, partition: int) -> None:
        path = partition_path(self.directory, topic, partition)
        going = deleted_path(self.directory, topic, partition)
        try:
            self._disk.rename(path, going)
            self._disk.sync_directory(self.directory)
        except OSError as error:
            raise StorageError(f"{path}: cannot be deleted: {error.strerror or error}") from error
        remove_tree(going)
