"""Reads what is needed to open partitions of a database in a thread of its own; the loop opens them when it is there.

A node that takes over many partitions, or large ones, goes on serving the rest meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from muster.log.contract import StorageError
from muster.log.postgres.store import Foreseen, read_ahead
from muster.runtime.writer_thread import Step, WriterThread

if TYPE_CHECKING:
    from muster.log.postgres.store import PostgresStore


class OpeningApart:
    def __init__(self, store: PostgresStore, tell: Callable[[Step], object]) -> None:
        """`tell`: the loop's `call_soon_threadsafe`."""
        self._store = store
        self._tell = tell
        self._thread: WriterThread | None = None
        self._is_closed = False

    def prepare(self, slots: Sequence[tuple[str, int]], then: Callable[[StorageError | None], None]) -> None:
        if self._is_closed:
            return
        if self._thread is None:
            self._thread = WriterThread(self._tell, "muster-opens")
        preparation = _Preparation(self._store, slots, then)
        self._thread.run(preparation.read, preparation.use)

    def close(self) -> None:
        self._is_closed = True
        if self._thread is not None:
            self._store.opener.cut()
            self._thread.close()


class _Preparation:
    def __init__(
        self, store: PostgresStore, slots: Sequence[tuple[str, int]], then: Callable[[StorageError | None], None]
    ) -> None:
        self._store = store
        self._slots = slots
        self._then = then
        self._found: Foreseen = {}
        self._failure: StorageError | None = None

    def read(self) -> None:
        """In the thread."""
        try:
            self._found = read_ahead(self._store.opener, self._slots)
        except StorageError as error:
            self._failure = error

    def use(self) -> None:
        """In the loop."""
        self._store.open_with(self._found, self._tell_then)

    def _tell_then(self) -> None:
        self._then(self._failure)
