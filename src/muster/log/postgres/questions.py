"""What logs ask the database: apart from the loop, in another thread; at once only where there is no loop to be held up.

A request is worked out with a `Reading` in hand. What it needs and is not known yet is noted and fails with
`NotReadYet`; when another thread has asked, the whole request is worked out again, in the loop, with what is known by then.
So nothing that belongs to the loop is touched elsewhere, and nobody but the one who asked waits for a slow database.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from muster.log.contract import NotReadYet, StorageError
from muster.log.postgres.line import Line
from muster.wire.batch import HEADER_SIZE

Rows: TypeAlias = Sequence[tuple[Any, ...]]
Statement: TypeAlias = tuple[str, tuple[Any, ...]]
"""A statement and its values; the same question has the same answer for as long as one request is worked out."""

MOST_BYTES: Final = 16 * 1024 * 1024
"""Of old records for one request; what is beyond is left out, and clients ask for it with their next fetch."""

FEW_HEADERS: Final = 16
MANY_HEADERS: Final = 4_000

_HEADERS: Final = f"""
SELECT base_offset, next_offset, substring(content FOR {HEADER_SIZE}) FROM muster.batches
WHERE partition_id = %s AND next_offset > %s ORDER BY base_offset LIMIT %s
"""  # noqa: S608
_CONTENT: Final = """
SELECT base_offset, content FROM muster.batches
WHERE partition_id = %s AND base_offset BETWEEN %s AND %s ORDER BY base_offset
"""


class Reading:
    """What one request needs of the database. Used by one thread at a time: the loop's, then the one that asks, in turns."""

    def __init__(self) -> None:
        self.open: dict[Statement, None] = {}
        self._answers: dict[Statement, Rows | StorageError] = {}
        self._used: dict[Statement, None] = {}
        """What the present round has asked for."""
        self._ranges: dict[tuple[int, int], tuple[Statement, int]] = {}
        """By partition and first batch: what was asked for, and up to which batch."""
        self._bytes = 0
        self._begun: set[int] = set()
        """Partitions of whose headers some were asked for."""

    def begin_round(self) -> None:
        """The request is worked out anew. What the last round did not need, because it had got further, is forgotten."""
        self._answers = {each: answer for each, answer in self._answers.items() if each in self._used}
        self._used = {}

    def ask(self, question: Statement) -> Rows:
        self._used[question] = None
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

    def headers(self, partition_id: int, offset: int) -> Rows:
        """The next ones from `offset` on: a few at first, because many requests want no more, then many at a time."""
        for count in (MANY_HEADERS, FEW_HEADERS):
            if (_HEADERS, (partition_id, offset, count)) in self._answers:
                return self.ask((_HEADERS, (partition_id, offset, count)))
        count = MANY_HEADERS if partition_id in self._begun else FEW_HEADERS
        self._begun.add(partition_id)
        return self.ask((_HEADERS, (partition_id, offset, count)))

    def answer(self, line: Line) -> None:
        """Ask everything that is open, on a connection of the calling thread. Never raises: failures are answers."""
        for statement, values in self.open:
            try:
                self._answers[statement, values] = _asked(line, statement, values)
            except StorageError as error:
                self._answers[statement, values] = error
        self.open = {}


class Questions:
    """Asks for all logs of a store. NotReadYet without a reading in hand where everybody would wait for the answer."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self.reading: Reading | None = None
        """Set while a request is worked out."""
        self.only_apart = False
        """There is a loop that serves others."""

    def ask(self, statement: str, values: tuple[Any, ...]) -> Rows:
        if self.reading is not None:
            return self.reading.ask((statement, values))
        return self._ask_at_once(statement, values)

    def content(self, partition_id: int, first: int, last: int, size: int) -> Rows:
        """Base offset and bytes of these batches, `size` bytes in all; perhaps nothing, if a request has enough already."""
        if self.reading is not None:
            return self.reading.content(partition_id, first, last, size)
        return self._ask_at_once(_CONTENT, (partition_id, first, last))

    def headers(self, partition_id: int, offset: int, *, is_first: bool) -> Rows:
        """Base offset, next offset and header of batches from `offset` on. `is_first`: perhaps nobody wants more than one."""
        if self.reading is not None:
            return self.reading.headers(partition_id, offset)
        return self._ask_at_once(_HEADERS, (partition_id, offset, FEW_HEADERS if is_first else MANY_HEADERS))

    def _ask_at_once(self, statement: str, values: tuple[Any, ...]) -> Rows:
        if self.only_apart:
            raise NotReadYet("the database has to be asked")
        return _asked(self._line, statement, values)


def _asked(line: Line, statement: str, values: tuple[Any, ...]) -> Rows:
    return line.read(lambda connection: connection.execute(statement, values, binary=True).fetchall())
