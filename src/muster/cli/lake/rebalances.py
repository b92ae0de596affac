"""`muster rebalances`: when each group rebalanced, why, who caused it and how long it took."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from muster.cli.lake import words
from muster.cli.lake.answers import (
    Shown,
    add_lake_arguments,
    chosen_names,
    made_at,
    rows_wanted,
    run_question,
)
from muster.cli.support.time_spans import parse_moment
from muster.cli.support.usage_error import UsageError

if TYPE_CHECKING:
    from muster.pipeline.lake.reader import Lake
    from muster.pipeline.query import Question

_COLUMNS = (
    Shown("ended (UTC)", lambda row: words.moment(row["ended_ms"])),
    Shown("group", lambda row: words.name(row["group_id"])),
    Shown("generation", lambda row: str(row["generation"]), right=True),
    Shown("cause", lambda row: words.name(row["cause"])),
    Shown("sure", lambda row: words.share(row["confidence"]), right=True),
    Shown("by", lambda row: words.name(row["trigger_member"])),
    Shown("client says", lambda row: words.name(row["client_reason"])),
    Shown("join", lambda row: words.duration(row["join_phase_ms"]), right=True),
    Shown("sync", lambda row: words.duration(row["sync_phase_ms"]), right=True),
    Shown("pause", lambda row: words.duration(row["pause_max_ms"]), right=True),
    Shown("members", lambda row: f"{words.count(row['members_before'])} > {words.count(row['members_after'])}"),
    Shown("moved", lambda row: words.count(row["partitions_moved"]), right=True),
)

_EPISODE_COLUMNS = (
    Shown("started (UTC)", lambda row: words.moment(row["started_ms"])),
    Shown("group", lambda row: words.name(row["group_id"])),
    Shown("kind", lambda row: words.name(row["kind"])),
    Shown("rebalances", lambda row: words.count(row["n_rebalances"]), right=True),
    Shown("took", lambda row: _length(row["started_ms"], row["ended_ms"]), right=True),
    Shown("longest pause", lambda row: words.duration(row["pause_max_ms"]), right=True),
    Shown("causes", lambda row: words.names(row["causes"])),
)

_PAUSE_COLUMNS = (
    Shown("ended (UTC)", lambda row: words.moment(row["ended_ms"])),
    Shown("group", lambda row: words.name(row["group_id"])),
    Shown("generation", lambda row: str(row["generation"]), right=True),
    Shown("topic", lambda row: words.name(row["topic"])),
    Shown("partition", lambda row: str(row["partition"]), right=True),
    Shown("owner since", lambda row: words.name(row["owner"])),
    Shown("pause", lambda row: words.duration(row["pause_ms"]), right=True),
    Shown("last commit before", lambda row: words.moment(row["last_commit_ms"])),
    Shown("first after", lambda row: words.moment(row["next_commit_ms"])),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_lake_arguments(parser)
    parser.add_argument("--since", metavar="WHEN", help="2h, 7d or a UTC time like 2026-11-15T03:12")
    parser.add_argument("--cause", metavar="CAUSE", help="only this cause; * stands for anything")
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--episodes", action="store_true", help="fold rebalances that belong together: storms, rolling restarts"
    )
    form.add_argument("--pauses", action="store_true", help="one row a partition that paused, and who owns it since")


def run(arguments: argparse.Namespace) -> int:
    columns: Sequence[Shown] = _COLUMNS
    what = "rebalance"
    if arguments.episodes:
        columns, what = _EPISODE_COLUMNS, "episode"
    elif arguments.pauses:
        columns, what = _PAUSE_COLUMNS, "pause"
    return run_question("rebalances", arguments, lambda lake: _question(arguments, lake), columns, what)


def _question(arguments: argparse.Namespace, lake: Lake) -> Question:
    from muster.pipeline.query import Question

    like = chosen_names(arguments)
    if arguments.cause is not None:
        if arguments.episodes:
            raise UsageError("--cause does not go with --episodes: an episode may have several")
        if arguments.pauses:
            raise UsageError("--cause does not go with --pauses: a pause is a partition's, not a cause's")
        like["cause"] = arguments.cause
    since = arguments.since and parse_moment(arguments.since, "--since", made_at(lake))
    if arguments.pauses:
        return Question(
            "g_rebalance_pause",
            like=like,
            at_least={"ended_ms": since} if since else {},
            order=(("ended_ms", True), ("pause_ms", True), ("group_id", False), ("topic", False), ("partition", False)),
            top=rows_wanted(arguments),
        )
    return Question(
        "g_rebalance_episode" if arguments.episodes else "g_rebalance",
        like=like,
        at_least={"ended_ms": since} if since else {},
        order=(("ended_ms", True), ("group_id", False)),
        top=rows_wanted(arguments),
    )


def _length(started_ms: int | None, ended_ms: int | None) -> str:
    return words.duration(None if started_ms is None or ended_ms is None else ended_ms - started_ms)
