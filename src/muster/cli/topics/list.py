"""`muster topics list [PATTERN...]`: which topics there are, without the brokers' own unless asked for."""

from __future__ import annotations

import argparse
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from muster.cli.exit_codes import DONE
from muster.cli.support.cluster_command import run_with_cluster
from muster.cli.support.connection_flags import add_connection_arguments
from muster.cli.support.tables import Column, show

if TYPE_CHECKING:
    from muster.client.cluster import Cluster

_COLUMNS: Final = (
    Column("topic", "topic"),
    Column("partitions", "partitions", right=True),
    Column("replicas", "replicas", right=True),
    Column("internal", "internal", render=lambda yes: "yes" if yes else "no"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("patterns", metavar="PATTERN", nargs="*", help="only names like this; * stands for anything")
    parser.add_argument("--internal", action="store_true", help="also those that brokers keep for themselves")
    parser.add_argument("--json", action="store_true", help="a JSON object a topic")
    add_connection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    async def work(cluster: Cluster) -> int:
        from muster.client.admin import list_topics

        rows = [
            {
                "topic": each.name,
                "partitions": len(each.partitions),
                "replicas": max((len(part.replicas) for part in each.partitions), default=0),
                "internal": each.is_internal,
            }
            for each in await list_topics(cluster, internal=arguments.internal)
            if not arguments.patterns or any(fnmatchcase(each.name, pattern) for pattern in arguments.patterns)
        ]
        columns = _COLUMNS if arguments.internal else _COLUMNS[:-1]
        show(columns, rows, as_json=arguments.json, empty="no topics")
        return DONE

    return run_with_cluster("topics list", arguments, work)
