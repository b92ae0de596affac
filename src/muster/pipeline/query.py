"""Questions to a lake that need no Spark: filter, order and cut the rows of one gold table, by Arrow alone.

Reads only files that the manifest names. Knows no table in particular and prints nothing; the commands of `muster.cli` call it.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from muster.pipeline.old.lake import Lake
from muster.pipeline.old.manifest import LakeError
from muster.pipeline.schemas import TABLES


@dataclass(frozen=True, slots=True)
class Question:
    """`order` is (column, descending); unknown numbers come last either way. `top` 0 is everything."""

    table: str
    like: dict[str, str] = field(default_factory=dict)  # column -> text, `*` stands for anything
    at_least: dict[str, float] = field(default_factory=dict)
    at_most: dict[str, float] = field(default_factory=dict)
    equal: dict[str, Any] = field(default_factory=dict)
    one_of: dict[str, tuple[str, ...]] = field(default_factory=dict)
    order: tuple[tuple[str, bool], ...] = ()
    top: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    rows: pa.Table
    matched: int  # how many there were before `top` cut them


def ask(lake: Lake, question: Question) -> Answer:
    rows = read_table(lake, question.table)
    mask = _mask(rows, question)
    if mask is not None:
        rows = rows.filter(mask)
    matched = rows.num_rows
    if question.order:
        rows = rows.take(_ordered(rows, question.order))
    if question.top:
        rows = rows.slice(0, question.top)
    return Answer(rows, matched)


def read_table(lake: Lake, table: str) -> pa.Table:
    """Every row of a table, with the columns of the contract.

    Not through `pyarrow.dataset`, which imports pandas where it is installed and takes longer for that than for the answer.
    """
    schema = TABLES[table]
    try:
        parts = [pq.ParquetFile(path).read().cast(schema) for path in lake.paths(table)]
    except (OSError, pa.ArrowInvalid) as error:
        raise LakeError(f"{table} of {lake.root} cannot be read: {str(error).splitlines()[0]}") from None
    return pa.concat_tables(parts) if parts else pa.Table.from_batches([], schema)


def require_gold(lake: Lake) -> None:
    if lake.manifest.gold_of_revision < 0:
        raise LakeError(
            f"{lake.root} has no finished tables yet, its first run was stopped: go on with `muster pipeline run`"
        )


def _mask(rows: pa.Table, question: Question) -> pa.ChunkedArray | None:
    """True where every condition holds; what is unknown (null) fulfils none."""
    parts: list[pa.ChunkedArray] = []
    parts += [_matches(rows[column], text) for column, text in question.like.items()]
    parts += [pc.greater_equal(rows[column], _scalar(value)) for column, value in question.at_least.items()]
    parts += [pc.less_equal(rows[column], _scalar(value)) for column, value in question.at_most.items()]
    parts += [pc.equal(rows[column], _scalar(value)) for column, value in question.equal.items()]
    parts += [
        reduce(pc.or_, (pc.equal(rows[column], _scalar(value)) for value in values))
        for column, values in question.one_of.items()
    ]
    return reduce(pc.and_, parts) if parts else None


def _scalar(value: float | str) -> pa.Scalar:
    """Not `pa.scalar`, which imports pandas where it is installed: that takes as long as the answer from a million rows."""
    match value:
        case bool():
            kind, buffers = pa.bool_(), [None, bytes([value])]
        case int():
            kind, buffers = pa.int64(), [None, struct.pack("<q", value)]
        case float():
            kind, buffers = pa.float64(), [None, struct.pack("<d", value)]
        case str():
            octets = value.encode("utf-8", "surrogatepass")
            kind, buffers = pa.string(), [None, struct.pack("<ii", 0, len(octets)), octets]
    return pa.Array.from_buffers(kind, 1, [None if each is None else pa.py_buffer(each) for each in buffers])[0]


def _matches(column: pa.ChunkedArray, text: str) -> pa.ChunkedArray:
    if "*" not in text:
        return pc.equal(column, _scalar(text))
    pattern = "(?s)^" + ".*".join(re.escape(piece) for piece in text.split("*")) + "$"
    return pc.match_substring_regex(column, pattern)


def _ordered(rows: pa.Table, order: Sequence[tuple[str, bool]]) -> pa.Array:
    keys = [(column, "descending" if descending else "ascending") for column, descending in order]
    return pc.sort_indices(rows, sort_keys=keys)  # nulls come last either way
