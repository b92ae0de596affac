"""What the question commands share: the flags, the way to the lake, and the answer as table, JSON lines or CSV.

A command says which table it asks, which columns people see and in which order; everything else is here. Must not start Java, and
imports Arrow and rich only after the flags were read. Exit codes: 0 answered, 1 a name that the lake does not know
or a store that does not answer, 2 no such lake or flags that make no sense.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from muster.cli.exit_codes import DONE
from muster.cli.lake import words
from muster.cli.support.cluster_command import run_and_report
from muster.cli.support.connection_flags import LAKE_VARIABLE
from muster.cli.support.numbers import int64
from muster.cli.support.tables import Column, Row, print_json_lines, print_table
from muster.cli.support.time_spans import parse_moment
from muster.cli.support.usage_error import UsageError
from muster.cli.support.usage_parser import did_you_mean
from muster.extras import install_command

if TYPE_CHECKING:
    from muster.pipeline.lake.reader import Lake
    from muster.pipeline.query import Answer
    from muster.pipeline.table_query import TableQuery

_TABLES_OF_NAMES = {
    "cluster": ("g_data_quality",),
    "group_id": ("g_lag", "g_group_lag", "g_rebalance", "g_member", "g_expiry", "g_abandoned", "g_hot_committers"),
    "topic": ("g_lag", "g_expiry"),
}
"""Where a name has to stand, if the lake knows it at all."""
_ROWS_ON_A_TERMINAL = 50
"""Without --top. Programs get all rows: what a pipe filters must not depend on a page's length."""


class NotFound(Exception):
    """A name that the lake does not know; the text says which, and what it may have been."""


def add_lake_arguments(parser: argparse.ArgumentParser, *, group: bool = True, topic: bool = False) -> None:
    add_lake_argument(parser)
    if group:
        parser.add_argument("--group", metavar="NAME", help="only this group; * stands for anything")
    if topic:
        parser.add_argument("--topic", metavar="NAME", help="only this topic; * stands for anything")
    parser.add_argument("--cluster", metavar="NAME", help="only this cluster")
    add_top_argument(parser)
    add_form_arguments(parser, json_note=", every column, times in milliseconds", csv_note=", every column")


def add_lake_argument(parser: argparse.ArgumentParser, what: str = "the lake that `muster pipeline run` wrote") -> None:
    default = os.environ.get(LAKE_VARIABLE) or None
    parser.add_argument(
        "--lake",
        metavar="URL",
        required=default is None,
        default=default,
        help=f"{what} (default: {LAKE_VARIABLE})",
    )


def add_top_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--top",
        metavar="N",
        type=int64,
        help=f"the first N rows; 0 is all ({_ROWS_ON_A_TERMINAL} on a terminal, else all)",
    )


def add_since_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--since", metavar="WHEN", help="2h, 7d or a UTC time like 2026-11-15T03:12")


def add_form_arguments(parser: argparse.ArgumentParser, *, json_note: str = "", csv_note: str = "") -> None:
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help=f"JSON lines{json_note}")
    form.add_argument("--csv", action="store_true", help=f"CSV with a heading{csv_note}")


def _chosen_names(arguments: argparse.Namespace) -> dict[str, str | None]:
    """The filters by name, None for those that were not given."""
    columns = {"group": "group_id", "topic": "topic", "cluster": "cluster"}
    return {column: getattr(arguments, flag, None) for flag, column in columns.items()}


def rows_wanted(arguments: argparse.Namespace) -> int:
    if arguments.top is not None:
        if arguments.top < 0:
            raise UsageError(f"--top must be 0 or more, not {arguments.top}")
        return int(arguments.top)
    return _ROWS_ON_A_TERMINAL if _is_for_people(arguments) else 0


def _is_for_people(arguments: argparse.Namespace) -> bool:
    return sys.stdout.isatty() and not arguments.json and not arguments.csv


def run_question(
    command: str,
    arguments: argparse.Namespace,
    query: Callable[[Lake], TableQuery],
    columns: Sequence[Column],
    what: str,
    condition: str = "",
) -> int:
    """Ask and show: `query` without what the common flags say.

    `what` names a row ("partition") and `condition` what all of them fulfil, for the line below the table.
    """

    def work() -> int:
        from muster.pipeline.lake.reader import Lake
        from muster.pipeline.query import ask, require_gold

        top = rows_wanted(arguments)
        lake = Lake.open(arguments.lake)
        require_gold(lake)
        asked = query(lake)
        names = _chosen_names(arguments)
        answer = ask(lake, replace(asked, like={**names, **asked.like}, top=top))
        if not answer.matched:
            _refuse_unknown_names(lake, names)
        _print_answer(arguments, answer, columns, what, condition, coverage_line(lake))
        return DONE

    return run_on_lake(command, work)


