"""`muster members`: who is and was in each group, since when, and how often it came back."""

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
        return run_question("members", arguments, lambda _: _churn(arguments), _CHURN_COLUMNS, "row")
    return run_question("members", arguments, lambda _: _question(arguments), _COLUMNS, "member")


def _question(arguments: argparse.Namespace) -> TableQuery:
    from muster.pipeline.query import TableQuery

    return TableQuery(
        "g_member",
        like=chosen_names(arguments),
        equal={"is_present": True} if arguments.present else {},
        order=(("group_id", False), ("is_present", True), ("last_seen_ms", True), ("identity", False)),
        top=rows_wanted(arguments),
    )


def _churn(arguments: argparse.Namespace) -> TableQuery:
    from muster.pipeline.query import TableQuery

    order = (("dt", True), ("joins", True), ("group_id", False))
    return TableQuery("g_member_churn", like=chosen_names(arguments), order=order, top=rows_wanted(arguments))
