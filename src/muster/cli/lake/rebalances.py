"""`muster rebalances`: when each group rebalanced, why, who caused it and how long it took."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from muster.cli.lake import words
from muster.cli.lake.answers import add_lake_arguments, add_since_argument, run_question, since_ms
from muster.cli.support.tables import Column
from muster.cli.support.usage_error import UsageError
from muster.pipeline.table_query import TableQuery

if TYPE_CHECKING:
    from muster.pipeline.lake.reader import Lake

_COLUMNS = (
    Column("ended (UTC)", "ended_ms", render=words.moment),
    Column("group", "group_id", render=words.name),
    Column("generation", "generation", right=True),
    Column("cause", "cause", render=words.name),
    Column("sure", "confidence", right=True, render=words.share),
    Column("by", "trigger_member", render=words.name),
    Column("client says", "client_reason", render=words.name),
    Column("join", "join_phase_ms", right=True, render=words.duration),
    Column("sync", "sync_phase_ms", right=True, render=words.duration),
    Column("pause", "pause_max_ms", right=True, render=words.duration),
    Column("members", lambda row: f"{words.count(row['members_before'])} > {words.count(row['members_after'])}"),
    Column("moved", "partitions_moved", right=True, render=words.count),
)

_EPISODE_COLUMNS = (
    Column("started (UTC)", "started_ms", render=words.moment),
    Column("group", "group_id", render=words.name),
    Column("kind", "kind", render=words.name),
    Column("rebalances", "n_rebalances", right=True, render=words.count),
    Column("took", lambda row: _length(row["started_ms"], row["ended_ms"]), right=True),
    Column("longest pause", "pause_max_ms", right=True, render=words.duration),
    Column("causes", "causes", render=words.names),
)

_PAUSE_COLUMNS = (
    Column("ended (UTC)", "ended_ms", render=words.moment),
    Column("group", "group_id", render=words.name),
    Column("generation", "generation", right=True),
    Column("topic", "topic", render=words.name),
    Column("partition", "partition", right=True),
    Column("owner since", "owner", render=words.name),
    Column("pause", "pause_ms", right=True, render=words.duration),
    Column("last commit before", "last_commit_ms", render=words.moment),
    Column("first after", "next_commit_ms", render=words.moment),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_lake_arguments(parser)
    add_since_argument(parser)
    parser.add_argument("--cause", metavar="CAUSE", help="only this cause; * stands for anything")
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--episodes", action="store_true", help="fold rebalances that belong together: storms, rolling restarts"
    )
    form.add_argument("--pauses", action="store_true", help="one row a partition that paused, and who owns it since")


def run(arguments: argparse.Namespace) -> int:
    columns: Sequence[Column] = _COLUMNS
    what = "rebalance"
    if arguments.episodes:
        columns, what = _EPISODE_COLUMNS, "episode"
    elif arguments.pauses:
        columns, what = _PAUSE_COLUMNS, "pause"
    return run_question("rebalances", arguments, lambda lake: _query(arguments, lake), columns, what)


def _query(arguments: argparse.Namespace, lake: Lake) -> TableQuery:
    since = {"ended_ms": since_ms(arguments, lake)}
    if arguments.cause is not None and arguments.episodes:
        raise UsageError("--cause does not go with --episodes: an episode may have several")
    if arguments.cause is not None and arguments.pauses:
        raise UsageError("--cause does not go with --pauses: a pause is a partition's, not a cause's")
    if arguments.pauses:
        order = (("ended_ms", True), ("pause_ms", True), ("group_id", False), ("topic", False), ("partition", False))
        return TableQuery("g_rebalance_pause", at_least=since, order=order)
    return TableQuery(
        "g_rebalance_episode" if arguments.episodes else "g_rebalance",
        like={"cause": arguments.cause},
        at_least=since,
        order=(("ended_ms", True), ("group_id", False)),
    )


def _length(started_ms: int | None, ended_ms: int | None) -> str:
    return words.duration(None if started_ms is None or ended_ms is None else ended_ms - started_ms)
