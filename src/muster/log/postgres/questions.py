"""What logs ask the database: at once, in the loop's thread, or apart, in another thread, for a request that can wait.

A request that can wait is worked out with a `Reading` in hand. What it needs and is not known yet is noted and fails with
`NotReadYet`; when another thread has asked, the whole request is worked out again, in the loop, with what is known by then.
So nothing that belongs to the loop is touched elsewhere, and nobody but the one who asked waits for a slow database.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from muster.log.contract import StorageError
from muster.log.postgres.line import Line

Rows: TypeAlias = Sequence[tuple[Any, ...]]
Statement: TypeAlias = tuple[str, tuple[Any, ...]]
"""A statement and its values; the same question has the same answer for as long as one request is worked out."""

MOST_BYTES: Final = 16 * 1024 * 1024
"""Of old records for one request; what is beyond is left out, and clients ask for it with their next fetch."""

_CONTENT: Final = """
SELECT base_offset, content FROM muster.batches
WHERE partition_id = %s AND base_offset BETWEEN %s AND %s ORDER BY base_offset
"""


class NotReadYet(StorageError):
    """The answer will be there when the request is worked out again."""


class Reading:
    """What one request needs of the database. Used by one thread at a time: the loop's, then the one that asks, in turns."""

    def __init__(self) -> None:
        self.open: dict[Statement, None] = {}
        self._answers: dict[Statement, Rows | StorageError] = {}
        self._ranges: dict[tuple[int, int], tuple[Statement, int]] = {}
        """By partition and first batch: what was asked for, and up to which batch."""
        self._bytes = 0

    def ask(self, question: Statement) -> Rows:
        answer = self._answers.get(question)
        if answer is None:
            self.open[question] = None
            raise NotReadYet("the database is being asked")
        if isinstance(answer, StorageError):
            raise answer
        return answer

    def content(self, partition_id: int, first: int, last: int, size: int) -> Rows:
        """A request that is worked out again may want less of a partition than before, since others came first; never more."""
        asked, up_to = self._ranges.get((partition_id, first), (None, -1))
        if asked is None or up_to < last:
            if self._bytes and self._bytes + size > MOST_BYTES:
                return ()
            self._bytes += size
            asked = (_CONTENT, (partition_id, first, last))
            self._ranges[partition_id, first] = (asked, last)
        return [row for row in self.ask(asked) if row[0] <= last]

    def answer(self, line: Line) -> None:
        """Ask everything that is open, on a connection of the calling thread. Never raises: failures are answers."""
        for statement, values in self.open:
            try:
                self._answers[statement, values] = _asked(line, statement, values)
            except StorageError as error:
                self._answers[statement, values] = error
        self.open = {}


class Questions:
    """Asks for all logs of a store, from the loop's thread."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self.reading: Reading | None = None
        """Set while a request is worked out that can wait."""

    def ask(self, statement: str, values: tuple[Any, ...]) -> Rows:
        if self.reading is not None:
            return self.reading.ask((statement, values))
        return _asked(self._line, statement, values)

    def content(self, partition_id: int, first: int, last: int, size: int) -> Rows:
        """Base offset and bytes of these batches, `size` bytes in all; perhaps nothing, if a request has enough already."""
        if self.reading is not None:
            return self.reading.content(partition_id, first, last, size)
        return _asked(self._line, _CONTENT, (partition_id, first, last))


def _asked(line: Line, statement: str, values: tuple[Any, ...]) -> Rows:
    return line.read(lambda connection: connection.execute(statement, values, binary=True).fetchall())
