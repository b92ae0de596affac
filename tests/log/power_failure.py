"""A disk that loses power: of every file it keeps what was synced, and of the rest any pieces in any mixture.

Remembers the content that each file has had since its last sync. A power failure picks, piece by piece, which of them reached
the platter; a file that was removed comes back if its directory was not synced since.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from random import Random
from threading import RLock

from tests.log.failing_disk import QuickFailingDisk

_PIECE = 48


class PowerFailingDisk(QuickFailingDisk):
    def __init__(self) -> None:
        super().__init__()
        self._paths: dict[int, str] = {}
        self._versions: dict[str, list[bytes]] = {}
        self._removed: dict[str, list[bytes]] = {}
        self._lock = RLock()

    def open_for_append(self, path: str, *, fresh: bool = False) -> int:
        with self._lock:
            fd = super().open_for_append(path, fresh=fresh)
            self._paths[fd] = path
            if fresh or path not in self._versions:
                self._note(path)
            return fd

    def open_fresh(self, path: str) -> int:
        with self._lock:
            fd = super().open_fresh(path)
            self._paths[fd] = path
            self._note(path)
            return fd

    def open_for_update(self, path: str) -> int:
        with self._lock:
            fd = super().open_for_update(path)
            self._paths[fd] = path
            return fd

    def open_for_read(self, path: str) -> int:
        with self._lock:
            fd = super().open_for_read(path)
            self._paths[fd] = path
            return fd

    def write(self, fd: int, parts: Sequence[bytes]) -> int:
        with self._lock:
            try:
                return super().write(fd, parts)
            finally:
                self._note(self._paths[fd])

    def write_at(self, fd: int, content: bytes, position: int) -> int:
        with self._lock:
            try:
                return super().write_at(fd, content, position)
            finally:
                self._note(self._paths[fd])

    def sync(self, fd: int) -> None:
        with self._lock:
            super().sync(fd)
            path = self._paths[fd]
            self._versions[path] = [_content(path)]

    def sync_directory(self, path: str) -> None:
        with self._lock:
            super().sync_directory(path)
            self._removed = {gone: found for gone, found in self._removed.items() if os.path.dirname(gone) != path}

    def truncate(self, path: str, size: int) -> None:
        with self._lock:
            super().truncate(path, size)
            self._note(path)

    def rename(self, old: str, new: str) -> None:
        with self._lock:
            super().rename(old, new)
            if old in self._versions:
                self._versions[new] = self._versions.pop(old)
            for path in [path for path in self._versions if path.startswith(old + os.sep)]:
                del self._versions[path]  # a log that is deleted

    def remove(self, path: str) -> None:
        with self._lock:
            versions = self._versions.get(path, [_content(path)])
            super().remove(path)
            self._versions.pop(path, None)
            self._removed[path] = versions

    def lose_power(self, random: Random) -> None:
        """The machine is off and on again: what is in the directory now is what the disk had."""
        with self._lock:
            for path, versions in self._versions.items():
                if os.path.exists(path):
                    Path(path).write_bytes(_mixture(versions, random))
            for path, versions in self._removed.items():
                if os.path.isdir(os.path.dirname(path)) and random.random() < 0.5:
                    Path(path).write_bytes(_mixture(versions, random))

    def _note(self, path: str) -> None:
        if os.path.exists(path):
            self._versions.setdefault(path, []).append(_content(path))


def _content(path: str) -> bytes:
    return Path(path).read_bytes() if os.path.exists(path) else b""


def _mixture(versions: list[bytes], random: Random) -> bytes:
    fate = random.random()
    if fate < 0.25:
        return versions[0]
    if fate < 0.4:
        return versions[-1]
    size = len(random.choice(versions))
    pieces = []
    for at in range(0, size, _PIECE):
        width = min(_PIECE, size - at)
        pieces.append(random.choice(versions)[at : at + width].ljust(width, b"\0"))
    return b"".join(pieces)
