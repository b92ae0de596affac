"""The one printer of tables: what a cell says, and the aligned columns of a pipe."""

from __future__ import annotations

from io import StringIO

import pytest

from muster.cli.support.tables import Column, print_aligned, print_table

ROWS: list[dict[str, object]] = [{"name": "orders", "lag": 1_200}, {"name": "a", "lag": None}]
COLUMNS = (Column("topic", "name"), Column("lag", "lag", right=True, render="{:,}".format))


@pytest.mark.parametrize(
    ("column", "text"),
    [
        (Column("", "number"), "7"),
        (Column("", "list"), "1,2"),
        (Column("", "none"), "-"),
        (Column("", "empty"), "-"),
        (Column("", "hostile"), "\\x1b[31m\\n"),
        (Column("", "number", render="{} s".format), "7 s"),
        (Column("", "none", render="{} s".format), "-"),
        (Column("", lambda row: f"{row['number']} of {row['list'][1]}"), "7 of 2"),
        (Column("", lambda row: str(row["hostile"])), "\\x1b[31m\\n"),
    ],
)
def test_a_cell_says(column: Column, text: str) -> None:
    """Names are foreign text: what a terminal would act on is shown, not sent."""
    assert column.text({"number": 7, "list": [1, 2], "none": None, "empty": "", "hostile": "\x1b[31m\n"}) == text


def test_a_pipe_gets_aligned_columns() -> None:
    out = StringIO()
    print_table(COLUMNS, ROWS, out)
    assert out.getvalue() == "topic     lag\norders  1,200\na           -\n"


def test_a_column_is_never_narrower_than_its_least_width() -> None:
    out = StringIO()
    print_aligned(
        (Column("node", "node", right=True, min_width=6), Column("state", "state")), [{"node": 1, "state": "live"}], out
    )
    assert out.getvalue() == "  node  state\n     1  live\n"


def test_a_pipe_gets_long_values_whole_and_on_one_line() -> None:
    out = StringIO()
    print_table(COLUMNS, [{"name": "x" * 1_000, "lag": 1}], out)
    assert out.getvalue().splitlines()[1] == f"{'x' * 1_000}    1"
