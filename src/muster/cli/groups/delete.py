"""`muster groups delete GROUP...`: groups and all that they have committed, for good. Only groups without members."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from muster.cli.exit_codes import DONE, FAILED
from muster.cli.groups.chosen import add_group_arguments, chosen_groups, unknown_group
from muster.cli.support.cluster_command import note, run_with_cluster
from muster.cli.support.connection_flags import add_connection_arguments
from muster.cli.support.tables import Column, show

if TYPE_CHECKING:
    from muster.client.cluster import Cluster

_COMMAND: Final = "groups delete"
_COLUMNS: Final = (Column("group", "group"), Column("deleted", "deleted", render=lambda yes: "yes" if yes else "no"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_group_arguments(parser)
    parser.add_argument("--json", action="store_true", help="a JSON object a group")
    add_connection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    async def work(cluster: Cluster) -> int:
        from muster.client.admin import delete_groups
        from muster.wire.errors import GROUP_ID_NOT_FOUND

        outcome = await delete_groups(cluster, await chosen_groups(cluster, arguments))
        rows = []
        for group, failure in outcome.items():
            if failure is not None:
                unknown = failure.code == GROUP_ID_NOT_FOUND
                note(_COMMAND, await unknown_group(cluster, group, "delete") if unknown else failure)
            rows.append({"group": group, "deleted": failure is None, "error": failure.name if failure else None})
        show(_COLUMNS, rows, as_json=arguments.json, empty="no groups")
        return DONE if all(failure is None for failure in outcome.values()) else FAILED

    return run_with_cluster(_COMMAND, arguments, work)
