"""`muster balance`: how evenly partitions are spread over the members of each group."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from muster.cli.lake import words
from muster.cli.lake.answers import Shown, add_lake_arguments, chosen_names, rows_wanted, run_question

if TYPE_CHECKING:
    from muster.pipeline.query import Question

_COLUMNS = (
    Shown("group", lambda row: words.name(row["group_id"])),
    Shown("generation", lambda row: str(row["generation"]), right=True),
    Shown("since (UTC)", lambda row: words.moment(row["at_ms"])),
    Shown("members", lambda row: words.count(row["n_members"]), right=True),
    Shown("idle", lambda row: words.count(row["n_idle_members"]), right=True),
    Shown("partitions", lambda row: words.count(row["n_partitions"]), right=True),
    Shown("fullest / mean", lambda row: words.number(row["max_over_mean"]), right=True),
    Shown("spread", lambda row: words.count(row["spread"]), right=True),
    Shown("Gini", lambda row: words.number(row["gini"]), right=True),
    Shown("members in effect", lambda row: words.number(row["effective_members"]), right=True),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_lake_arguments(parser)
    parser.add_argument(
        "--uneven", metavar="RATIO", type=float, help="only where the fullest member has at least RATIO times the mean"
    )


def run(arguments: argparse.Namespace) -> int:
    return run_question("balance", arguments, lambda _: _question(arguments), _COLUMNS, "generation")


def _question(arguments: argparse.Namespace) -> Question:
    from muster.pipeline.query import Question

    return Question(
        "g_assignment_balance",
        like=chosen_names(arguments),
        at_least={} if arguments.uneven is None else {"max_over_mean": arguments.uneven},
        order=(("group_id", False), ("at_ms", True)),
        top=rows_wanted(arguments),
    )
