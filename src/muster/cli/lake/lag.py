"""`muster lag`: how far behind each group is, in records and in time."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from muster.cli.lake import words
from muster.cli.lake.answers import Shown, add_lake_arguments, chosen_names, rows_wanted, run_question
from muster.cli.support.usage_error import UsageError

if TYPE_CHECKING:
    from muster.pipeline.query import Question

_ORDERS = {"records": "lag", "time": "time_lag_est_ms"}

_COLUMNS = (
    Shown("group", lambda row: words.name(row["group_id"])),
    Shown("topic", lambda row: words.name(row["topic"])),
    Shown("partition", lambda row: str(row["partition"]), right=True),
    Shown("committed", lambda row: words.count(row["committed"]), right=True),
    Shown("end", lambda row: words.count(row["end"]), right=True),
    Shown("lag", lambda row: words.count(row["lag"]), right=True),
    Shown("time lag", lambda row: words.bracket(row["time_lag_lo_ms"], row["time_lag_hi_ms"]), right=True),
    Shown("method", lambda row: words.name(row["method"])),
    Shown(
        "last commit",
        lambda row: f"{words.duration(row['commit_age_ms'])} ago" if row["commit_age_ms"] is not None else "-",
    ),
    Shown("drained in", lambda row: words.duration(row["eta_ms"]), right=True),
    Shown("owner", lambda row: words.name(row["owner"])),
)

_GROUP_COLUMNS = (
    Shown("group", lambda row: words.name(row["group_id"])),
    Shown("partitions", lambda row: words.count(row["n_partitions"]), right=True),
    Shown("without position", lambda row: words.count(row["n_no_position"]), right=True),
    Shown("lag", lambda row: words.count(row["lag_sum"]), right=True),
    Shown("largest", lambda row: words.count(row["lag_max"]), right=True),
    Shown("time lag", lambda row: words.duration(row["time_lag_max_ms"]), right=True),
    Shown("skew", lambda row: words.number(row["skew"]), right=True),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_lake_arguments(parser, topic=True)
    parser.add_argument("--by", choices=sorted(_ORDERS), default="records", help="what to order by (records)")
    parser.add_argument("--groups", action="store_true", help="one row a group instead of one a partition")
    parser.add_argument("--min-lag", metavar="N", type=int, help="only rows with at least this lag in records")


def run(arguments: argparse.Namespace) -> int:
    if arguments.groups:
        return run_question("lag", arguments, lambda _: _of_groups(arguments), _GROUP_COLUMNS, "group")
    return run_question("lag", arguments, lambda _: _of_partitions(arguments), _COLUMNS, "partition")


def _of_partitions(arguments: argparse.Namespace) -> Question:
    from muster.pipeline.query import Question

    return Question(
        "g_lag",
        like=chosen_names(arguments),
        at_least={} if arguments.min_lag is None else {"lag": arguments.min_lag},
        order=((_ORDERS[arguments.by], True), ("group_id", False), ("topic", False), ("partition", False)),
        top=rows_wanted(arguments),
    )


def _of_groups(arguments: argparse.Namespace) -> Question:
    from muster.pipeline.query import Question

    if arguments.topic is not None:
        raise UsageError("--topic does not go with --groups: a group's sum has no topic")
    order = {"records": "lag_sum", "time": "time_lag_max_ms"}[arguments.by]
    return Question(
        "g_group_lag",
        like=chosen_names(arguments),
        at_least={} if arguments.min_lag is None else {"lag_sum": arguments.min_lag},
        order=((order, True), ("group_id", False)),
        top=rows_wanted(arguments),
    )
