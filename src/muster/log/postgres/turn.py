"""Whose turn it is: the loop's, or that of one thread which works for it and waits for the database in between.

What belongs to the loop may be touched by whoever has the turn, and by nobody else. The thread asks for it; the loop lends it and
does nothing until it is given back. While the thread waits for the database it does not have it, and the loop serves everybody.
So a change that takes several statements is written as one piece of code, and between two statements others are served.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Semaphore, get_ident


class Turn:
    def __init__(self, tell: Callable[[Callable[[], None]], object]) -> None:
        """`tell`: the loop's `call_soon_threadsafe`."""
        self._tell = tell
        self._lent = Semaphore(0)
        self._returned = Semaphore(0)
        self._holder: int | None = None
        self._is_closed = False

    @property
    def is_mine(self) -> bool:
        """Whether the calling thread was lent the turn."""
        return self._holder == get_ident()

    @contextmanager
    def taken(self) -> Iterator[None]:
        """In the thread: wait for the turn, and give it back at the end."""
        self._take()
        try:
            yield
        finally:
            self._give_back()

    @contextmanager
    def given_back(self) -> Iterator[None]:
        """In the thread that has the turn: let the loop go on meanwhile."""
        self._give_back()
        try:
            yield
        finally:
            self._take()

    def close(self) -> None:
        """In the loop, which waits for the end of the thread next: the thread needs no turn from now on."""
        self._is_closed = True
        self._lent.release()

    def _take(self) -> None:
        if not self._is_closed:
            self._tell(self._lend)
            self._lent.acquire()
        self._holder = get_ident()

    def _give_back(self) -> None:
        self._holder = None
        self._returned.release()

    def _lend(self) -> None:
        """In the loop."""
        if not self._is_closed:
            self._lent.release()
            self._returned.acquire()
