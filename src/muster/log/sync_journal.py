"""The sync journal of one data directory: the bytes of all logs of a commit once more, in one file, so that one sync is enough.

Written by the thread that commits. A file that is often written to has zeros behind its frames, which the next ones overwrite:
to sync a file that does not become longer takes half as long. One that has grown large, or could not be written to, is retired:
another thread syncs the segments that it speaks of, then removes it, while the next one takes new frames. `sync_recovery` reads
what a crash left.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock, Thread
from typing import Final

from muster.log.directory import journal_path, partition_path
from muster.log.disk import Disk, read_existing, sync_existing, write_all_at, write_at
from muster.log.sync_frames import FILE_HEAD_BYTES, SECRET_BYTES, file_head, frame_head
from muster.log.sync_reading import read_journal

RETIRE_AT_BYTES: Final = 16 * 1024 * 1024
ROOMS_A_FILE: Final = 64
"""How many times a file is lengthened by zeros on its way to being retired. Of steps from 64 KiB to 1 MiB, those above 256 KiB
made a sync no cheaper in the mean, and the one that has the zeros to write too ever slower."""

SEVERAL_COMMITS: Final = 4
"""Zeros that would not be enough for so many commits like this one are not worth their writing."""

REST_AFTER_FAILURE: Final = 100
"""Commits that go without the journal after it could not be written: on a full disk trying costs more than it gives."""

MOST_FILES: Final = 8
"""With so many that could not be retired yet, logs sync their own files: what a start has to read stays bounded."""

logger = logging.getLogger(__name__)


class Entry:
    """What one log has in a commit, as the journal needs it."""

    __slots__ = ("batches", "mark", "path", "position", "segment_base")

    def __init__(self, mark: bytes, path: str, segment_base: int, position: int, batches: bytes) -> None:
        self.mark = mark
        self.path = path
        self.segment_base = segment_base
        self.position = position
        self.batches = batches


class JournalFile:
    """One file, and the segments whose batches it holds."""

    __slots__ = ("fd", "frame_count", "path", "room_end", "secret", "segments", "size")

    def __init__(self, path: str, fd: int, secret: bytes) -> None:
        self.path = path
        self.fd = fd
        self.secret = secret
        """Part of every frame: nothing that a client sent can look like one."""
        self.frame_count = 0
        """Of the frames that were acknowledged: the next one's sequence number."""
        self.size = 0
        """Where the frames end that were acknowledged."""
        self.room_end = 0
        """Where the zeros behind them end."""
        self.segments: dict[str, None] = {}


