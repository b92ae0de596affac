"""`muster expiring`: which committed offsets the coordinator will delete, when, and what that puts at risk."""

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
from muster.cli.support.time_spans import parse_span

if TYPE_CHECKING:
    from muster.pipeline.lake.reader import Lake
    from muster.pipeline.query import TableQuery

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
    return run_question("expiring", arguments, lambda lake: _question(arguments, lake), _COLUMNS, "offset")


def _question(arguments: argparse.Namespace, lake: Lake) -> TableQuery:
    from muster.pipeline.query import TableQuery

    limit = made_at(lake) + parse_span(arguments.within, "--within")
    return TableQuery(
        "g_expiry",
        like=chosen_names(arguments),
        at_most={} if arguments.all else {"expires_ms": limit},
        order=(("expires_ms", False), ("group_id", False), ("topic", False), ("partition", False)),
        top=rows_wanted(arguments),
    )
