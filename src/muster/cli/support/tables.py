"""The one printer of tables: for people on a terminal, aligned columns in a pipe, JSON lines on request.

A pipe gets one line a row with every value in full, as wide as the values are: `| grep` finds rows, not pieces of them.

Rows are plain dictionaries: JSON shows all of a row, a table the columns that were chosen. Knows nothing of what they mean.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TextIO, TypeAlias

from muster.explain.words import plain

Row: TypeAlias = Mapping[str, Any]
NOTHING: Final = "-"
"""The text of a cell without a value."""


@dataclass(frozen=True, slots=True)
class Column:
    heading: str
    value: str | Callable[[Row], str]
    """The name of a row's value, or a function that makes the cell's text of the whole row."""
    right: bool = False
    render: Callable[[Any], str] | None = None
    """Makes the text of a named value that is not None; `str`, if not given."""
    min_width: int = 0
    """Of aligned columns, so that tables of few rows look like the others."""

    def text(self, row: Row) -> str:
        """What a terminal would act on is shown, not sent."""
        if callable(self.value):
            return plain(self.value(row)) or NOTHING
        value = row[self.value]
        if value is None:
            return NOTHING
        if self.render is not None:
            text = self.render(value)
        else:
            text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
        return plain(text) or NOTHING


def show(columns: Sequence[Column], rows: Sequence[Row], *, as_json: bool, empty: str = "") -> None:
    """`empty` says on standard error that there are no rows; programs need no words for that."""
    if as_json:
        print_json_lines(rows)
    elif rows:
        print_table(columns, rows, sys.stdout)
    elif empty:
        print(empty, file=sys.stderr)


def print_json_lines(rows: Iterable[Row]) -> None:
    for row in rows:
        sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def print_table(columns: Sequence[Column], rows: Iterable[Row], out: TextIO) -> None:
    cells = _cells(columns, rows)
    if out.isatty():
        try:
            _print_with_rich(columns, cells, out)
        except ImportError:  # rich comes with an extra; aligned columns say the same
            pass
        else:
            return
    _print_cells(columns, cells, out)


def print_aligned(columns: Sequence[Column], rows: Iterable[Row], out: TextIO) -> None:
    """Aligned columns, on a terminal too."""
    _print_cells(columns, _cells(columns, rows), out)


def _cells(columns: Sequence[Column], rows: Iterable[Row]) -> list[list[str]]:
    return [[column.text(row) for column in columns] for row in rows]


def _print_with_rich(columns: Sequence[Column], cells: list[list[str]], out: TextIO) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column.heading, justify="right" if column.right else "left", overflow="fold")
    for row in cells:
        table.add_row(*map(Text, row))
    Console(file=out, highlight=False, markup=False).print(table)


def _print_cells(columns: Sequence[Column], cells: list[list[str]], out: TextIO) -> None:
    headings = [column.heading for column in columns]
    widths = [
        max(column.min_width, *map(len, below))
        for column, below in zip(columns, zip(headings, *cells, strict=True), strict=True)
    ]
    for row in (headings, *cells):
        parts = (
            f"{text:>{width}}" if column.right else f"{text:<{width}}"
            for column, text, width in zip(columns, row, widths, strict=True)
        )
        out.write("  ".join(parts).rstrip() + "\n")
    out.flush()
