"""`muster quotas list`: what is set, and for whom."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from muster.cli.exit_codes import DONE
from muster.cli.quotas.whom import COLUMNS, add_whom_arguments, entity_of, names_of, row
from muster.cli.support.cluster_command import run_with_cluster
from muster.cli.support.connection_flags import add_connection_arguments
from muster.cli.support.tables import show

if TYPE_CHECKING:
    from muster.client.cluster import Cluster

_COMMAND: Final = "quotas list"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_whom_arguments(parser)
    parser.add_argument(
        "--only", action="store_true", help="nothing that names others too: --for-user a without a's client ids"
    )
    parser.add_argument("--json", action="store_true", help="a JSON object a quota")
    add_connection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    async def work(cluster: Cluster) -> int:
        from muster.client.quotas import list_quotas

        names = names_of(arguments)
        if names:
            entity_of(arguments)
        found = await list_quotas(cluster, names, strict=arguments.only)
        rows = [row(entity, key, value) for entity, values in found for key, value in values.items()]
        show(COLUMNS, sorted(rows, key=lambda each: str(each["for"])), as_json=arguments.json, empty="no quotas")
        return DONE

    return run_with_cluster(_COMMAND, arguments, work)
