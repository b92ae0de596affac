"""What the checkpoint of a streaming query holds: the last micro-batch that it has committed, and the offsets which that reached.

A checkpoint is a directory with `metadata` (the query's id), `offsets/N` (what micro-batch N is to read, written before it runs)
and `commits/N` (written when it has finished). A number in `offsets` without one in `commits` is unfinished and does not count.
Pure: `checkpoint_files` reads the files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from muster.core.offsets.tracked_query import TrackedQuery
from muster.spark.failure import OffsetShapeError, TrackingError
from muster.spark.offsets import Offsets, looks_like_topics, offsets_in, together

_PLAIN, _NAMED = "v1", "v2"
"""Of the offset log. Each source has a line with its offset; in `v2` its name (or number) and a colon stand before that.
Spark writes `v2` if `spark.sql.streaming.offsetLog.formatVersion` says so, and needs it for sources that have names."""
_NO_OFFSET: Final = "-"
_LINES_BEFORE_SOURCES: Final = 2
"""The version, and the settings of the micro-batch."""

ReadText = Callable[[str], str | None]
"""The text of a file by its path under the checkpoint, None if there is none."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    query: TrackedQuery
    offsets: Offsets
    other_sources: int
    """Sources whose offsets are not those of topics."""


def read_checkpoint(where: str, committed: Iterable[str], read: ReadText) -> Checkpoint:
    """`committed`: the names of the files in `commits`. TrackingError says what is missing or not understood."""
    numbers = [int(name) for name in committed if name.isascii() and name.isdecimal()]
    if not numbers:
        raise TrackingError(
            f"{where}: no micro-batch has finished: there is no file in its directory `commits`. Is it the checkpoint of a query?"
        )
    batch = max(numbers)
    text = read(f"offsets/{batch}")
    if text is None:
        raise TrackingError(
            f"{where}: offsets/{batch} is missing though commits/{batch} is there: the checkpoint is damaged"
        )
    found: list[Offsets] = []
    others = 0
    for line in _source_lines(text, f"{where}/offsets/{batch}"):
        try:
            found.append(offsets_in(None if line == _NO_OFFSET else line))
        except OffsetShapeError as error:
            if looks_like_topics(line):
                raise TrackingError(f"{where}/offsets/{batch}: {error}: a query is not shown by half") from None
            others += 1
    return Checkpoint(TrackedQuery(_query_id(where, read), None, batch, None), together(found), others)


def _source_lines(text: str, where: str) -> list[str]:
    lines = text.splitlines()
    version = lines[0].strip() if lines else ""
    if version not in (_PLAIN, _NAMED):
        raise TrackingError(
            f"{where}: begins with {version[:20]!r} and not with {_PLAIN} or {_NAMED}: written by a Spark that is not known here"
        )
    sources = lines[_LINES_BEFORE_SOURCES:]
    return sources if version == _PLAIN else [line.partition(":")[2] for line in sources]


def _query_id(where: str, read: ReadText) -> str:
    try:
        return str(json.loads(read("metadata") or "")["id"])
    except (ValueError, KeyError, TypeError):
        raise TrackingError(
            f"{where}: its file `metadata` does not name the query: is it the checkpoint of a query?"
        ) from None
