"""`muster pipeline sql`: one SQL statement over the tables of a lake, run by Spark on this machine."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from typing import Any

from muster.cli.exit_codes import DONE, FAILED
from muster.cli.lake import words
from muster.cli.lake.answers import (
    add_form_arguments,
    add_lake_argument,
    add_top_argument,
    print_below,
    print_rows,
    rows_wanted,
    run_on_lake,
)
from muster.cli.support.cluster_command import note
from muster.cli.support.spark_flags import add_setting_arguments, settings_by_name
from muster.cli.support.tables import Column

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
    spark = parser.add_argument_group("Spark")
    spark.add_argument("--master", default="local[*]", help="where Spark runs (local[*])")
    add_setting_arguments(spark)


def run(arguments: argparse.Namespace) -> int:
    return run_on_lake("pipeline sql", lambda: _run(arguments))


def _run(arguments: argparse.Namespace) -> int:
    from muster.pipeline.lake.location import Location
    from muster.pipeline.lake.reader import Lake
    from muster.pipeline.lake.sql import run_sql
    from muster.pipeline.lake.storage_options import spark_s3_settings
    from muster.pipeline.session import SessionError, SessionSettings, open_session

    given = settings_by_name(arguments.conf)
    count = rows_wanted(arguments)
    location = Location.parse(arguments.lake, given)
    lake = Lake.open(location)  # a place without one is refused before Java starts
    by_environment = spark_s3_settings(os.environ) if location.url.startswith("s3a:") else {}
    settings = SessionSettings(
        master=arguments.master,
        app_name="muster pipeline sql",
        pending_records=lake.round.records,
        packages=tuple(arguments.packages),
        extra={**by_environment, **given},
    )
    try:
        with open_session(settings) as spark:
            _show(arguments, count, *run_sql(spark, location, arguments.statement))
    except SessionError as error:
        note("pipeline sql", str(error))
        return FAILED
    return DONE


def _show(arguments: argparse.Namespace, count: int, columns: list[str], rows: Iterable[dict[str, Any]]) -> None:
    from muster.pipeline.lake.sql import first_rows

    shown, more = first_rows(iter(rows), count)
    printable = [{name: _plain(value) for name, value in row.items()} for row in shown]
    print_rows(arguments, [Column(name, name, render=words.name) for name in columns], columns, printable)
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
