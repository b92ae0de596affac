"""First in, first out: what a deque is, with methods that compiled code calls directly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Generic, TypeVar, cast

from mypy_extensions import i64

T = TypeVar("T")

_KEPT_GAPS: Final = 256
"""Places that may stay empty at the front before they are cut off: cutting moves all that is behind."""


class Fifo(Generic[T]):
    __slots__ = ("_first", "_items")

    def __init__(self) -> None:
        self._items: list[T | None] = []
        self._first: i64 = 0
        """Those before it have been taken out, and are None. No item is None."""

    def __len__(self) -> int:
        return len(self._items) - self._first

    def __iter__(self) -> Iterator[T]:
        """Over those that are in it now, whatever comes or goes meanwhile."""
        return iter(cast("list[T]", self._items[self._first :]))

    def append(self, item: T) -> None:
        self._items.append(item)

    def oldest(self) -> T:
        return cast(T, self._items[self._first])

    def newest(self) -> T:
        return cast(T, self._items[-1])

    def pop(self) -> T:
        """Take the oldest one out."""
        item = cast(T, self._items[self._first])
        self._items[self._first] = None
        self._first += 1
        if self._first == len(self._items):
            self.clear()
        elif self._first >= _KEPT_GAPS:
            del self._items[: self._first]
            self._first = 0
        return item

    def put_back(self, item: T) -> None:
        """Make it the oldest one again."""
        self._items[: self._first] = [item]
        self._first = 0

    def drop(self, item: T) -> None:
        """Take this one out, wherever it is; not one that equals it. Nothing happens if it is not there."""
        for index in range(self._first, len(self._items)):
            if self._items[index] is item:
                del self._items[index]
                break
        if not len(self):
            self.clear()

    def clear(self) -> None:
        self._items.clear()
        self._first = 0
