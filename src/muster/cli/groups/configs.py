"""`muster groups configs GROUP`: the settings that a consumer group has for itself, and changing them. The group need not exist."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, Final

from muster.cli.exit_codes import DONE
from muster.cli.support.cluster_command import note, run_with_cluster
from muster.cli.support.connection_flags import add_connection_arguments
from muster.cli.support.tables import Column, show
from muster.cli.support.usage_error import UsageError
from muster.cli.support.usage_parser import did_you_mean

if TYPE_CHECKING:
    from muster.client.cluster import Cluster

_COMMAND: Final = "groups configs"
_COLUMNS: Final = (Column("setting", "name"), Column("value", "value"), Column("from", "source"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("group", metavar="GROUP")
    parser.add_argument("--set", metavar="NAME=VALUE", action="append", default=[], help="may be repeated")
    parser.add_argument("--delete", metavar="NAME", action="append", default=[], help="back to the brokers' value")
    parser.add_argument("--dry-run", action="store_true", help="let the broker check it, and change nothing")
    parser.add_argument("--json", action="store_true", help="a JSON object a setting")
    add_connection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    async def work(cluster: Cluster) -> int:
        from muster.client.admin import alter_group_configs

        values = _values(arguments.set)
        rows = await _rows(cluster, arguments.group)
        _check_names([*values, *arguments.delete], [row["name"] for row in rows])
        if values or arguments.delete:
            dry_run = arguments.dry_run
            await alter_group_configs(cluster, arguments.group, values, remove=arguments.delete, validate_only=dry_run)
            rows = rows if dry_run else await _rows(cluster, arguments.group)
        show(_COLUMNS, rows, as_json=arguments.json)
        if arguments.dry_run:
            note(_COMMAND, "this was a dry run: nothing has changed")
        return DONE

    return run_with_cluster(_COMMAND, arguments, work)


def _values(texts: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--set {text}: write NAME=VALUE, like consumer.session.timeout.ms=50000")
        found[name.strip()] = value.strip()
    return found


def _check_names(names: list[str], known: list[str]) -> None:
    for name in names:
        if name not in known:
            near = did_you_mean(name, known) or ";"
            raise UsageError(f"{name}: groups have no such setting{near} `muster groups configs GROUP` shows all")


async def _rows(cluster: Cluster, group: str) -> list[dict[str, Any]]:
    from muster.client.admin import group_configs

    return [
        {"group": group, "name": each.name, "value": each.value, "source": each.source}
        for each in await group_configs(cluster, group)
    ]
