"""`muster committers`: who commits how often, and how much of it says nothing new."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from muster.cli.lake import words
from muster.cli.lake.answers import (
    add_lake_arguments,
    chosen_names,
    made_at,
    rows_wanted,
    run_question,
)
from muster.cli.support.tables import Column
from muster.cli.support.time_spans import parse_moment

if TYPE_CHECKING:
    from muster.pipeline.lake.reader import Lake
    from muster.pipeline.query import TableQuery

_COLUMNS = (
    Column("hour (UTC)", "hour_ms", render=words.moment),
    Column("group", "group_id", render=words.name),
    Column("commits", "commits", right=True, render=words.count),
    Column("unchanged", "useless_share", right=True, render=words.share),
    Column("records a commit", "records_per_commit", right=True, render=words.number),
    Column("bytes", "bytes", right=True, render=words.count),
    Column("log partition", "log_partition", right=True),
    Column("share of it", "share_of_log_partition", right=True, render=words.share),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_lake_arguments(parser)
    parser.add_argument("--since", metavar="WHEN", help="2h, 7d or a UTC time like 2026-11-15T03:12")


def run(arguments: argparse.Namespace) -> int:
    return run_question("committers", arguments, lambda lake: _question(arguments, lake), _COLUMNS, "row")


def _question(arguments: argparse.Namespace, lake: Lake) -> TableQuery:
    from muster.pipeline.query import TableQuery

    since = arguments.since and parse_moment(arguments.since, "--since", made_at(lake))
    return TableQuery(
        "g_hot_committers",
        like=chosen_names(arguments),
        at_least={"hour_ms": since} if since else {},
        order=(("commits", True), ("group_id", False), ("hour_ms", False)),
        top=rows_wanted(arguments),
    )
