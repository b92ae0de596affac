"""`muster groups members GROUP...`: who is in each group, and what each has."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, Final

from muster.cli.exit_codes import DONE
from muster.cli.groups.chosen import add_group_arguments, described_as_far_as_known
from muster.cli.support.cluster_command import run_with_cluster
from muster.cli.support.connection_flags import add_connection_arguments
from muster.cli.support.tables import Column, show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from muster.client.cluster import Cluster
    from muster.client.groups import GroupDescription


def said_partitions(assignment: dict[str, list[int]]) -> str:
    from muster.explain.words import partitions

    return partitions((topic, number) for topic, numbers in assignment.items() for number in numbers)


GROUP: Final = Column("group", "group")
COLUMNS: Final = (
    Column("member", "member_id"),
    Column("instance", "instance_id"),
    Column("host", "host"),
    Column("client", "client_id"),
    Column("partitions", "partitions", right=True),
)
VERBOSE: Final = (Column("assignment", "assignment", render=said_partitions),)
EPOCH_COLUMNS: Final = (
    Column("epoch", "epoch", right=True),
    Column("target", "target_partitions", right=True),
    Column("to give up", "gives_up", render=said_partitions),
    Column("to get", "gets", render=said_partitions),
)
"""Of consumer groups (KIP-848): where each member is on its way to the target."""
EPOCH_VERBOSE: Final = (Column("target assignment", "target", render=said_partitions),)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_group_arguments(parser)
    parser.add_argument("--verbose", action="store_true", help="which partitions each has")
    parser.add_argument("--json", action="store_true", help="a JSON object a member")
    add_connection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    command = "groups members"

    async def work(cluster: Cluster) -> int:
        groups, code = await described_as_far_as_known(cluster, arguments, command)
        rows = [row for group in groups for row in member_rows(group)]
        columns = (GROUP, *member_columns(groups, verbose=arguments.verbose))
        show(columns, rows, as_json=arguments.json, empty="no members" if code == DONE else "")
        return code

    return run_with_cluster(command, arguments, work)


def member_columns(groups: Sequence[GroupDescription], *, verbose: bool) -> tuple[Column, ...]:
    with_epochs = any(group.epoch is not None for group in groups)
    columns = (*COLUMNS, *EPOCH_COLUMNS) if with_epochs else COLUMNS
    if verbose:
        columns = (*columns, *VERBOSE, *(EPOCH_VERBOSE if with_epochs else ()))
    return columns


def member_rows(group: GroupDescription) -> list[dict[str, Any]]:
    from muster.client.partitions import by_topic

    return [
        {
            "group": group.group_id,
            "member_id": each.member_id,
            "instance_id": each.instance_id,
            "host": each.host,
            "client_id": each.client_id,
            "topics": list(each.topics),
            "partitions": len(each.assignment),
            "assignment": by_topic(each.assignment),
            "epoch": each.epoch,
            "target": by_topic(each.target),
            "target_partitions": len(each.target),
            "gives_up": by_topic(sorted(set(each.assignment) - set(each.target))),
            "gets": by_topic(sorted(set(each.target) - set(each.assignment))),
        }
        for each in group.members
    ]
