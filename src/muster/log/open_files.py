"""A bounded set of open files, the longest unused closed first: a node has more segments than a process may open.

The commit thread has one for writing, the loop's thread one for reading; neither uses the other's.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from librt.threading import Lock


class OpenFiles:
    def __init__(self, capacity: int, open_file: Callable[[str], int], close_file: Callable[[int], None]) -> None:
        self._capacity = capacity
        self._open_file = open_file
        self._close_file = close_file
        self._files: OrderedDict[str, int] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._files)

    def get(self, path: str) -> int:
        """The file's descriptor, good until the next `get` of this thread."""
        with self._lock:
            fd = self._files.get(path)
            if fd is not None:
                self._files.move_to_end(path)
                return fd
            while len(self._files) >= self._capacity:
                self._close_file(self._files.popitem(last=False)[1])
            fd = self._files[path] = self._open_file(path)
            return fd

    def drop(self, path: str) -> None:
        """Close the file if it is open."""
        with self._lock:
            fd = self._files.pop(path, None)
            if fd is not None:
                self._close_file(fd)

    def close(self) -> None:
        with self._lock:
            while self._files:
                self._close_file(self._files.popitem()[1])
