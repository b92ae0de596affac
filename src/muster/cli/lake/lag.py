"""`muster lag`: how far behind each group is, in records and in time."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from muster.cli.lake import words
from muster.cli.lake.answers import add_lake_arguments, run_question
from muster.cli.support.numbers import int64
from muster.cli.support.tables import Column
from muster.cli.support.usage_error import UsageError
from muster.pipeline.table_query import TableQuery

_ORDERS = {"records": "lag", "time": "time_lag_est_ms"}
_GROUP_ORDERS = {"records": "lag_sum", "time": "time_lag_max_ms"}
_ABOVE_NONE = 1
"""Where a lag stands that nobody knows: not below those that have none, where the first page of a list would leave it out."""


def _time_lag_of_partition(row: Mapping[str, Any]) -> str:
    """Without an end records may wait, and nobody knows how long; without a position nothing was read that could be late."""
    if row["method"] == "no_end":
        return words.NO_TIME_LAG
    return words.bracket(row["time_lag_lo_ms"], row["time_lag_hi_ms"])


def _lag_of_partition(row: Mapping[str, Any]) -> str:
    return words.NO_TIME_LAG if row["method"] == "no_end" else words.count(row["lag"])


def _lag_of_group(row: Mapping[str, Any]) -> str:
    """The sum of what is known. Where nothing is, a dash would say that nothing was read."""
    return words.NO_TIME_LAG if row["lag_sum"] is None and row["n_no_end"] else words.count(row["lag_sum"])


def _time_lag_of_group(row: Mapping[str, Any]) -> str:
    """Where records wait, or may wait, and nobody knows how long, that is said."""
    longest_ms = row["time_lag_max_ms"]
    if longest_ms is None:
        return words.NO_TIME_LAG if row["lag_sum"] or row["n_no_end"] else words.UNKNOWN
    return f"{'at least ' if row['n_time_open'] else ''}{words.duration(longest_ms)}"


_COLUMNS = (
    Column("group", "group_id", render=words.name),
    Column("topic", "topic", render=words.name),
    Column("partition", "partition", right=True),
    Column("committed", "committed", right=True, render=words.count),
    Column("end", "end", right=True, render=words.count),
    Column("lag", _lag_of_partition, right=True),
    Column("stable lag", "stable_lag", right=True, render=words.count),
    Column("time lag", _time_lag_of_partition, right=True),
    Column("method", "method", render=words.name),
    Column(
        "last commit",
        lambda row: f"{words.duration(row['commit_age_ms'])} ago" if row["commit_age_ms"] is not None else "-",
    ),
    Column("drained in", "eta_ms", right=True, render=words.duration),
    Column("owner", "owner", render=words.name),
)

_GROUP_COLUMNS = (
    Column("group", "group_id", render=words.name),
    Column("partitions", "n_partitions", right=True, render=words.count),
    Column("without position", "n_no_position", right=True, render=words.count),
    Column("without end", "n_no_end", right=True, render=words.count),
    Column("lag", _lag_of_group, right=True),
    Column("largest", "lag_max", right=True, render=words.count),
    Column("stable lag", "stable_lag_sum", right=True, render=words.count),
    Column("time lag", _time_lag_of_group, right=True),
    Column("skew", "skew", right=True, render=words.number),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_lake_arguments(parser, topic=True)
    parser.add_argument("--by", choices=sorted(_ORDERS), default="records", help="what to order by (records)")
    parser.add_argument("--groups", action="store_true", help="one row a group instead of one a partition")
    parser.add_argument("--min-lag", metavar="N", type=int64, help="only rows with at least this lag in records")


def run(arguments: argparse.Namespace) -> int:
    if arguments.groups:
        return run_question("lag", arguments, lambda _: _of_groups(arguments), _GROUP_COLUMNS, "group")
    query = TableQuery(
        "g_lag",
        at_least={"lag": arguments.min_lag},
        order=((_ORDERS[arguments.by], True), ("group_id", False), ("topic", False), ("partition", False)),
        unknown_as={_ORDERS[arguments.by]: _ABOVE_NONE},
    )
    return run_question("lag", arguments, lambda _: query, _COLUMNS, "partition")


def _of_groups(arguments: argparse.Namespace) -> TableQuery:
    if arguments.topic is not None:
        raise UsageError("--topic does not go with --groups: a group's sum has no topic")
    return TableQuery(
        "g_group_lag",
        at_least={"lag_sum": arguments.min_lag},
        order=((_GROUP_ORDERS[arguments.by], True), ("group_id", False)),
        unknown_as={_GROUP_ORDERS[arguments.by]: _ABOVE_NONE},
    )