class SyncJournal:
    def __init__(self, directory: str, owner: int, disk: Disk, retire_at_bytes: int = RETIRE_AT_BYTES) -> None:
        self._directory = directory
        self._owner = owner
        self._disk = disk
        self._retire_at_bytes = retire_at_bytes
        self._number = 0
        self._current: JournalFile | None = None
        self._rest = 0
        self._lock = Lock()
        """Guards what follows, which the retiring thread changes too."""
        self._retired: list[JournalFile] = []
        self._retiring: Thread | None = None
        self._doubtful: set[str] = set()
        """Segments of which a sync failed once."""

    def doubt(self, path: str) -> None:
        """A sync of this segment failed. The next one may come through without what the failed one lost."""
        self._doubtful.add(path)

    def keep(self, entries: Sequence[Entry]) -> bool:
        """Make these durable with one sync. False: it could not be done, and whoever asked has to sync each file."""
        if self._rest:
            self._rest -= 1
            return False
        if self._current is None and len(self._retired) >= MOST_FILES:
            self._rest = REST_AFTER_FAILURE
            self._retire()
            return False
        try:
            file = self._current or self._begin()
            self._write(file, entries)
        except OSError as error:
            logger.warning("%s: the sync journal cannot be written: %s", self._directory, error.strerror or error)
            self._rest = REST_AFTER_FAILURE
            self._retire()
            return False
        if file.size >= self._retire_at_bytes:
            self._retire()
        return True

    def close(self) -> None:
        """Every log was synced and closed: remove what is left. OSError if that fails."""
        self._stop_writing()
        self._wait()
        if self._retired:
            if self._doubtful:
                self._sync_segments(self._retired)
            self._remove(self._retired)
            self._retired = []

    def abandon(self) -> None:
        """Leave the files for the next start."""
        self._stop_writing()
        self._wait()

    # Writing

    def _begin(self) -> JournalFile:
        import secrets  # loads more than a start should wait for

        self._number += 1
        path = journal_path(self._directory, self._owner, self._number)
        secret = secrets.token_bytes(SECRET_BYTES)
        file = self._current = JournalFile(path, self._disk.open_fresh(path), secret)
        write_all_at(self._disk, file.fd, file_head(secret), 0)
        file.size = FILE_HEAD_BYTES
        return file

    def _write(self, file: JournalFile, entries: Sequence[Entry]) -> None:
        tick = file.size
        sequence = file.frame_count
        parts: list[bytes] = []
        for entry in entries:
            batches = entry.batches
            parts.append(
                frame_head(file.secret, sequence, tick, entry.segment_base, entry.position, entry.mark, batches)
            )
            parts.append(batches)
            sequence += 1
            file.segments[entry.path] = None
        content = b"".join(parts)
        write_all_at(self._disk, file.fd, content, tick)
        if tick + len(content) > file.room_end:
            self._make_room(file, tick, tick + len(content))
        self._disk.sync(file.fd)
        if tick == FILE_HEAD_BYTES:
            self._disk.sync_directory(self._directory)
        file.frame_count = sequence
        file.size = tick + len(content)

    def _make_room(self, file: JournalFile, tick: int, end: int) -> None:
        """Lengthen the file by what the next commits will need; the sync that follows makes it last.

        Never by more than there is in the file already: whoever commits now and then does without.
        """
        room = min(self._retire_at_bytes // ROOMS_A_FILE, end, self._retire_at_bytes - end)
        if room < SEVERAL_COMMITS * (end - tick):
            return
        try:
            write_all_at(self._disk, file.fd, bytes(room), end)
            file.room_end = end + room
        except OSError:  # nothing is lost: the next frames lengthen the file themselves, or find that they cannot
            file.room_end = self._retire_at_bytes

    # Retiring

    def _retire(self) -> None:
        """The file takes no more frames; one that failed may hold some that were refused, so it should not stay long."""
        self._stop_writing()
        with self._lock:
            if self._retiring is None and self._retired:
                thread = Thread(target=self._work_off, name="muster-sync-journal", daemon=True)
                try:
                    thread.start()
                except RuntimeError as error:  # the system has no more threads: the next one to be retired tries again
                    logger.warning("%s: a sync journal is kept for longer: %s", self._directory, error)
                else:
                    self._retiring = thread

    def _stop_writing(self) -> None:
        file, self._current = self._current, None
        if file is not None:
            with self._lock:
                self._retired.append(file)
            with suppress(OSError):  # what counts was synced
                self._disk.close(file.fd)

    def _work_off(self) -> None:
        """In a thread of its own. What fails is tried again with the next file that is retired, or at the next start."""
        tried: set[str] = set()
        while True:
            with self._lock:
                files = [file for file in self._retired if file.path not in tried]
                if not files:
                    self._retiring = None
                    return
            tried.update(file.path for file in files)
            try:
                self._sync_segments(files)
                self._remove(files)
            except OSError as error:
                logger.warning("%s: a sync journal is kept for longer: %s", self._directory, error.strerror or error)
            else:
                with self._lock:
                    self._retired = [file for file in self._retired if file not in files]

    def _sync_segments(self, files: Sequence[JournalFile]) -> None:
        for path in dict.fromkeys([path for file in files for path in file.segments]):
            try:
                if path in self._doubtful:
                    self._write_again(path, files)
                sync_existing(self._disk, path)
            except FileNotFoundError:
                continue  # dropped or deleted since then
            except OSError:
                self.doubt(path)
                raise

    def _write_again(self, path: str, files: Sequence[JournalFile]) -> None:
        """The system takes the pages of a failed sync for written and never tries them again, unless they are new ones."""
        for file in files:
            if path not in file.segments or not os.path.exists(file.path):
                continue
            acknowledged = read_existing(self._disk, file.path, file.size, 0)
            for frame in read_journal(acknowledged).frames:
                directory = partition_path(self._directory, frame.topic, frame.partition)
                if (
                    os.path.join(directory, f"{frame.segment_base:020d}.log") == path
                    # Else it is a namesake, or was compacted since then.
                    and read_existing(self._disk, path, len(frame.batches), frame.position) == frame.batches
                ):
                    write_at(self._disk, path, frame.batches, frame.position)

    def _remove(self, files: Sequence[JournalFile]) -> None:
        for file in files:
            try:
                self._disk.remove(file.path)
            except FileNotFoundError:
                continue
        self._disk.sync_directory(self._directory)

    def _wait(self) -> None:
        with self._lock:
            thread = self._retiring
        if thread is not None:
            thread.join()
