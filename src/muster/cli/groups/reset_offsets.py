"""`muster groups reset-offsets GROUP...`: set committed offsets, as a dry run unless --execute is said.

Groups with members are refused: their next commit would undo it, and coordinators do not take it.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from muster.cli.exit_codes import DONE, FAILED
from muster.cli.groups.chosen import add_group_arguments, chosen_groups, unknown_group
from muster.cli.groups.reset_file import read_plan
from muster.cli.support.cluster_command import note, run_with_cluster
from muster.cli.support.connection_flags import add_connection_arguments
from muster.cli.support.numbers import int64
from muster.cli.support.tables import Column, show
from muster.cli.support.time_spans import now_ms, parse_kafka_moment, parse_kafka_span
from muster.cli.support.topic_places import places_of
from muster.cli.support.usage_error import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from muster.client.cluster import Cluster
    from muster.client.partitions import TopicPartition
    from muster.client.reset_outcome import ResetOutcome
    from muster.client.reset_plan import Move, Target

_COMMAND: Final = "groups reset-offsets"
_COLUMNS: Final = (
    Column("group", "group"),
    Column("topic", "topic"),
    Column("partition", "partition", right=True),
    Column("committed", "committed", right=True),
    Column("new", "new", right=True),
    Column("note", "note"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_group_arguments(parser)
    to = parser.add_argument_group("where to (one of)").add_mutually_exclusive_group(required=True)
    to.add_argument("--to-earliest", action="store_true", help="the beginning of each log")
    to.add_argument("--to-latest", action="store_true", help="the end of each log")
    to.add_argument("--to-current", action="store_true", help="what is committed now (to export it)")
    to.add_argument("--to-offset", metavar="OFFSET", type=int64, help="this offset")
    to.add_argument("--shift-by", metavar="N", type=int64, help="N records forward, or back if negative")
    to.add_argument("--to-datetime", metavar="TIME", help="the first record at or after a UTC time")
    to.add_argument("--by-duration", metavar="SPAN", help="the first record of the last 2h, 7d, P1DT2H, ...")
    to.add_argument("--from-file", metavar="FILE", help="offsets as --export writes them; - is standard input")
    scope = parser.add_argument_group("of what")
    scope.add_argument("--topic", metavar="T[:0,1]", action="append", help="a topic, or some of its partitions")
    scope.add_argument("--all-topics", action="store_true", help="every topic that the group has commits for")
    parser.add_argument("--create", action="store_true", help="allow groups that do not exist: the commits make them")
    do = parser.add_mutually_exclusive_group()
    do.add_argument("--dry-run", action="store_true", help="only show what would happen (the default)")
    do.add_argument("--execute", action="store_true", help="do it")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--export", action="store_true", help="CSV that --from-file takes, instead of a table")
    form.add_argument("--json", action="store_true", help="a JSON object a partition")
    add_connection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    async def work(cluster: Cluster) -> int:
        from muster.client.reset_plan import Rule

        target = target_of(arguments)
        _check_scope(arguments, target)
        groups = await chosen_groups(cluster, arguments)
        from_file = read_plan(arguments.from_file, groups) if target.rule is Rule.FILE else {}
        moves: list[tuple[Move, bool | None]] = []
        code = DONE
        for group in groups:
            if target.rule is Rule.FILE and group not in from_file:
                continue
            found = await _moves_of(cluster, arguments, group, target, from_file.get(group, {}))
            moves += [(move, found.executed) for move in found.moves]
            if not found.is_whole:
                code = FAILED
        _show(arguments, moves, with_group=len(groups) > 1)
        return code

    return run_with_cluster(_COMMAND, arguments, work)


def target_of(arguments: argparse.Namespace) -> Target:
    from muster.client.reset_plan import Rule, Target

    if arguments.to_earliest:
        return Target(Rule.EARLIEST)
    if arguments.to_latest:
        return Target(Rule.LATEST)
    if arguments.to_current:
        return Target(Rule.CURRENT)
    if arguments.to_offset is not None:
        if arguments.to_offset < 0:
            raise UsageError(f"--to-offset {arguments.to_offset}: offsets are 0 or more; --shift-by goes back")
        return Target(Rule.OFFSET, arguments.to_offset)
    if arguments.shift_by is not None:
        return Target(Rule.SHIFT, arguments.shift_by)
    if arguments.to_datetime is not None:
        return Target(Rule.MOMENT, max(0, parse_kafka_moment(arguments.to_datetime, "--to-datetime")))
    if arguments.by_duration is not None:
        return Target(Rule.MOMENT, max(0, now_ms() - parse_kafka_span(arguments.by_duration, "--by-duration")))
    return Target(Rule.FILE)


def _check_scope(arguments: argparse.Namespace, target: Target) -> None:
    from muster.client.reset_plan import Rule

    if arguments.topic and arguments.all_topics:
        raise UsageError("--topic and --all-topics: choose one of them")
    if target.rule is Rule.FILE and (arguments.topic or arguments.all_topics):
        raise UsageError("--from-file says itself which partitions: leave --topic and --all-topics out")
    if target.rule is not Rule.FILE and not arguments.topic and not arguments.all_topics:
        raise UsageError("of which topics? Say --topic T, --topic T:0,1 or --all-topics")


@dataclass(frozen=True, slots=True)
class _Found:
    moves: Sequence[Move]
    is_whole: bool = True
    executed: bool | None = False
    """None: nobody knows."""


async def _moves_of(
    cluster: Cluster,
    arguments: argparse.Namespace,
    group: str,
    target: Target,
    from_file: Mapping[TopicPartition, int],
) -> _Found:
    """What was, or would be done to one group; if that is not all that was asked for, it has been said why."""
    from muster.client.failure import ClientError
    from muster.client.reset_outcome import carry_out
    from muster.client.reset_plan import CannotShift, planned

    try:
        refusal, is_final = await _refusal(cluster, group, may_create=arguments.create)
        if refusal:
            note(_COMMAND, refusal)
            if is_final or arguments.execute:
                return _Found([], is_whole=False)
        places = list(from_file) or await _scope(cluster, arguments, group)
        moves = await planned(cluster, group, places, target, from_file)
        if not arguments.execute:
            return _Found(moves)
        outcome = await carry_out(cluster, group, moves)
        if outcome.failure is not None:
            note(_COMMAND, f"group {group}: {_what_was_done(outcome, moves)}")
        return _Found(outcome.done, outcome.failure is None, True if outcome.unread is None else None)
    except (ClientError, CannotShift) as failure:
        note(_COMMAND, f"group {group}: {failure}")
        return _Found([], is_whole=False)


def _what_was_done(outcome: ResetOutcome, planned: Sequence[Move]) -> str:
    """Of a reset that failed."""
    from muster.client.reset_outcome import changes_of
    from muster.wire.errors import ILLEGAL_GENERATION, REBALANCE_IN_PROGRESS, UNKNOWN_MEMBER_ID

    failure = outcome.failure
    assert failure is not None
    if outcome.unread is not None:
        return f"{failure} Nobody knows which of the {len(planned)} offsets were set: {outcome.unread}"
    if outcome.done:
        return (
            f"only {len(outcome.done)} of {len(changes_of(planned))} offsets were set, those that are listed. {failure}"
        )
    if failure.code in (UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION, REBALANCE_IN_PROGRESS):
        return f"somebody joined it meanwhile ({failure.name}): nothing was changed"
    return outcome.told


async def _refusal(cluster: Cluster, group_id: str, *, may_create: bool) -> tuple[str, bool]:
    """Why the group may not be reset, or nothing; and whether there can be no plan either.

    A group that does not exist has one, but a misspelt name must not make a group that nobody reads with.
    """
    from muster.client.admin import describe_groups

    (group,) = await describe_groups(cluster, [group_id])
    if not group.exists and not may_create:
        unknown = str(await unknown_group(cluster, group_id, "reset"))
        return f"{unknown.rstrip('.')}, or say --create: then these commits make it", False
    if group.state in ("Empty", "Dead"):
        return "", False
    members = f"{len(group.members)} member" + ("" if len(group.members) == 1 else "s")
    return (
        f"group {group_id} is {group.state} with {members}: offsets can only be reset while nobody is in the group."
        f" Stop its members first (`muster groups members {group_id}` shows them).",
        True,
    )


async def _scope(cluster: Cluster, arguments: argparse.Namespace, group: str) -> Sequence[TopicPartition]:
    from muster.client.admin import committed_offsets

    if arguments.topic:
        return await places_of(cluster, arguments.topic, "--topic")
    committed = await committed_offsets(cluster, group)
    return await places_of(cluster, list(dict.fromkeys(place.topic for place in sorted(committed))), "--all-topics")


def _show(arguments: argparse.Namespace, moves: list[tuple[Move, bool | None]], *, with_group: bool) -> None:
    if arguments.export:
        from muster.client.reset_file import write_plan

        known = [move for move, executed in moves if executed is not None]
        write_plan(known, sys.stdout, with_group=with_group)
    else:
        rows = [_row(move, executed) for move, executed in moves]
        columns = _COLUMNS if any(move.why for move, _ in moves) else _COLUMNS[:-1]
        show(columns, rows, as_json=arguments.json, empty="there is nothing to reset")
    if moves and not arguments.execute:
        note(_COMMAND, "this was a dry run; add --execute to do it")


def _row(move: Move, executed: bool | None) -> dict[str, Any]:
    return {
        "group": move.group,
        "topic": move.place.topic,
        "partition": move.place.partition,
        "committed": move.committed,
        "new": move.new,
        "note": move.why,
        "executed": executed,
    }
