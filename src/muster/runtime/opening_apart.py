"""Reads what is needed to open partitions of a database in a thread of its own; the loop opens them when it is there.

A node that takes over many partitions, or large ones, goes on serving the rest meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from muster.log.contract import StorageError
from muster.log.postgres.store import Foreseen, read_ahead
from muster.runtime.database_lane import DatabaseLane

if TYPE_CHECKING:
    from muster.log.postgres.line import Line
    from muster.log.postgres.store import PostgresStore


class OpeningApart:
    def __init__(self, store: PostgresStore, lane: DatabaseLane) -> None:
        self._store = store
        self._lane = lane

    def prepare(self, slots: Sequence[tuple[str, int]], then: Callable[[StorageError | None], None]) -> None:
        preparation = _Preparation(self._store, self._lane.line, slots, then)
        self._lane.run(preparation.read, preparation.use)


class _Preparation:
    def __init__(
        self,
        store: PostgresStore,
        line: Line,
        slots: Sequence[tuple[str, int]],
        then: Callable[[StorageError | None], None],
    ) -> None:
        self._store = store
        self._line = line
        self._slots = slots
        self._then = then
        self._found: Foreseen = {}
        self._failure: StorageError | None = None

    def read(self) -> None:
        """In the thread."""
        try:
            self._found = read_ahead(self._line, self._slots)
        except StorageError as error:
            self._failure = error

    def use(self) -> None:
        """In the loop."""
        self._store.open_with(self._found, self._tell_then)

    def _tell_then(self) -> None:
        self._then(self._failure)
