"""Answers as people and programs want them: a table on a terminal, plain aligned columns in a pipe, JSON lines on request.

Rows are plain dictionaries: JSON shows all of a row, a table the columns that were chosen. Knows nothing of what they mean.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TextIO, TypeAlias

from muster.explain.words import plain

Row: TypeAlias = Mapping[str, Any]
NOTHING: Final = "-"


@dataclass(frozen=True, slots=True)
class Column:
    heading: str
    name: str
    """Of the value in a row."""
    right: bool = False
    words: Callable[[Any], str] | None = None
    """How a value is said that is not None; as it is, if not given."""

    def text(self, row: Row) -> str:
        value = row[self.name]
        if value is None:
            return NOTHING
        if self.words is not None:
            text = self.words(value)
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


def print_json_lines(rows: Sequence[Row]) -> None:
    for row in rows:
        sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def print_table(columns: Sequence[Column], rows: Sequence[Row], out: TextIO) -> None:
    cells = [[column.text(row) for column in columns] for row in rows]
    if out.isatty():
        try:
            _print_for_people(columns, cells, out)
        except ImportError:  # rich comes with an extra; aligned columns say the same
            pass
        else:
            return
    _print_aligned(columns, cells, out)


def _print_for_people(columns: Sequence[Column], cells: list[list[str]], out: TextIO) -> None:
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


def _print_aligned(columns: Sequence[Column], cells: list[list[str]], out: TextIO) -> None:
    headings = [column.heading for column in columns]
    widths = [max(map(len, below)) for below in zip(headings, *cells, strict=True)]
    for row in (headings, *cells):
        parts = (
            f"{text:>{width}}" if column.right else f"{text:<{width}}"
            for column, text, width in zip(columns, row, widths, strict=True)
        )
        out.write("  ".join(parts).rstrip() + "\n")
    out.flush()
