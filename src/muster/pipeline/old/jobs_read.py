"""Files of the lake as batches and frames, inside a task. Knows the order of a log's files, no table in particular."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

if TYPE_CHECKING:
    import polars as pl

_PORTION: Final = 131_072
_REPEATING: Final = ("cluster", "log_topic", "group_id", "topic", "topic_id", "dt", "source", "txn_state")
"""Texts with few different values: read as dictionaries, they are compared, counted and written as numbers."""


def in_log_order(root: Path, paths: Sequence[str], columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
    """The rows of files of one log partition by offset. Files that reach into each other (a day's end, compaction) are sorted."""
    wanted = None if columns is None else list(columns)
    ranges = sorted((*_offsets_of(root / path), path) for path in paths)
    if all(before[1] < after[0] for before, after in pairwise(ranges)):
        for _, _, path in ranges:
            yield from _opened(root / path).iter_batches(_PORTION, columns=wanted)
        return
    rows = pa.concat_tables([_opened(root / path).read(wanted) for path in paths]).unify_dictionaries()
    yield from rows.sort_by("log_offset").combine_chunks().to_batches(_PORTION)


def frame_of(root: Path, paths: Iterable[str], columns: Sequence[str] | None = None) -> pl.DataFrame | None:
    """All rows of these files; None if there is no file."""
    import polars as pl

    wanted = None if columns is None else list(columns)
    parts = [pl.DataFrame(pl.from_arrow(pq.ParquetFile(root / path).read(wanted))) for path in paths]
    return pl.concat(parts) if parts else None


def of_topics(
    root: Path, paths: Iterable[str], topics: Collection[str], columns: Sequence[str] | None = None
) -> pa.Table:
    """The rows about these topics, a piece of a file at a time."""
    wanted = pa.array(sorted(topics), pa.string())
    names = None if columns is None else list(columns)
    parts = [
        pa.Table.from_batches([batch]).filter(pc.is_in(batch.column("topic"), wanted))
        for path in paths
        for batch in pq.ParquetFile(root / path).iter_batches(_PORTION, columns=names)
    ]
    return pa.concat_tables(part for part in parts if part.num_rows) if any(p.num_rows for p in parts) else None


def different_texts(root: Path, paths: Iterable[str], column: str) -> set[str]:
    """The values of a text column, without looking at its rows one by one."""
    found: set[str] = set()
    for path in paths:
        for batch in pq.ParquetFile(root / path, read_dictionary=[column]).iter_batches(_PORTION, columns=[column]):
            found.update(batch.column(0).dictionary.to_pylist())
    return found


def _opened(path: Path) -> pq.ParquetFile:
    there = pq.read_schema(path).names
    return pq.ParquetFile(path, read_dictionary=[name for name in _REPEATING if name in there])


def _offsets_of(path: Path) -> tuple[int, int]:
    """First and last offset in a file, from its footer."""
    footer = pq.ParquetFile(path).metadata
    column = footer.schema.names.index("log_offset")
    groups = [footer.row_group(index).column(column).statistics for index in range(footer.num_row_groups)]
    return min((g.min for g in groups), default=-1), max((g.max for g in groups), default=-1)
