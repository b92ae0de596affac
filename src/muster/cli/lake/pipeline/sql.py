"""`muster pipeline sql`: one SQL statement over the tables of a lake, run by Spark on this machine."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from muster.cli.exit_codes import DONE
from muster.cli.lake import words
from muster.cli.lake.answers import (
    add_form_arguments,
    add_lake_argument,
    add_top_argument,
    print_below,
    print_rows,
    rows_wanted,
)
from muster.cli.lake.with_spark import add_spark_arguments, run_on_spark
from muster.cli.support.cluster_command import run_and_report
from muster.cli.support.tables import Column

if TYPE_CHECKING:
    from muster.pipeline.lake.reader import Lake

_EXAMPLES = """\
examples:
  muster pipeline sql --lake lake "select group_id, sum(lag) as lag from g_lag group by group_id order by lag desc"
  muster pipeline sql --lake lake --csv "select * from s_offset_commit where group_id = 'billing'"
  muster pipeline sql --lake lake "show views"
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EXAMPLES
    parser.add_argument("statement", metavar="SQL", help="the statement; tables have the names of the documentation")
    add_lake_argument(parser)
    add_top_argument(parser)
    add_form_arguments(parser)
    add_spark_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    return run_and_report("pipeline sql", lambda: _run(arguments, rows_wanted(arguments)))


def _run(arguments: argparse.Namespace, count: int) -> int:
    def work(spark: Any, lake: Lake) -> int:
        from muster.pipeline.lake.sql import run_sql

        _show(arguments, count, *run_sql(spark, lake.location, arguments.statement))
        return DONE

    return run_on_spark("pipeline sql", arguments, work)


def _show(arguments: argparse.Namespace, count: int, columns: list[str], rows: Iterable[dict[str, Any]]) -> None:
    from muster.pipeline.lake.sql import first_rows

    shown, more = first_rows(iter(rows), count)
    printable = [{name: _plain(value) for name, value in row.items()} for row in shown]
    shown_columns = [Column(name, name, render=words.name) for name in columns]
    print_rows(arguments, shown_columns, columns, printable, as_named=True)
    print_below(arguments, words.plural(len(shown), "row") + (", more not shown (--top 0 shows all)" if more else ""))


def _plain(value: Any) -> Any:
    """Values as JSON knows them: bytes as hexadecimal digits, times and decimals as text."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case bytes() | bytearray():
            return bytes(value).hex()
        case list() | tuple():
            return [_plain(each) for each in value]
        case dict():
            return {str(name): _plain(each) for name, each in value.items()}
    return str(value)
