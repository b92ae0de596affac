"""`muster topics alter NAME`: more partitions, other settings. What is not named stays as it is."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, Final

from muster.cli.exit_codes import DONE
from muster.cli.support.cluster_command import note, run_with_cluster
from muster.cli.support.connection_flags import add_connection_arguments
from muster.cli.support.numbers import int32
from muster.cli.support.tables import Column, show
from muster.cli.support.topic_places import known_topics
from muster.cli.support.usage_error import UsageError
from muster.cli.support.usage_parser import did_you_mean
from muster.cli.topics.settings import parse_settings

if TYPE_CHECKING:
    from muster.client.cluster import Cluster

_COMMAND: Final = "topics alter"
_COLUMNS: Final = (Column("topic", "topic"), Column("change", "change"), Column("was", "was"), Column("is", "is"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--partitions", metavar="N", type=int32, help="have N in all; never fewer than now")
    parser.add_argument("--config", metavar="NAME=VALUE", action="append", default=[], help="may be repeated")
    parser.add_argument("--delete-config", metavar="NAME", action="append", default=[], help="back to the default")
    parser.add_argument("--dry-run", action="store_true", help="let the broker check it, and change nothing")
    parser.add_argument("--json", action="store_true", help="a JSON object a change")
    add_connection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    async def work(cluster: Cluster) -> int:
        from muster.client.admin import add_partitions, alter_topic_configs

        settings = parse_settings(arguments.config)
        if arguments.partitions is None and not settings and not arguments.delete_config:
            raise UsageError("what should change? Say --partitions, --config or --delete-config")
        before = await _known_settings(cluster, arguments, settings)
        rows = []
        if settings or arguments.delete_config:
            dry_run, remove = arguments.dry_run, arguments.delete_config
            await alter_topic_configs(cluster, arguments.name, settings, remove=remove, validate_only=dry_run)
            after = {**before, **settings} if dry_run else await _settings(cluster, arguments.name)
            rows += [
                _row(arguments.name, key, before.get(key), "(default)" if dry_run and key in remove else after.get(key))
                for key in (*settings, *remove)
            ]
        if arguments.partitions is not None:
            (described,) = await known_topics(cluster, [arguments.name], "alter")
            count = len(described.partitions)
            await add_partitions(cluster, arguments.name, arguments.partitions, validate_only=arguments.dry_run)
            rows.append(_row(arguments.name, "partitions", str(count), str(arguments.partitions)))
        show(_COLUMNS, rows, as_json=arguments.json)
        if arguments.dry_run:
            note(_COMMAND, "this was a dry run: nothing has changed")
        return DONE

    return run_with_cluster(_COMMAND, arguments, work)


async def _known_settings(
    cluster: Cluster, arguments: argparse.Namespace, settings: dict[str, str]
) -> dict[str, str | None]:
    """The topic's settings now; UsageError if one is to be changed that there is not."""
    await known_topics(cluster, [arguments.name], "alter")
    if not settings and not arguments.delete_config:
        return {}
    known = await _settings(cluster, arguments.name)
    for flag, names in (("--config", settings), ("--delete-config", arguments.delete_config)):
        for name in names:
            if name not in known:
                near = did_you_mean(name, known) or ";"
                raise UsageError(
                    f"{flag} {name}: topics have no such setting{near} `muster topics describe --configs` shows all"
                )
    return known


async def _settings(cluster: Cluster, topic: str) -> dict[str, str | None]:
    from muster.client.admin import topic_configs

    return {each.name: each.value for each in await topic_configs(cluster, topic)}


def _row(topic: str, change: str, was: str | None, now: str | None) -> dict[str, Any]:
    return {"topic": topic, "change": change, "was": was, "is": now}
