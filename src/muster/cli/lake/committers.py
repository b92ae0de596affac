"""`muster committers`: who commits how often, and how much of it says nothing new."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from muster.cli.lake import words
from muster.cli.lake.answers import add_lake_arguments, add_since_argument, run_question, since_ms
from muster.cli.support.tables import Column
from muster.pipeline.table_query import TableQuery

if TYPE_CHECKING:
    from muster.pipeline.lake.reader import Lake

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
    add_since_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    def query(lake: Lake) -> TableQuery:
        return TableQuery(
            "g_hot_committers",
            at_least={"hour_ms": since_ms(arguments, lake)},
            order=(("commits", True), ("group_id", False), ("hour_ms", False)),
        )

    return run_question("committers", arguments, query, _COLUMNS, "row")
