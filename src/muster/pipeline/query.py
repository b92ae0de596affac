"""Questions to a lake that need no Spark: filter, order and cut the rows of one gold table, by Arrow alone.

Reads the tables of one round. Knows no table in particular and prints nothing; the commands of `muster.cli` call it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from muster.pipeline.arrow_scalar import arrow_scalar
from muster.pipeline.lake.errors import LakeError
from muster.pipeline.lake.reader import Lake, Since


@dataclass(frozen=True, slots=True)
class TableQuery:
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


def ask(lake: Lake, question: TableQuery) -> Answer:
    rows = lake.arrow(question.table, since=_since(question))
    mask = _mask(rows, question)
    if mask is not None:
        rows = rows.filter(mask)
    matched = rows.num_rows
    if question.order:
        rows = rows.take(_ordered(rows, question.order))
    if question.top:
        rows = rows.slice(0, question.top)
    return Answer(rows, matched)


def _since(question: TableQuery) -> Since | None:
    """One of the conditions in a form that lets the lake leave out what cannot fulfil it."""
    return next(((column, value) for column, value in question.at_least.items() if isinstance(value, int)), None)


def require_gold(lake: Lake) -> None:
    if lake.round.gold_round is None:
        raise LakeError(
            f"{lake.location} has no finished tables yet, its first run was stopped: go on with `muster pipeline run`"
        )


def _mask(rows: pa.Table, question: TableQuery) -> pa.ChunkedArray | None:
    """True where every condition holds; what is unknown (null) fulfils none."""
    parts: list[pa.ChunkedArray] = []
    parts += [_matches(rows[column], text) for column, text in question.like.items()]
    parts += [pc.greater_equal(rows[column], arrow_scalar(value)) for column, value in question.at_least.items()]
    parts += [pc.less_equal(rows[column], arrow_scalar(value)) for column, value in question.at_most.items()]
    parts += [pc.equal(rows[column], arrow_scalar(value)) for column, value in question.equal.items()]
    parts += [
        reduce(pc.or_, (pc.equal(rows[column], arrow_scalar(value)) for value in values))
        for column, values in question.one_of.items()
    ]
    return reduce(pc.and_, parts) if parts else None


def _matches(column: pa.ChunkedArray, text: str) -> pa.ChunkedArray:
    if "*" not in text:
        return pc.equal(column, arrow_scalar(text))
    pattern = "(?s)^" + ".*".join(re.escape(piece) for piece in text.split("*")) + "$"
    return pc.match_substring_regex(column, pattern)


def _ordered(rows: pa.Table, order: Sequence[tuple[str, bool]]) -> pa.Array:
    keys = [(column, "descending" if descending else "ascending") for column, descending in order]
    return pc.sort_indices(rows, sort_keys=keys)  # nulls come last either way
