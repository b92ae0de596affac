"""One segment file held open while it is read: what compaction or retention does to its name meanwhile does not matter."""

from __future__ import annotations

import os
from types import TracebackType

from muster.pipeline.sources.failure import SourceError


class SegmentGone(Exception):
    """The file was taken away between the listing and the opening: by retention, or merged with others by compaction."""


class SegmentBytes:
    def __init__(self, path: str) -> None:
        self._path = path
        try:
            self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            raise SegmentGone(path) from None
        except OSError as error:
            raise SourceError(f"{path}: cannot be opened: {error.strerror}") from error

    def __enter__(self) -> SegmentBytes:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        os.close(self._fd)

    def read(self, at: int, size: int) -> bytes:
        """Up to `size` bytes from `at` on; fewer only at the end of the file."""
        pieces: list[bytes] = []
        try:
            while size > 0 and (piece := os.pread(self._fd, size, at)):
                pieces.append(piece)
                at += len(piece)
                size -= len(piece)
        except OSError as error:
            raise SourceError(f"{self._path}: cannot be read at byte {at}: {error.strerror}") from error
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def size(self) -> int:
        return os.fstat(self._fd).st_size
