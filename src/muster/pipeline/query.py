"""Questions to a lake that need no Spark: filter, order and cut the rows of one gold table, by Arrow alone.

Reads the tables of one round. Knows no table in particular and prints nothing; the commands of `muster.cli` call it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from muster.pipeline.arrow_scalar import arrow_scalar
from muster.pipeline.lake.errors import LakeError
from muster.pipeline.lake.reader import Lake, Since
from muster.pipeline.table_query import TableQuery

Condition: TypeAlias = Callable[[pa.ChunkedArray, Any], pa.ChunkedArray]


@dataclass(frozen=True, slots=True)
class Answer:
    rows: pa.Table
    matched: int  # how many there were before `top` cut them


def ask(lake: Lake, question: TableQuery) -> Answer:
    rows = lake.arrow(question.table, since=_since(question))
    mask = _mask(rows, question)
    if mask is not None:
        rows = rows.filter(mask)
    matched = rows.num_rows
    if question.order:
        rows = rows.take(_ordered(rows, question))
    if question.top:
        rows = rows.slice(0, question.top)
    return Answer(rows, matched)


def _since(question: TableQuery) -> Since | None:
    """One of the conditions in a form that lets the lake leave out what cannot fulfil it."""
    for column, value in question.at_least.items():
        if isinstance(value, int):
            return column, value
    return None


def require_gold(lake: Lake) -> None:
    if lake.round.gold_round is None:
        raise LakeError(
            f"{lake.location} has no finished tables yet, its first run was stopped: go on with `muster pipeline run`"
        )


def _mask(rows: pa.Table, question: TableQuery) -> pa.ChunkedArray | None:
    """True where every condition holds; what is unknown (null) fulfils none."""
    kinds: list[tuple[Condition, Mapping[str, Any]]] = [
        (_matches, question.like),
        (_is_at_least, question.at_least),
        (_is_at_most, question.at_most),
        (_equals, question.equal),
        (_is_one_of, question.one_of),
    ]
    parts = [
        holds(rows[column], value)
        for holds, conditions in kinds
        for column, value in conditions.items()
        if value is not None
    ]
    return reduce(pc.and_, parts) if parts else None


def _is_at_least(column: pa.ChunkedArray, value: float) -> pa.ChunkedArray:
    return pc.greater_equal(column, arrow_scalar(value))


def _is_at_most(column: pa.ChunkedArray, value: float) -> pa.ChunkedArray:
    return pc.less_equal(column, arrow_scalar(value))


def _equals(column: pa.ChunkedArray, value: Any) -> pa.ChunkedArray:
    return pc.equal(column, arrow_scalar(value))


def _is_one_of(column: pa.ChunkedArray, values: Sequence[str]) -> pa.ChunkedArray:
    return reduce(pc.or_, (_equals(column, value) for value in values))


def _matches(column: pa.ChunkedArray, text: str) -> pa.ChunkedArray:
    if "*" not in text:
        return _equals(column, text)
    pattern = "(?s)^" + ".*".join(re.escape(piece) for piece in text.split("*")) + "$"
    return pc.match_substring_regex(column, pattern)


def _ordered(rows: pa.Table, question: TableQuery) -> pa.Array:
    keys = [(column, "descending" if descending else "ascending") for column, descending in question.order]
    values = rows.select(dict.fromkeys(column for column, _ in keys))
    for column, number in question.unknown_as.items():
        place = values.schema.get_field_index(column)
        values = values.set_column(place, column, pc.fill_null(values[column], arrow_scalar(number)))
    return pc.sort_indices(values, sort_keys=keys)  # other nulls come last either way
