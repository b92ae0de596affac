"""A data directory that several processes of one machine share: each has some of its logs, nobody else touches those.

`SharedDirectory` is held by the process that starts the others, for as long as any of them lives. `SharedFileStore` is the
`LogStore` of one of them: it sees its own logs alone, writes its own lines of Kafka's checkpoints among those of the
others, and finds out if another one was quicker to change a document. Who has which log is decided by whoever makes it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from muster.log.checkpoints import parse_offsets
from muster.log.contract import DocumentChanged, Durability, LogConfig, LogUnusable, StorageError
from muster.log.directory import (
    DirectoryLock,
    document_path,
    has_clean_mark,
    leave_clean_mark,
    partition_directories,
    prepare_directory,
    take_clean_mark,
)
from muster.log.disk import Disk
from muster.log.file_log import FileLog
from muster.log.files import FileStore
from muster.log.sync_recovery import settle_journals


class SharedDirectory:
    """The lock and the clean mark. Processes forked from the holder hold the lock with it: it is free when the last has
    gone, also if the first one was killed."""

    def __init__(self, directory: str, disk: Disk | None = None) -> None:
        self.path = os.path.abspath(directory)
        self._disk = disk or Disk()
        prepare_directory(self.path, self._disk)
        self._lock = DirectoryLock(self.path, self._disk)
        try:
            is_empty = not partition_directories(self.path)
            # Of all workers, however many there were then: no log is open yet, and who has which may be different now.
            settle_journals(self.path, self._disk, is_clean=has_clean_mark(self.path) or is_empty)
            self.was_clean = take_clean_mark(self.path) or is_empty
        except BaseException:
            self._lock.release()
            raise

    def leave(self, *, is_clean: bool) -> None:
        """`is_clean`: every store was closed, and each said that it was clean."""
        try:
            if is_clean:
                leave_clean_mark(self.path, self._disk)
        finally:
            self._lock.release()


class SharedFileStore(FileStore):
    """A `LogStore` over those logs of a shared directory for which `is_mine` is true."""

    def __init__(
        self,
        directory: str,
        is_mine: Callable[[str, int], bool],
        *,
        number: int,
        was_clean: bool,
        durability: Durability = "fsync",
        disk: Disk | None = None,
    ) -> None:
        """`number`: no other process on the directory has it. `was_clean`: the last store that had these logs was closed
        cleanly."""
        self._number = number
        self._is_mine = is_mine
        self._starts_clean = was_clean
        self._versions: dict[str, int] = {}
        self._looks: dict[str, tuple[tuple[int, int, int], int]] = {}
        self.on_document_written: Callable[[str], None] = lambda name: None
        """Told the name of a document that this process has changed."""
        self.is_closed_cleanly = False
        """Said by `close`: the next one to have these logs may trust their ends."""
        super().__init__(directory, durability, disk)

    # -- the directory

    def _take_directory(self) -> DirectoryLock | None:
        return None

    @property
    def _journal_owner(self) -> int:
        return self._number

    def _settle_journals(self, *, is_clean: bool) -> None:
        """Only what this worker's last process left: the others are writing theirs. All of it is about logs that are its own,
        since `SharedDirectory` settled what was left by workers that shared the directory differently."""
        settle_journals(self.directory, self._disk, is_clean=is_clean, owner=self._number)

    def _find_logs(self) -> set[tuple[str, int]]:
        return {key for key in partition_directories(self.directory) if self._is_mine(*key)}

    def _has_clean_mark(self) -> bool:
        return self._starts_clean

    def _take_clean_mark(self) -> bool:
        return self._starts_clean

    def _leave_clean_mark(self) -> None:
        self.is_closed_cleanly = True

    @contextmanager
    def _one_at_a_time(self) -> Iterator[None]:
        """Waits for any other process, or thread, that is in here. The directory itself is the lock: no file is left."""
        fd = os.open(self.directory, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)

    def keep_offsets(self, name: str, offsets: Mapping[tuple[str, int], int]) -> None:
        path = os.path.join(self.directory, name)
        with self._one_at_a_time():
            try:
                with open(path, "rb") as file:
                    kept = parse_offsets(file.read(), path)
            except FileNotFoundError:
                kept = {}
            except OSError as error:
                raise StorageError(f"{path}: cannot be read: {error.strerror or error}") from error
            others = {key: offset for key, offset in kept.items() if not self._is_mine(*key)}
            super().keep_offsets(name, {**others, **offsets})

    # -- logs

    def partitions(self) -> Sequence[tuple[str, int]]:
        """Also those of others: whoever deletes a topic has to know whether anything of it is left."""
        return sorted(partition_directories(self.directory))

    def open(self, topic: str, partition: int, topic_id: bytes, config: LogConfig) -> FileLog:
        if self.get(topic, partition) is None:
            try:
                kept_id = self.topic_id_of(topic, partition)
            except StorageError as error:
                raise LogUnusable(str(error)) from error
            if kept_id not in (None, topic_id):
                # Deleted, and made again under the same name, while nobody was here to remove this log.
                self.delete(topic, partition)
        return super().open(topic, partition, topic_id, config)

    def release(self, topic: str, partition: int) -> None:
        """Logs never move to another process while this one lives: the topic was deleted by another."""
        self.delete(topic, partition)

    # -- documents

    def read_document(self, name: str) -> bytes | None:
        content = super().read_document(name)
        self._versions[name] = _version(content)
        return content

    def forget_document(self, name: str) -> None:
        self._versions.pop(name, None)

    def write_document(self, name: str, content: bytes) -> None:
        with self._one_at_a_time():
            if _version(super().read_document(name)) != self._versions.get(name, 0):
                raise DocumentChanged(f"{name} was changed by another worker")
            super().write_document(name, content)
        self._versions[name] = _version(content)
        self.on_document_written(name)

    def document_versions(self) -> dict[str, int]:
        """Of the documents that this process read or wrote."""
        return dict(self._versions)

    def versions_on_disk(self, names: Iterable[str], *, trust_times: bool) -> dict[str, int]:
        """What the documents are now. `trust_times`: a file that looks as it did the last time is not read again."""
        return {name: self._version_on_disk(name, trust_times=trust_times) for name in names}

    def _version_on_disk(self, name: str, *, trust_times: bool) -> int:
        try:
            found = os.stat(document_path(self.directory, name))
        except FileNotFoundError:
            return 0
        except OSError as error:
            raise StorageError(f"{name}: cannot be looked at: {error.strerror}") from error
        look = (found.st_ino, found.st_mtime_ns, found.st_size)
        seen = self._looks.get(name)
        if seen is None or not trust_times or seen[0] != look:
            seen = self._looks[name] = (look, _version(super().read_document(name)))
        return seen[1]


def _version(content: bytes | None) -> int:
    """0 for a document that is not there."""
    if content is None:
        return 0
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "big") or 1
