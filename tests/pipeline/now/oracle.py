"""Equality of tables: the same rows, whatever their order, numbers with fractions nearly so."""

from __future__ import annotations

import math
from typing import Any

import polars as pl

from muster.pipeline.tables.columns import conform

Rows = dict[tuple[Any, ...], dict[str, Any]]


def all_rows(steps: dict[str, Any]) -> pl.DataFrame:
    """The rows of wide DataFrames in the columns of all of them."""
    frames = [pl.DataFrame(pl.from_arrow(rows.toArrow())) for rows in steps.values()]
    return pl.concat(frames, how="diagonal_relaxed")


def of_table(wide: pl.DataFrame, table: str, part: str | None = None) -> pl.DataFrame:
    """The rows of one table out of a wide frame, with its columns."""
    rows = wide.filter(pl.col("table") == table)
    return conform(rows if part is None else rows.filter(pl.col("part") == part), table)


def assert_same(found: pl.DataFrame, expected: pl.DataFrame, keys: tuple[str, ...]) -> None:
    ours, theirs = _by_key(found, keys), _by_key(expected, keys)
    assert ours.keys() == theirs.keys()
    for key, row in theirs.items():
        differs = {name: (ours[key][name], value) for name, value in row.items() if not _nearly(ours[key][name], value)}
        assert not differs, f"{key}: {differs} (found, expected)"


def _by_key(frame: pl.DataFrame, keys: tuple[str, ...]) -> Rows:
    rows = {tuple(row[name] for name in keys): row for row in frame.iter_rows(named=True)}
    assert len(rows) == frame.height, "rows of one key come twice"
    return rows


def _nearly(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12)
    return bool(one == other)
