"""`muster committers`: who commits how often, and how much of it says nothing new."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from muster.cli.lake import words
from muster.cli.lake.answers import (
    Shown,
    add_lake_arguments,
    chosen_names,
    made_at,
    rows_wanted,
    run_question,
)
from muster.cli.support.time_spans import parse_moment

if TYPE_CHECKING:
    from muster.pipeline.lake.reader import Lake
    from muster.pipeline.query import Question

_COLUMNS = (
    Shown("hour (UTC)", lambda row: words.moment(row["hour_ms"])),
    Shown("group", lambda row: words.name(row["group_id"])),
    Shown("commits", lambda row: words.count(row["commits"]), right=True),
    Shown("unchanged", lambda row: words.share(row["useless_share"]), right=True),
    Shown("records a commit", lambda row: words.number(row["records_per_commit"]), right=True),
    Shown("bytes", lambda row: words.count(row["bytes"]), right=True),
    Shown("log partition", lambda row: str(row["log_partition"]), right=True),
    Shown("share of it", lambda row: words.share(row["share_of_log_partition"]), right=True),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_lake_arguments(parser)
    parser.add_argument("--since", metavar="WHEN", help="2h, 7d or a UTC time like 2026-11-15T03:12")


def run(arguments: argparse.Namespace) -> int:
    return run_question("committers", arguments, lambda lake: _question(arguments, lake), _COLUMNS, "row")


def _question(arguments: argparse.Namespace, lake: Lake) -> Question:
    from muster.pipeline.query import Question

    since = arguments.since and parse_moment(arguments.since, "--since", made_at(lake))
    return Question(
        "g_hot_committers",
        like=chosen_names(arguments),
        at_least={"hour_ms": since} if since else {},
        order=(("commits", True), ("group_id", False), ("hour_ms", False)),
        top=rows_wanted(arguments),
    )
