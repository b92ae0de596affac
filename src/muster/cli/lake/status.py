"""`muster status`: which groups are in trouble, and what shows it."""

from __future__ import annotations

import argparse

from muster.cli.lake import words
from muster.cli.lake.answers import add_lake_arguments, run_question
from muster.cli.support.tables import Column
from muster.pipeline.table_query import TableQuery

_CALM = ("OK", "IDLE", "CATCHING_UP")
_TROUBLE = (
    "SLOW", "STALLED", "STOPPED", "REWOUND", "UNOWNED", "ORPHANED", "AT_RISK", "DATA_LOSS", "AHEAD", "NO_POSITION",
    "NO_DATA", "UNKNOWN",
)  # fmt: skip

_COLUMNS = (
    Column("group", "group_id", render=words.name),
    Column("topic", "topic", render=words.name),
    Column("partition", "partition", right=True),
    Column("status", "status", render=words.name),
    Column("Burrow says", "burrow_status", render=words.name),
    Column("because", "evidence", render=words.name),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_lake_arguments(parser, topic=True)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--trouble", action="store_true", help=f"leave out {', '.join(_CALM)}")
    which.add_argument(
        "--only", metavar="STATUS", action="append", choices=_CALM + _TROUBLE, help="one status; may be repeated"
    )


def run(arguments: argparse.Namespace) -> int:
    query = TableQuery(
        "g_status",
        one_of={"status": _TROUBLE if arguments.trouble else arguments.only},
        order=(("group_id", False), ("topic", False), ("partition", False)),
    )
    return run_question("status", arguments, lambda _: query, _COLUMNS, "partition")
