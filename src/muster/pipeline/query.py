"""Questions to a lake that need no Spark: filter, order and cut the rows of one gold table, by Arrow alone.

Reads only files that the manifest names. Knows no table in particular and prints nothing; the commands of `muster.cli` call it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from muster.pipeline.lake import Lake
from muster.pipeline.manifest import LakeError
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
    rows = read_table(lake, question.table, _condition(question))
    matched = rows.num_rows
    if question.order:
        rows = rows.take(_ordered(rows, question.order))
    if question.top:
        rows = rows.slice(0, question.top)
    return Answer(rows, matched)


def read_table(lake: Lake, table: str, condition: pc.Expression | None = None) -> pa.Table:
    """Every row (that fulfils the condition) of a table, with the columns of the contract."""
    paths = lake.paths(table)
    schema = TABLES[table]
    if not paths:
        return schema.empty_table()
    try:
        return ds.dataset(paths, schema=schema, format="parquet").to_table(filter=condition)
    except (OSError, pa.ArrowInvalid) as error:
        raise LakeError(f"{table} of {lake.root} cannot be read: {str(error).splitlines()[0]}") from None


def require_gold(lake: Lake) -> None:
    if lake.manifest.gold_of_revision < 0:
        raise LakeError(
            f"{lake.root} has no finished tables yet, its first run was stopped: go on with `muster pipeline run`"
        )


def _condition(question: Question) -> pc.Expression | None:
    parts: list[pc.Expression] = []
    parts += [_matches(column, text) for column, text in question.like.items()]
    parts += [pc.field(column) >= value for column, value in question.at_least.items()]
    parts += [pc.field(column) <= value for column, value in question.at_most.items()]
    parts += [pc.field(column) == value for column, value in question.equal.items()]
    parts += [pc.field(column).isin(list(values)) for column, values in question.one_of.items()]
    condition: pc.Expression | None = None
    for part in parts:
        condition = part if condition is None else condition & part
    return condition


def _matches(column: str, text: str) -> pc.Expression:
    if "*" not in text:
        return pc.field(column) == text
    pattern = "(?s)^" + ".*".join(re.escape(piece) for piece in text.split("*")) + "$"
    return pc.match_substring_regex(pc.field(column), pattern)


def _ordered(rows: pa.Table, order: Sequence[tuple[str, bool]]) -> pa.Array:
    keys = [(column, "descending" if descending else "ascending") for column, descending in order]
    return pc.sort_indices(rows, sort_keys=keys, null_placement="at_end")
