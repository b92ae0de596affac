"""`muster topics delete NAME...`: for good, with all that is in them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from muster.cli.exit_codes import DONE, FAILED
from muster.cli.support.cluster_command import note, run_with_cluster
from muster.cli.support.connection_flags import add_connection_arguments
from muster.cli.support.tables import Column, show
from muster.cli.support.topic_places import unknown_topic

if TYPE_CHECKING:
    from muster.client.cluster import Cluster

_COMMAND: Final = "topics delete"
_COLUMNS: Final = (Column("topic", "topic"), Column("outcome", "outcome"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", metavar="NAME", nargs="+")
    parser.add_argument("--if-exists", action="store_true", help="one that is not there is no failure")
    parser.add_argument("--json", action="store_true", help="a JSON object a topic")
    add_connection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    async def work(cluster: Cluster) -> int:
        from muster.client.admin import delete_topics
        from muster.wire.errors import UNKNOWN_TOPIC_OR_PARTITION

        rows = []
        code = DONE
        for name, failure in (await delete_topics(cluster, list(dict.fromkeys(arguments.names)))).items():
            outcome = "deleted"
            if failure is not None:
                outcome = failure.name
                is_unknown = failure.code == UNKNOWN_TOPIC_OR_PARTITION
                if is_unknown and arguments.if_exists:
                    outcome = "does not exist"
                else:
                    note(_COMMAND, await unknown_topic(cluster, name, "delete") if is_unknown else failure)
                    code = FAILED
            rows.append({"topic": name, "outcome": outcome})
        if arguments.json or code == DONE or len(rows) > 1:
            show(_COLUMNS, rows, as_json=arguments.json)
        return code

    return run_with_cluster(_COMMAND, arguments, work)
