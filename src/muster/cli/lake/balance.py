"""`muster balance`: how evenly partitions are spread over the members of each group."""

from __future__ import annotations

import argparse

from muster.cli.lake import words
from muster.cli.lake.answers import add_lake_arguments, run_question
from muster.cli.support.numbers import ratio
from muster.cli.support.tables import Column
from muster.pipeline.table_query import TableQuery

_COLUMNS = (
    Column("group", "group_id", render=words.name),
    Column("generation", "generation", right=True),
    Column("since (UTC)", "at_ms", render=words.moment),
    Column("members", "n_members", right=True, render=words.count),
    Column("idle", "n_idle_members", right=True, render=words.count),
    Column("partitions", "n_partitions", right=True, render=words.count),
    Column("fullest / mean", "max_over_mean", right=True, render=words.number),
    Column("spread", "spread", right=True, render=words.count),
    Column("Gini", "gini", right=True, render=words.number),
    Column("members in effect", "effective_members", right=True, render=words.number),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_lake_arguments(parser)
    parser.add_argument(
        "--uneven", metavar="RATIO", type=ratio, help="only where the fullest member has at least RATIO times the mean"
    )


def run(arguments: argparse.Namespace) -> int:
    query = TableQuery(
        "g_assignment_balance",
        at_least={"max_over_mean": arguments.uneven},
        order=(("group_id", False), ("at_ms", True)),
    )
    return run_question("balance", arguments, lambda _: query, _COLUMNS, "generation")
