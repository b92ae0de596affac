"""`muster members`: who is and was in each group, since when, and how often it came back."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from muster.cli.lake import words
from muster.cli.lake.answers import Shown, add_lake_arguments, chosen_names, rows_wanted, run_question

if TYPE_CHECKING:
    from muster.pipeline.query import Question

_COLUMNS = (
    Shown("group", lambda row: words.name(row["group_id"])),
    Shown("member", lambda row: words.name(row["identity"])),
    Shown("static", lambda row: "yes" if row["is_static"] else "no"),
    Shown("client", lambda row: words.name(row["client_id"])),
    Shown("host", lambda row: words.name(row["client_host"])),
    Shown("present", lambda row: "yes" if row["is_present"] else f"no, {words.name(row['left_because'])}"),
    Shown("first seen (UTC)", lambda row: words.moment(row["first_seen_ms"])),
    Shown("last seen (UTC)", lambda row: words.moment(row["last_seen_ms"])),
    Shown("generations", lambda row: words.count(row["n_generations"]), right=True),
    Shown("restarts", lambda row: words.count(row["n_restarts"]), right=True),
    Shown("partitions", lambda row: words.count(row["n_partitions"]), right=True),
)

_CHURN_COLUMNS = (
    Shown("day", lambda row: words.name(row["dt"])),
    Shown("group", lambda row: words.name(row["group_id"])),
    Shown("joins", lambda row: words.count(row["joins"]), right=True),
    Shown("leaves", lambda row: words.count(row["leaves"]), right=True),
    Shown("expiries", lambda row: words.count(row["expiries"]), right=True),
    Shown("static restarts", lambda row: words.count(row["static_restarts"]), right=True),
    Shown("rebalances", lambda row: words.count(row["rebalances"]), right=True),
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


def _question(arguments: argparse.Namespace) -> Question:
    from muster.pipeline.query import Question

    return Question(
        "g_member",
        like=chosen_names(arguments),
        equal={"is_present": True} if arguments.present else {},
        order=(("group_id", False), ("is_present", True), ("last_seen_ms", True), ("identity", False)),
        top=rows_wanted(arguments),
    )


def _churn(arguments: argparse.Namespace) -> Question:
    from muster.pipeline.query import Question

    order = (("dt", True), ("joins", True), ("group_id", False))
    return Question("g_member_churn", like=chosen_names(arguments), order=order, top=rows_wanted(arguments))
