"""`muster abandoned`: which groups look as if nobody needs them any more, and why."""

from __future__ import annotations

import argparse

from muster.cli.lake import words
from muster.cli.lake.answers import add_lake_arguments, run_question
from muster.cli.support.numbers import share
from muster.cli.support.tables import Column
from muster.pipeline.table_query import TableQuery

_COLUMNS = (
    Column("group", "group_id", render=words.name),
    Column("score", "score", right=True, render=words.share),
    Column("empty since (UTC)", "empty_since_ms", render=words.moment),
    Column("last commit (UTC)", "last_commit_ms", render=words.moment),
    Column("lag", "lag", right=True, render=words.count),
    Column("because", "evidence", render=words.name),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_lake_arguments(parser)
    parser.add_argument(
        "--min-score", metavar="SHARE", type=share, help="only groups with at least this score (0 to 1)"
    )


def run(arguments: argparse.Namespace) -> int:
    query = TableQuery(
        "g_abandoned", at_least={"score": arguments.min_score}, order=(("score", True), ("group_id", False))
    )
    return run_question("abandoned", arguments, lambda _: query, _COLUMNS, "group")
