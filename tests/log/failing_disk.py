"""Disks that fail on purpose: the n-th call, or the way a full disk does."""

from __future__ import annotations

import errno
from collections.abc import Sequence

from muster.log.disk import Disk


class FailingDisk(Disk):
    """Every call that changes the disk counts; the one numbered `fail_at` and, if `for_good`, all later ones fail."""

    def __init__(self, fail_at: int | None = None, *, for_good: bool = False) -> None:
        self.fail_at = fail_at
        self.for_good = for_good
        self.calls = 0
        self.failed: list[str] = []

    def arm(self, fail_at: int, *, for_good: bool = False) -> None:
        self.calls = 0
        self.failed = []
        self.fail_at, self.for_good = fail_at, for_good

    def disarm(self) -> None:
        self.fail_at = None

    def _count(self, name: str) -> None:
        self.calls += 1
        if self.fail_at is None:
            return
        if self.calls == self.fail_at or (self.for_good and self.calls > self.fail_at):
            self.failed.append(name)
            raise OSError(errno.ENOSPC, "No space left on device")

    def open_for_append(self, path: str, *, fresh: bool = False) -> int:
        self._count("open")
        return super().open_for_append(path, fresh=fresh)

    def open_fresh(self, path: str) -> int:
        self._count("open")
        return super().open_fresh(path)

    def write(self, fd: int, parts: Sequence[bytes]) -> int:
        """A full disk takes part of the bytes before it fails."""
        try:
            self._count("write")
        except OSError:
            joined = b"".join(parts)
            super().write(fd, [joined[: len(joined) // 2]])
            raise
        return super().write(fd, parts)

    def write_at(self, fd: int, content: bytes, position: int) -> int:
        try:
            self._count("write")
        except OSError:
            super().write_at(fd, content[: len(content) // 2], position)
            raise
        return super().write_at(fd, content, position)

    def sync(self, fd: int) -> None:
        self._count("sync")
        super().sync(fd)

    def sync_directory(self, path: str) -> None:
        self._count("sync directory")
        super().sync_directory(path)

    def truncate(self, path: str, size: int) -> None:
        self._count("truncate")
        super().truncate(path, size)

    def rename(self, old: str, new: str) -> None:
        self._count("rename")
        super().rename(old, new)

    def remove(self, path: str) -> None:
        self._count("remove")
        super().remove(path)

    def make_directory(self, path: str) -> None:
        self._count("make directory")
        super().make_directory(path)


class QuickFailingDisk(FailingDisk):
    """Counts syncs and lets them fail, but does not wait for them: for scripts that run a hundred times."""

    def sync(self, fd: int) -> None:
        self._count("sync")

    def sync_directory(self, path: str) -> None:
        self._count("sync directory")


class SlowWriter(Disk):
    """Takes at most a few bytes a call, as a socket or a nearly full disk may."""

    def __init__(self, most: int) -> None:
        self._most = most

    def write(self, fd: int, parts: Sequence[bytes]) -> int:
        return super().write(fd, [b"".join(parts)[: self._most]])

    def write_at(self, fd: int, content: bytes, position: int) -> int:
        return super().write_at(fd, content[: self._most], position)


class FailingPartition(Disk):
    """Syncs of one partition's files fail, whoever else is synced beside it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._paths: dict[int, str] = {}

    def open_for_append(self, path: str, *, fresh: bool = False) -> int:
        fd = super().open_for_append(path, fresh=fresh)
        self._paths[fd] = path
        return fd

    def open_fresh(self, path: str) -> int:
        fd = super().open_fresh(path)
        self._paths[fd] = path
        return fd

    def sync(self, fd: int) -> None:
        if f"/{self._name}/" in self._paths[fd]:
            raise OSError(errno.EIO, "Input/output error")
        super().sync(fd)
