"""`muster abandoned`: which groups look as if nobody needs them any more, and why."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from muster.cli.lake import words
from muster.cli.lake.answers import Shown, add_lake_arguments, chosen_names, rows_wanted, run_question

if TYPE_CHECKING:
    from muster.pipeline.query import Question

_COLUMNS = (
    Shown("group", lambda row: words.name(row["group_id"])),
    Shown("score", lambda row: words.share(row["score"]), right=True),
    Shown("empty since (UTC)", lambda row: words.moment(row["empty_since_ms"])),
    Shown("last commit (UTC)", lambda row: words.moment(row["last_commit_ms"])),
    Shown("lag", lambda row: words.count(row["lag"]), right=True),
    Shown("because", lambda row: words.name(row["evidence"])),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_lake_arguments(parser)
    parser.add_argument(
        "--min-score", metavar="SHARE", type=float, help="only groups with at least this score (0 to 1)"
    )


def run(arguments: argparse.Namespace) -> int:
    return run_question("abandoned", arguments, lambda _: _question(arguments), _COLUMNS, "group")


def _question(arguments: argparse.Namespace) -> Question:
    from muster.pipeline.query import Question

    return Question(
        "g_abandoned",
        like=chosen_names(arguments),
        at_least={} if arguments.min_score is None else {"score": arguments.min_score},
        order=(("score", True), ("group_id", False)),
        top=rows_wanted(arguments),
    )
