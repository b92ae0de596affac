"""How much checking a producer's records may cost where it is done: in the loop little, in a thread as much as it takes.

Given to `judge_batch`. In the loop it raises TooMuchWork, and the caller does the same again in a thread; there it lets other
threads run now and then, because compiled code does not do so by itself, and ends when nobody wants the answer any more.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from mypy_extensions import mypyc_attr

from muster.topics.limits import BYTES_IN_LOOP, RECORDS_IN_LOOP, SLICES_IN_LOOP


class TooMuchWork(Exception):
    """More than may be done between two events of the loop."""


class NotWanted(Exception):
    """Nobody waits for the answer any more."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Effort:
    """Without any bound: for callers that have a small batch, or all the time."""

    __slots__ = ()

    def spend(self, size: int, records: int) -> None:
        """A batch of so many bytes, packed, that says that it has so many records, is about to be checked."""

    def most_bytes(self, limit: int) -> int:
        """What the batch may unpack to, if `limit` is what it may unpack to at all."""
        return limit

    def pause(self) -> None:
        """Some thousand records, or headers, were walked over."""


class LoopEffort(Effort):
    """Of one request: all its batches share it."""

    __slots__ = ("_bytes_left", "_records_left", "_slices_left")

    def __init__(self) -> None:
        self._bytes_left = BYTES_IN_LOOP
        self._records_left = RECORDS_IN_LOOP
        self._slices_left = SLICES_IN_LOOP

    def spend(self, size: int, records: int) -> None:
        if size > self._bytes_left or records > self._records_left:
            raise TooMuchWork
        self._bytes_left -= size
        self._records_left -= records

    def most_bytes(self, limit: int) -> int:
        return min(limit, self._bytes_left)

    def pause(self) -> None:
        self._slices_left -= 1
        if self._slices_left < 0:
            raise TooMuchWork


class ThreadEffort(Effort):
    __slots__ = ("_is_wanted",)

    def __init__(self, is_wanted: Callable[[], bool]) -> None:
        self._is_wanted = is_wanted

    def spend(self, size: int, records: int) -> None:
        self.pause()

    def pause(self) -> None:
        if not self._is_wanted():
            raise NotWanted
        time.sleep(0)  # gives the interpreter's lock to whoever waits for it


UNBOUNDED: Final = Effort()
