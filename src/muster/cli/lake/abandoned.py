"""`muster abandoned`: which groups look as if nobody needs them any more, and why."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from muster.cli.lake import words
from muster.cli.lake.answers import add_lake_arguments, chosen_names, rows_wanted, run_question
from muster.cli.support.tables import Column

if TYPE_CHECKING:
    from muster.pipeline.query import TableQuery

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
        "--min-score", metavar="SHARE", type=float, help="only groups with at least this score (0 to 1)"
    )


def run(arguments: argparse.Namespace) -> int:
    return run_question("abandoned", arguments, lambda _: _question(arguments), _COLUMNS, "group")


def _question(arguments: argparse.Namespace) -> TableQuery:
    from muster.pipeline.query import TableQuery

    return TableQuery(
        "g_abandoned",
        like=chosen_names(arguments),
        at_least={} if arguments.min_score is None else {"score": arguments.min_score},
        order=(("score", True), ("group_id", False)),
        top=rows_wanted(arguments),
    )