def _refuse_unknown_names(lake: Lake, names: Mapping[str, str | None]) -> None:
    """Nothing was found: a name that is nowhere in the lake is misspelt, and that is no answer of zero rows."""
    for column, tables in _TABLES_OF_NAMES.items():
        wanted = names[column]
        if not wanted or "*" in wanted:
            continue
        known = {name for table in tables for name in lake.arrow(table, [column])[column].unique().to_pylist() if name}
        if wanted not in known:
            what = column.removesuffix("_id")
            near = did_you_mean(wanted, known)
            raise NotFound(f"the lake has no {what} {wanted}{near or f'; it knows {words.plural(len(known), what)}'}")


def run_on_lake(command: str, work: Callable[[], int]) -> int:
    """Do the work and return its exit code. A lake that cannot be used, or a package that is missing, is a usage error.

    A store that fails is none: the same command may succeed a moment later.
    """
    from muster.pipeline.lake.errors import LakeError, StoreError

    def checked() -> int:
        try:
            return work()
        except StoreError:
            raise
        except LakeError as error:
            raise UsageError(str(error)) from None
        except ImportError as error:
            if (error.name or "").startswith("muster"):
                raise
            raise UsageError(f"this needs {error.name}: {install_command('pipeline')}") from None

    return run_and_report(command, checked, also=(NotFound, StoreError))


def print_rows(
    arguments: argparse.Namespace,
    columns: Sequence[Column],
    names: Sequence[str],
    rows: Iterable[Row],
    *,
    as_named: bool = False,
) -> None:
    """As the flags of `add_form_arguments` ask for it. JSON and CSV have all `names`, a table has the `columns`.

    JSON and CSV need no more than one row at a time. In them `group_id` is called `group`, as users of Kafka name it; not so with
    `as_named`, where the user has chosen the names.
    """
    if arguments.json:
        print_json_lines(rows if as_named else map(_public, rows))
    elif arguments.csv:
        _print_csv(names if as_named else list(map(_public_name, names)), rows)
    else:
        print_table(columns, rows, sys.stdout)


def _print_answer(
    arguments: argparse.Namespace, answer: Answer, columns: Sequence[Column], what: str, condition: str, coverage: str
) -> None:
    rows = answer.rows.to_pylist()
    print_rows(arguments, columns, answer.rows.schema.names, rows)
    left_out = answer.matched - len(rows)
    rest = f", {left_out:,} more not shown (--top 0 shows all)" if left_out else ""
    print_below(arguments, words.plural(len(rows), what) + condition + rest)
    print_below(arguments, coverage)


def print_below(arguments: argparse.Namespace, line: str) -> None:
    """A line about the rows: below a table on a terminal, else on standard error, where no program takes it for a row."""
    sys.stdout.flush()
    print(line, file=sys.stdout if _is_for_people(arguments) else sys.stderr)


def _print_csv(names: Sequence[str], rows: Iterable[Row]) -> None:
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(names)
    for row in rows:
        writer.writerow([json.dumps(v, ensure_ascii=False) if isinstance(v, list) else v for v in row.values()])
    sys.stdout.flush()


def _public(row: Row) -> dict[str, Any]:
    return {_public_name(name): value for name, value in row.items()}


def _public_name(name: str) -> str:
    return "group" if name == "group_id" else name


def since_ms(arguments: argparse.Namespace, lake: Lake) -> int | None:
    """What --since says. Spans are counted back from when the tables were made."""
    return None if arguments.since is None else parse_moment(arguments.since, "--since", made_at(lake))


def made_at(lake: Lake) -> int:
    """The moment that the tables of now speak of; a lake that was asked has them."""
    assert lake.round.gold_at_ms is not None
    return lake.round.gold_at_ms


def coverage_line(lake: Lake) -> str:
    """What the answer rests on: how much was read, what is missing, when it was made."""
    import pyarrow.compute as pc

    quality = lake.arrow("g_data_quality")
    total = {
        name: int(pc.sum(quality[name]).as_py() or 0) for name in ("records", "gaps", "unknown_records", "quarantined")
    }
    said = [f"as of {words.moment(lake.round.gold_at_ms)} UTC, from {words.plural(total['records'], 'log record')}"]
    said += [f"{total['gaps']:,} holes (compaction)"] if total["gaps"] else ["no holes"]
    said += [words.plural(total["unknown_records"], "record") + " of unknown type"] if total["unknown_records"] else []
    said += [f"{total['quarantined']:,} in quarantine"] if total["quarantined"] else []
    if lake.round.provisional:
        said.append("provisional: the log was not yet read to its end")
    return "coverage: " + ", ".join(said)
