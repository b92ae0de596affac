"""`muster groups describe GROUP...`: state, members and offsets of each, or the one of these that is asked for."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, Final

from muster.cli.groups.chosen import add_group_arguments, described_as_far_as_known
from muster.cli.groups.holders import holder_lines, holder_rows
from muster.cli.groups.members import member_columns, member_rows
from muster.cli.groups.offsets import COLUMNS as OFFSET_COLUMNS
from muster.cli.groups.offsets import VERBOSE as VERBOSE_OFFSET_COLUMNS
from muster.cli.groups.positions import positions_of, total_lag
from muster.cli.groups.unstable import held_by_rows, unstable_line
from muster.cli.support.cluster_command import note, run_with_cluster
from muster.cli.support.connection_flags import add_connection_arguments
from muster.cli.support.tables import Column, print_json_lines, show
from muster.explain.words import plural

if TYPE_CHECKING:
    from muster.client.cluster import Cluster
    from muster.client.groups import GroupDescription

_COMMAND: Final = "groups describe"
_GROUP: Final = Column("group", "group")
_STATE: Final = (
    _GROUP,
    Column("state", "state"),
    Column("type", "type"),
    Column("assignor", "assignor"),
    Column("members", "member_count", right=True),
    Column("lag", "lag", right=True),
    Column("coordinator", "coordinator"),
)
_CONSUMER_STATE: Final = (
    *_STATE[:5],
    Column("epoch", "epoch", right=True),
    Column("target epoch", "target_epoch", right=True),
    *_STATE[5:],
)
_ALL: Final = ("state", "members", "offsets")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_group_arguments(parser)
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--state", dest="part", action="store_const", const="state", help="only the state")
    part.add_argument("--members", dest="part", action="store_const", const="members", help="only the members")
    part.add_argument("--offsets", dest="part", action="store_const", const="offsets", help="only the offsets")
    parser.add_argument("--verbose", action="store_true", help="assignments, leader epochs and metadata too")
    parser.add_argument("--json", action="store_true", help="a JSON object a group, with all of it")
    add_connection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    async def work(cluster: Cluster) -> int:
        parts = (arguments.part,) if arguments.part else _ALL
        groups, code = await described_as_far_as_known(cluster, arguments, _COMMAND)
        for number, group in enumerate(groups):
            facts = await _facts(cluster, group, parts)
            if arguments.json:
                print_json_lines([_as_json(facts, parts)])
                continue
            if number:
                print()
            _print(facts, parts, group, verbose=arguments.verbose)
        return code

    return run_with_cluster(_COMMAND, arguments, work)


async def _facts(cluster: Cluster, group: GroupDescription, parts: tuple[str, ...]) -> dict[str, Any]:
    from muster.core.offsets.tracked_query import newest_query

    offsets, unknown = await positions_of(cluster, [group])
    for failure in unknown:
        note(_COMMAND, failure)
    held_by, unseen = await held_by_rows(cluster, group.group_id, offsets)
    if unseen is not None:
        note(_COMMAND, unseen)
    address = cluster.brokers.get(group.coordinator)
    state = {
        "group": group.group_id,
        "state": group.state,
        "type": group.type,
        "protocol_type": group.protocol_type,
        "assignor": group.assignor,
        "member_count": len(group.members),
        "epoch": group.epoch,
        "target_epoch": group.target_epoch,
        "lag": total_lag(offsets),
        "unknown_lag": sum(row["lag"] is None for row in offsets),
        "coordinator": f"{address} ({group.coordinator})" if address else str(group.coordinator),
    }
    holders = await holder_rows(cluster, group) if "offsets" not in parts or len(parts) > 1 else []
    return {
        "state": state,
        "members": member_rows(group),
        "offsets": offsets,
        "held_by": held_by,
        "holders": holders,
        "tracked": newest_query(row["metadata"] or "" for row in offsets),
    }


def _as_json(facts: dict[str, Any], parts: tuple[str, ...]) -> dict[str, Any]:
    """One object: what a group is, and below it its members and partitions without its name."""
    found: dict[str, Any] = dict(facts["state"]) if "state" in parts else {"group": facts["state"]["group"]}
    for part in ("members", "offsets"):
        if part in parts:
            found[part] = [{name: row[name] for name in row if name != "group"} for row in facts[part]]
    if "offsets" in parts:
        found["held_by"] = facts["held_by"]
        found["tracked_query"] = None if facts["tracked"] is None else facts["tracked"].to_json()
    if "members" in parts or "state" in parts:
        found["holding_back"] = [each.to_json() for each in facts["holders"]]
    return found


def _print(facts: dict[str, Any], parts: tuple[str, ...], described: GroupDescription, *, verbose: bool) -> None:
    group = facts["state"]["group"]
    members = member_columns([described], verbose=verbose)
    offsets = (*OFFSET_COLUMNS, *(VERBOSE_OFFSET_COLUMNS if verbose else ()))
    if "state" in parts:
        show(_STATE if described.epoch is None else _CONSUMER_STATE, [facts["state"]], as_json=False)
        if unknown := facts["state"]["unknown_lag"]:
            print(f"not in the lag: {plural(unknown, 'partition')} without a committed offset or a known end")
    if facts["tracked"] is not None:
        from muster.explain.tracked_query import tell_tracked

        print(f"\n{tell_tracked(facts['tracked'])}")
    for line in holder_lines(facts["holders"]):
        print(line)
    if "members" in parts:
        _print_part((_GROUP, *members), facts["members"], f"group {group} has no members", len(parts))
    if "offsets" in parts:
        empty = f"group {group} has committed nothing"
        _print_part((_GROUP, *offsets), facts["offsets"], empty, len(parts))
        line = unstable_line(facts["offsets"], facts["held_by"])
        if line:
            print(f"\n{line}")


def _print_part(columns: tuple[Column, ...], rows: list[dict[str, Any]], empty: str, parts: int) -> None:
    if parts > 1:
        print()
    if rows:
        show(columns, rows, as_json=False)
    else:
        print(empty)
