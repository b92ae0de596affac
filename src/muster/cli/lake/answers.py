"""What the question commands share: the flags, the way to the lake, and the answer as table, JSON lines or CSV.

A command says which table it asks, which columns people see and in which order; everything else is here. Must not start Java, and
imports Arrow and rich only after the flags were read.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from muster.cli.exit_codes import DONE, USAGE
from muster.cli.lake import words
from muster.cli.support.usage_error import UsageError
from muster.extras import install_command

if TYPE_CHECKING:
    from muster.pipeline.lake.reader import Lake
    from muster.pipeline.query import Answer, Question

Row = Mapping[str, Any]
_SHOWN_BY_DEFAULT = 50


@dataclass(frozen=True, slots=True)
class Shown:
    """A column for people: its heading and what it says of a row."""

    heading: str
    text: Callable[[Row], str]
    right: bool = False


def add_lake_arguments(parser: argparse.ArgumentParser, *, group: bool = True, topic: bool = False) -> None:
    parser.add_argument("--lake", metavar="URL", required=True, help="the lake that `muster pipeline run` wrote")
    if group:
        parser.add_argument("--group", metavar="NAME", help="only this group; * stands for anything")
    if topic:
        parser.add_argument("--topic", metavar="NAME", help="only this topic; * stands for anything")
    parser.add_argument("--cluster", metavar="NAME", help="only this cluster")
    parser.add_argument(
        "--top", metavar="N", type=int, help=f"the first N rows; 0 is all (tables {_SHOWN_BY_DEFAULT}, else all)"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="JSON lines, every column, times in milliseconds")
    form.add_argument("--csv", action="store_true", help="CSV with a heading, every column")


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
    question: Callable[[Lake], Question],
    columns: Sequence[Shown],
    what: str,
) -> int:
    """Ask and show. `what` names a row ("partition"), for the lines below the table."""
    from muster.pipeline.lake.errors import LakeError

    try:
        from muster.pipeline.lake.reader import Lake
        from muster.pipeline.query import ask, require_gold
    except ImportError as error:
        return refuse(command, f"this needs {error.name}: {install_command('pipeline')}")
    try:
        lake = Lake.open(arguments.lake)
        require_gold(lake)
        answer = ask(lake, question(lake))
        show(arguments, answer, columns, what, coverage_line(lake))
    except (LakeError, UsageError) as error:
        return refuse(command, str(error))
    except BrokenPipeError:
        return DONE  # the reader has seen enough
    return DONE


def refuse(command: str, reason: str) -> int:
    print(f"muster {command}: {reason}", file=sys.stderr)
    return USAGE


def show(arguments: argparse.Namespace, answer: Answer, columns: Sequence[Shown], what: str, coverage: str) -> None:
    rows = answer.rows.to_pylist()
    if arguments.json:
        print_json(rows, sys.stdout)
        print(coverage, file=sys.stderr)
    elif arguments.csv:
        print_csv(answer.rows.schema.names, rows, sys.stdout)
        print(coverage, file=sys.stderr)
    else:
        print_table(columns, rows, sys.stdout)
        left_out = answer.matched - len(rows)
        shown = f"{words.plural(len(rows), what)}"
        print(f"{shown}, {left_out:,} more not shown (--top 0 shows all)" if left_out else shown)
        print(coverage)


def print_json(rows: Iterable[Row], out: TextIO) -> None:
    for row in rows:
        out.write(json.dumps(_public(row), ensure_ascii=False) + "\n")
    out.flush()


def print_csv(names: Sequence[str], rows: Iterable[Row], out: TextIO) -> None:
    import csv

    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["group" if name == "group_id" else name for name in names])
    for row in rows:
        writer.writerow([json.dumps(v, ensure_ascii=False) if isinstance(v, list) else v for v in row.values()])
    out.flush()


def print_table(columns: Sequence[Shown], rows: Iterable[Row], out: TextIO) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column.heading, justify="right" if column.right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(column.text(row)) for column in columns))
    width = None if out.isatty() else 220  # a pipe has no width: nothing is folded for it
    Console(file=out, width=width, highlight=False, markup=False).print(table)


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
