"""What the question commands share: the flags, the way to the lake, and the answer as table, JSON lines or CSV.

A command says which table it asks, which columns people see and in which order; everything else is here. Must not start Java, and
imports Arrow and rich only after the flags were read.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from muster.cli.exit_codes import DONE, USAGE
from muster.cli.lake import words
from muster.cli.support.tables import Column, Row, print_json_lines, print_table
from muster.cli.support.usage_error import UsageError
from muster.extras import install_command

if TYPE_CHECKING:
    from muster.pipeline.lake.reader import Lake
    from muster.pipeline.query import Answer, TableQuery

_SHOWN_BY_DEFAULT = 50
_PIPE_WIDTH = 220
"""A pipe has no width: nothing is folded for it."""


def add_lake_arguments(parser: argparse.ArgumentParser, *, group: bool = True, topic: bool = False) -> None:
    add_lake_argument(parser)
    if group:
        parser.add_argument("--group", metavar="NAME", help="only this group; * stands for anything")
    if topic:
        parser.add_argument("--topic", metavar="NAME", help="only this topic; * stands for anything")
    parser.add_argument("--cluster", metavar="NAME", help="only this cluster")
    add_top_argument(parser)
    add_form_arguments(parser, json_note=", every column, times in milliseconds", csv_note=", every column")


def add_lake_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--lake", metavar="URL", required=True, help="the lake that `muster pipeline run` wrote")


def add_top_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--top", metavar="N", type=int, help=f"the first N rows; 0 is all (tables {_SHOWN_BY_DEFAULT}, else all)"
    )


def add_form_arguments(parser: argparse.ArgumentParser, *, json_note: str = "", csv_note: str = "") -> None:
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help=f"JSON lines{json_note}")
    form.add_argument("--csv", action="store_true", help=f"CSV with a heading{csv_note}")


def chosen_names(arguments: argparse.Namespace) -> dict[str, str]:
    """The filters by name that were given."""
    columns = {"group": "group_id", "topic": "topic", "cluster": "cluster"}
    given = {column: getattr(arguments, flag, None) for flag, column in columns.items()}
    return {column: text for column, text in given.items() if text is not None}


def rows_wanted(arguments: argparse.Namespace) -> int:
    if arguments.top is not None:
        if arguments.top < 0:
            raise UsageError(f"--top must be 0 or more, not {arguments.top}")
        return int(arguments.top)
    return 0 if arguments.json or arguments.csv else _SHOWN_BY_DEFAULT


def run_question(
    command: str,
    arguments: argparse.Namespace,
    question: Callable[[Lake], TableQuery],
    columns: Sequence[Column],
    what: str,
) -> int:
    """Ask and show. `what` names a row ("partition"), for the lines below the table."""
    from muster.pipeline.lake.errors import LakeError

    try:
        from muster.pipeline.lake.reader import Lake
        from muster.pipeline.query import ask, require_gold
    except ImportError as error:
        return refuse_missing(command, error)
    try:
        lake = Lake.open(arguments.lake)
        require_gold(lake)
        answer = ask(lake, question(lake))
        _print_answer(arguments, answer, columns, what, coverage_line(lake))
    except (LakeError, UsageError) as error:
        return refuse(command, str(error))
    except BrokenPipeError:
        return DONE  # the reader has seen enough
    return DONE


def refuse(command: str, reason: str) -> int:
    print(f"muster {command}: {reason}", file=sys.stderr)
    return USAGE


def refuse_missing(command: str, error: ImportError) -> int:
    """A package of the extra `pipeline` is not installed."""
    return refuse(command, f"this needs {error.name}: {install_command('pipeline')}")


def print_rows(
    arguments: argparse.Namespace, columns: Sequence[Column], names: Sequence[str], rows: Sequence[Row]
) -> None:
    """As the flags of `add_form_arguments` ask for it. JSON and CSV have all `names`, a table has the `columns`."""
    if arguments.json:
        print_json_lines(map(_public, rows))
    elif arguments.csv:
        _print_csv(names, rows)
    else:
        print_table(columns, rows, sys.stdout, pipe_width=_PIPE_WIDTH)


def _print_answer(
    arguments: argparse.Namespace, answer: Answer, columns: Sequence[Column], what: str, coverage: str
) -> None:
    rows = answer.rows.to_pylist()
    print_rows(arguments, columns, answer.rows.schema.names, rows)
    if arguments.json or arguments.csv:
        print(coverage, file=sys.stderr)
        return
    left_out = answer.matched - len(rows)
    shown = words.plural(len(rows), what)
    print(f"{shown}, {left_out:,} more not shown (--top 0 shows all)" if left_out else shown)
    print(coverage)


def _print_csv(names: Sequence[str], rows: Iterable[Row]) -> None:
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["group" if name == "group_id" else name for name in names])
    for row in rows:
        writer.writerow([json.dumps(v, ensure_ascii=False) if isinstance(v, list) else v for v in row.values()])
    sys.stdout.flush()


def _public(row: Row) -> dict[str, Any]:
    """As users of Kafka name it: the group is `group`."""
    return {("group" if name == "group_id" else name): value for name, value in row.items()}


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
