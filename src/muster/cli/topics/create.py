"""`muster topics create NAME...`: with the brokers' defaults for what is not said."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from muster.cli.exit_codes import DONE, FAILED
from muster.cli.support.cluster_command import note, run_with_cluster
from muster.cli.support.connection_flags import add_connection_arguments
from muster.cli.support.numbers import int16, int32
from muster.cli.support.tables import Column, show
from muster.cli.support.usage_error import UsageError
from muster.cli.topics.settings import parse_settings

if TYPE_CHECKING:
    from muster.client.cluster import Cluster

_COMMAND: Final = "topics create"
_COLUMNS: Final = (Column("topic", "topic"), Column("outcome", "outcome"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", metavar="NAME", nargs="+")
    parser.add_argument("--partitions", metavar="N", type=int32, help="(default: the broker's num.partitions)")
    parser.add_argument("--replication", metavar="N", type=int16, help="(default: the broker's)")
    parser.add_argument("--config", metavar="NAME=VALUE", action="append", default=[], help="may be repeated")
    parser.add_argument("--if-not-exists", action="store_true", help="one that is there already is left as it is")
    parser.add_argument("--dry-run", action="store_true", help="let the broker check it, and make nothing")
    parser.add_argument("--json", action="store_true", help="a JSON object a topic")
    add_connection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    async def work(cluster: Cluster) -> int:
        from muster.client.failure import ClientError
        from muster.wire.errors import TOPIC_ALREADY_EXISTS

        settings = parse_settings(arguments.config)
        for flag, number in (("--partitions", arguments.partitions), ("--replication", arguments.replication)):
            if number is not None and number < 1:
                raise UsageError(f"{flag} {number}: give 1 or more")
        rows = []
        code = DONE
        for name in arguments.names:
            try:
                await _create(cluster, arguments, name, settings)
                outcome = "could be created" if arguments.dry_run else "created"
            except ClientError as failure:
                if failure.code == TOPIC_ALREADY_EXISTS and arguments.if_not_exists:
                    outcome = "exists already"
                else:
                    note(_COMMAND, failure)
                    outcome, code = failure.name, FAILED
            rows.append({"topic": name, "outcome": outcome})
        if arguments.json or code == DONE or len(rows) > 1:
            show(_COLUMNS, rows, as_json=arguments.json)
        return code

    return run_with_cluster(_COMMAND, arguments, work)


async def _create(cluster: Cluster, arguments: argparse.Namespace, name: str, settings: dict[str, str]) -> None:
    from muster.client.admin import create_topic
    from muster.client.topics import DEFAULT

    await create_topic(
        cluster,
        name,
        arguments.partitions or DEFAULT,
        replication=arguments.replication or DEFAULT,
        configs=settings,
        validate_only=arguments.dry_run,
    )
