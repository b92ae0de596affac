"""`muster expiring`: which committed offsets the coordinator will delete, when, and what that puts at risk."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from muster.cli.lake import words
from muster.cli.lake.answers import add_lake_arguments, made_at, run_question
from muster.cli.support.tables import Column
from muster.cli.support.time_spans import parse_span
from muster.pipeline.table_query import TableQuery

if TYPE_CHECKING:
    from muster.pipeline.lake.reader import Lake

_COLUMNS = (
    Column("expires (UTC)", "expires_ms", render=words.moment),
    Column("group", "group_id", render=words.name),
    Column("state", "group_state", render=words.name),
    Column("topic", "topic", render=words.name),
    Column("partition", "partition", right=True),
    Column("committed", "committed", right=True, render=words.count),
    Column("at risk", "at_risk_records", right=True, render=words.count),
    Column("because", "reason", render=words.name),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_lake_arguments(parser, topic=True)
    parser.add_argument("--within", metavar="SPAN", default="48h", help="90min, 48h, 14d (48h)")
    parser.add_argument("--all", action="store_true", help="every offset, those that never expire too")


def run(arguments: argparse.Namespace) -> int:
    def query(lake: Lake) -> TableQuery:
        limit = made_at(lake) + parse_span(arguments.within, "--within")
        return TableQuery(
            "g_expiry",
            at_most={"expires_ms": None if arguments.all else limit},
            order=(("expires_ms", False), ("group_id", False), ("topic", False), ("partition", False)),
        )

    window = "" if arguments.all else f" expiring within {arguments.within}"
    return run_question("expiring", arguments, query, _COLUMNS, "offset", window)
