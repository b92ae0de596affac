"""`muster status`: which groups are in trouble, and what shows it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from muster.cli.lake import words
from muster.cli.lake.answers import Shown, add_lake_arguments, chosen_names, rows_wanted, run_question

if TYPE_CHECKING:
    from muster.pipeline.query import Question

_CALM = ("OK", "IDLE", "CATCHING_UP")
_TROUBLE = (
    "SLOW", "STALLED", "STOPPED", "REWOUND", "UNOWNED", "ORPHANED", "AT_RISK", "DATA_LOSS", "AHEAD", "NO_POSITION",
    "NO_DATA",
)  # fmt: skip

_COLUMNS = (
    Shown("group", lambda row: words.name(row["group_id"])),
    Shown("topic", lambda row: words.name(row["topic"])),
    Shown("partition", lambda row: str(row["partition"]), right=True),
    Shown("status", lambda row: words.name(row["status"])),
    Shown("Burrow says", lambda row: words.name(row["burrow_status"])),
    Shown("because", lambda row: words.name(row["evidence"])),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_lake_arguments(parser, topic=True)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--trouble", action="store_true", help=f"leave out {', '.join(_CALM)}")
    which.add_argument(
        "--only", metavar="STATUS", action="append", choices=_CALM + _TROUBLE, help="one status; may be repeated"
    )


def run(arguments: argparse.Namespace) -> int:
    return run_question("status", arguments, lambda _: _question(arguments), _COLUMNS, "partition")


def _question(arguments: argparse.Namespace) -> Question:
    from muster.pipeline.query import Question

    only = _TROUBLE if arguments.trouble else tuple(arguments.only or ())
    return Question(
        "g_status",
        like=chosen_names(arguments),
        one_of={"status": only} if only else {},
        order=(("group_id", False), ("topic", False), ("partition", False)),
        top=rows_wanted(arguments),
    )
