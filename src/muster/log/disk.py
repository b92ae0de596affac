"""The calls that reach the disk, in one object, so that tests can put one in front that fails on purpose.

Everything here raises OSError; who calls it turns that into a StorageError that says what was being done.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from mypy_extensions import mypyc_attr

MAX_PARTS_A_WRITE: Final = min(1024, os.sysconf("SC_IOV_MAX") if os.sysconf("SC_IOV_MAX") > 0 else 16)
_OWNER_FILE: Final = 0o600
_GROUP_FILE: Final = 0o640
_OWNER_DIRECTORY: Final = 0o700
_GROUP_DIRECTORY: Final = 0o750
WRITE_FLAGS: Final = os.O_CLOEXEC | os.O_NOFOLLOW
"""Names in a data directory are well known: whoever could put a symbolic link under one must not choose what is overwritten."""
_OF_THE_MACHINE: Final = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
# Bound once: what a commit calls for every log is not looked up every time.
_write: Final = os.write
_write_parts: Final = os.writev
_write_at: Final = os.pwrite
_sync: Final[Callable[[int], None]] = getattr(os, "fdatasync", os.fsync)  # macOS has the latter alone


@mypyc_attr(allow_interpreted_subclasses=True)
class Disk:
    """The real disk."""

    is_group_readable: bool = False
    """`muster.data.permissions = group`: the user's group may read what is made from now on, secrets excepted."""

    @property
    def file_mode(self) -> int:
        return _GROUP_FILE if self.is_group_readable else _OWNER_FILE

    @property
    def directory_mode(self) -> int:
        return _GROUP_DIRECTORY if self.is_group_readable else _OWNER_DIRECTORY

    def open_for_append(self, path: str, *, fresh: bool = False) -> int:
        """`fresh`: what an earlier, failed attempt left there goes."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | WRITE_FLAGS | (os.O_TRUNC if fresh else 0)
        return os.open(path, flags, self.file_mode)

    def open_fresh(self, path: str) -> int:
        """To write anywhere in a file that is new, or empty from now on."""
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | WRITE_FLAGS, self.file_mode)

    def open_private(self, path: str) -> int:
        """To write a file that nobody but this user may read, at no time: it is made anew, under nobody else's rights."""
        with suppress(FileNotFoundError):
            os.unlink(path)
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | WRITE_FLAGS, _OWNER_FILE)

    def open_for_update(self, path: str) -> int:
        """To write anywhere in a file that is there."""
        return os.open(path, os.O_WRONLY | WRITE_FLAGS)

    def open_for_read(self, path: str) -> int:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def close(self, fd: int) -> None:
        os.close(fd)

    def read(self, fd: int, size: int, position: int) -> bytes:
        return os.pread(fd, size, position)

    def write(self, fd: int, parts: Sequence[bytes]) -> int:
        """One system call; it may write less than it was given."""
        return _write(fd, parts[0]) if len(parts) == 1 else _write_parts(fd, parts)

    def write_at(self, fd: int, content: bytes, position: int) -> int:
        """One system call; it may write less than it was given. Not for files that were opened for append."""
        return _write_at(fd, content, position)

    def sync(self, fd: int) -> None:
        _sync(fd)

    def sync_directory(self, path: str) -> None:
        """A new or renamed file survives a power failure only once its directory is synced."""
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def truncate(self, path: str, size: int) -> None:
        fd = os.open(path, os.O_WRONLY | WRITE_FLAGS)
        try:
            os.ftruncate(fd, size)
        finally:
            os.close(fd)

    def rename(self, old: str, new: str) -> None:
        os.rename(old, new)

    def remove(self, path: str) -> None:
        os.unlink(path)

    def make_directory(self, path: str) -> None:
        os.mkdir(path, self.directory_mode)


def real_disk(*, group_readable: bool) -> Disk:
    disk = Disk()
    disk.is_group_readable = group_readable
    return disk


def write_all(disk: Disk, fd: int, parts: Sequence[bytes]) -> None:
    """Write every byte, however many calls that takes."""
    rest = [part for part in parts if part]
    done = 0
    while done < len(rest):
        written = disk.write(fd, rest[done : done + MAX_PARTS_A_WRITE])
        if written <= 0:
            raise OSError(errno.EIO, "the disk took no bytes")
        while done < len(rest) and written >= len(rest[done]):
            written -= len(rest[done])
            done += 1
        if written:
            rest[done] = rest[done][written:]


def write_bytes(disk: Disk, fd: int, content: bytes) -> None:
    """`write_all` for the usual case of one part that is taken at once."""
    written = disk.write(fd, (content,))
    if written != len(content):
        write_all(disk, fd, [content[max(0, written) :]])


def write_at(disk: Disk, path: str, content: bytes, position: int) -> None:
    """Overwrite, or write behind the end of, a file that is there."""
    fd = disk.open_for_update(path)
    try:
        write_all_at(disk, fd, content, position)
    finally:
        disk.close(fd)


def write_all_at(disk: Disk, fd: int, content: bytes, position: int) -> None:
    """Write every byte, however many calls that takes."""
    done = disk.write_at(fd, content, position)
    while done != len(content):
        written = disk.write_at(fd, content[done:], position + done)
        if written <= 0:
            raise OSError(errno.EIO, "the disk took no bytes")
        done += written


def read_fully(disk: Disk, fd: int, size: int, position: int) -> bytes:
    """`size` bytes, or fewer only at the end of the file."""
    first = disk.read(fd, size, position)
    if len(first) == size or not first:
        return first
    parts = [first]
    got = len(first)
    while got < size:
        part = disk.read(fd, size - got, position + got)
        if not part:
            break
        parts.append(part)
        got += len(part)
    return b"".join(parts)


def read_existing(disk: Disk, path: str, size: int, position: int) -> bytes:
    fd = disk.open_for_read(path)
    try:
        return read_fully(disk, fd, size, position)
    finally:
        disk.close(fd)


def write_file(disk: Disk, path: str, content: bytes, *, sync: bool, private: bool = False) -> None:
    """Make or overwrite a file that can be made again if it is lost half-way."""
    fd = disk.open_private(path) if private else disk.open_for_append(path, fresh=True)
    try:
        write_all(disk, fd, [content])
        if sync:
            disk.sync(fd)
    finally:
        disk.close(fd)


def replace_file(disk: Disk, path: str, content: bytes, *, private: bool = False) -> None:
    """The old content or the new one, never a mixture; durable when it returns."""
    beside = path + ".tmp"
    write_file(disk, beside, content, sync=True, private=private)
    disk.rename(beside, path)
    disk.sync_directory(os.path.dirname(path))


def sync_file(disk: Disk, path: str) -> None:
    fd = disk.open_for_append(path)
    try:
        disk.sync(fd)
    finally:
        disk.close(fd)


def sync_existing(disk: Disk, path: str) -> None:
    """Sync a file that somebody else may be writing to, or may have removed: it is never made here."""
    fd = disk.open_for_read(path)
    try:
        disk.sync(fd)
    finally:
        disk.close(fd)


def is_of_the_machine(error: BaseException) -> bool:
    """Whether what is behind this error says nothing about the file that was asked for: any other might have met it."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno in _OF_THE_MACHINE:
            return True
        cause = cause.__cause__ or cause.__context__  # compiled code sets the latter alone
    return False
