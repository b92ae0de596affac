"""`muster groups offsets GROUP...`: what each group has committed, where the logs end, how far behind it is, who reads."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from muster.cli.exit_codes import DONE
from muster.cli.groups.chosen import add_group_arguments, described_as_far_as_known
from muster.cli.groups.positions import positions_of
from muster.cli.support.cluster_command import note, run_with_cluster
from muster.cli.support.connection_flags import add_connection_arguments
from muster.cli.support.tables import Column, show

if TYPE_CHECKING:
    from muster.client.cluster import Cluster

GROUP: Final = Column("group", "group")
COLUMNS: Final = (
    Column("topic", "topic"),
    Column("partition", "partition", right=True),
    Column("committed", "committed", right=True),
    Column("end", "end", right=True),
    Column("lag", "lag", right=True),
    Column("member", "member_id"),
    Column("host", "host"),
    Column("client", "client_id"),
)
VERBOSE: Final = (
    Column("instance", "instance_id"),
    Column("epoch", "leader_epoch", right=True),
    Column("metadata", "metadata"),
    Column("final", "is_unstable", render=lambda unstable: "no" if unstable else "yes"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_group_arguments(parser)
    parser.add_argument(
        "--verbose",
        action="store_true",
        help="group instance id, leader epoch, metadata too, and whether an open transaction is about to change the offset",
    )
    parser.add_argument("--json", action="store_true", help="a JSON object a partition")
    add_connection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    command = "groups offsets"

    async def work(cluster: Cluster) -> int:
        groups, code = await described_as_far_as_known(cluster, arguments, command)
        rows, unknown = await positions_of(cluster, groups)
        for failure in unknown:
            note(command, failure)
        columns = (GROUP, *COLUMNS, *(VERBOSE if arguments.verbose else ()))
        show(columns, rows, as_json=arguments.json, empty="nothing is committed" if code == DONE else "")
        return code

    return run_with_cluster(command, arguments, work)
