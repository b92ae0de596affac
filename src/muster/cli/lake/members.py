"""`muster members`: who is and was in each group, since when, and how often it came back."""

from __future__ import annotations

import argparse

from muster.cli.lake import words
from muster.cli.lake.answers import add_lake_arguments, run_question
from muster.cli.support.tables import Column
from muster.pipeline.table_query import TableQuery

_COLUMNS = (
    Column("group", "group_id", render=words.name),
    Column("member", "identity", render=words.name),
    Column("static", lambda row: "yes" if row["is_static"] else "no"),
    Column("client", "client_id", render=words.name),
    Column("host", "client_host", render=words.name),
    Column("present", lambda row: "yes" if row["is_present"] else f"no, {words.name(row['left_because'])}"),
    Column("first seen (UTC)", "first_seen_ms", render=words.moment),
    Column("last seen (UTC)", "last_seen_ms", render=words.moment),
    Column("generations", "n_generations", right=True, render=words.count),
    Column("restarts", "n_restarts", right=True, render=words.count),
    Column("partitions", "n_partitions", right=True, render=words.count),
)

_CHURN_COLUMNS = (
    Column("day", "dt", render=words.name),
    Column("group", "group_id", render=words.name),
    Column("joins", "joins", right=True, render=words.count),
    Column("leaves", "leaves", right=True, render=words.count),
    Column("expiries", "expiries", right=True, render=words.count),
    Column("static restarts", "static_restarts", right=True, render=words.count),
    Column("rebalances", "rebalances", right=True, render=words.count),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_lake_arguments(parser)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--present", action="store_true", help="only members that are there now")
    which.add_argument("--churn", action="store_true", help="joins, leaves and expiries of each group by day")


def run(arguments: argparse.Namespace) -> int:
    if arguments.churn:
        query = TableQuery("g_member_churn", order=(("dt", True), ("joins", True), ("group_id", False)))
        return run_question("members", arguments, lambda _: query, _CHURN_COLUMNS, "row")
    query = TableQuery(
        "g_member",
        equal={"is_present": True if arguments.present else None},
        order=(("group_id", False), ("is_present", True), ("last_seen_ms", True), ("identity", False)),
    )
    return run_question("members", arguments, lambda _: query, _COLUMNS, "member")
