"""`muster groups list`: which groups there are, of which type and in which state."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from muster.cli.exit_codes import DONE
from muster.cli.support.cluster_command import note, run_with_cluster, side_by_side
from muster.cli.support.connection_flags import add_connection_arguments
from muster.cli.support.tables import Column, show
from muster.cli.support.word_choice import chosen_words

if TYPE_CHECKING:
    from muster.client.cluster import Cluster
    from muster.client.groups import GroupListing

STATES: Final = (
    "Empty",
    "PreparingRebalance",
    "CompletingRebalance",
    "Stable",
    "Assigning",
    "Reconciling",
    "NotReady",
    "Dead",
)
TYPES: Final = ("classic", "consumer", "share", "streams")
_COLUMNS: Final = (
    Column("group", "group"),
    Column("state", "state"),
    Column("type", "type"),
    Column("protocol", "protocol_type"),
)
_VERBOSE: Final = (
    Column("members", "member_count", right=True),
    Column("assignor", "assignor"),
    Column("coordinator", "coordinator", right=True),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--state", metavar="STATE", action="append", help="only these; with commas, or repeated")
    parser.add_argument("--type", metavar="TYPE", action="append", help=f"only these: {', '.join(TYPES)}")
    parser.add_argument("--verbose", action="store_true", help="members, assignor and coordinator too")
    parser.add_argument("--json", action="store_true", help="a JSON object a group")
    add_connection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    async def work(cluster: Cluster) -> int:
        from muster.client.admin import list_groups

        states = chosen_words(arguments.state, "--state", STATES)
        types = chosen_words(arguments.type, "--type", TYPES)
        listed = await list_groups(cluster, states, types)
        rows = [_row(each) for each in listed]
        if arguments.verbose:
            await _add_details(cluster, rows)
        columns = (*_COLUMNS, *_VERBOSE) if arguments.verbose else _COLUMNS
        show(columns, rows, as_json=arguments.json, empty="no groups")
        return DONE

    return run_with_cluster("groups list", arguments, work)


def _row(group: GroupListing) -> dict[str, Any]:
    return {"group": group.group_id, "state": group.state, "type": group.type, "protocol_type": group.protocol_type}


async def _add_details(cluster: Cluster, rows: list[dict[str, Any]]) -> None:
    from muster.client.admin import describe_groups
    from muster.client.failure import ClientError

    found = await side_by_side([partial(describe_groups, cluster, [row["group"]]) for row in rows])
    for row, described in zip(rows, found, strict=True):
        if isinstance(described, ClientError):
            note("groups list", described)
            row |= {"member_count": None, "assignor": None, "coordinator": None}
            continue
        (group,) = described
        row |= {"member_count": len(group.members), "assignor": group.assignor, "coordinator": group.coordinator}
