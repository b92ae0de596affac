"""`muster quotas remove QUOTA...`: take quotas away; without names, all that are set for exactly this one."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from muster.cli.exit_codes import DONE, FAILED
from muster.cli.quotas.whom import COLUMNS, add_whom_arguments, entity_of, row
from muster.cli.support.cluster_command import note, run_with_cluster
from muster.cli.support.connection_flags import add_connection_arguments
from muster.cli.support.tables import show

if TYPE_CHECKING:
    from muster.client.cluster import Cluster

_COMMAND: Final = "quotas remove"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("quotas", metavar="QUOTA", nargs="*", help="which; none named: all of them")
    add_whom_arguments(parser)
    parser.add_argument("--json", action="store_true", help="a JSON object a quota that is gone")
    add_connection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    async def work(cluster: Cluster) -> int:
        from muster.client.quotas import alter_quotas, list_quotas

        entity = entity_of(arguments)
        found = await list_quotas(cluster, dict(entity.names), strict=True)
        held = {key: value for _, values in found for key, value in values.items()}
        wanted = list(dict.fromkeys(arguments.quotas or held))
        gone = {key: held[key] for key in wanted if key in held}
        missing = [key for key in wanted if key not in held]
        if gone:
            await alter_quotas(cluster, entity, dict.fromkeys(gone))
        show(COLUMNS, [row(entity, key, value) for key, value in gone.items()], as_json=arguments.json)
        if missing or not wanted:
            note(_COMMAND, f"{entity} has no quota {', '.join(missing)}" if missing else f"{entity} has no quotas")
            return FAILED
        return DONE

    return run_with_cluster(_COMMAND, arguments, work)
