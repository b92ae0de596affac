"""`muster quotas set QUOTA=NUMBER...`: for a user, a client id, both, or an address. In force with the next request."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from muster.cli.exit_codes import DONE
from muster.cli.quotas.whom import COLUMNS, add_whom_arguments, entity_of, row
from muster.cli.support.cluster_command import run_with_cluster
from muster.cli.support.connection_flags import add_connection_arguments
from muster.cli.support.tables import show
from muster.cli.support.usage_error import UsageError
from muster.cli.support.usage_parser import did_you_mean
from muster.security.quota_entities import QuotaRefused, check_value, keys_of

if TYPE_CHECKING:
    from muster.client.cluster import Cluster
    from muster.security.quota_entities import Entity

_COMMAND: Final = "quotas set"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("quotas", metavar="QUOTA=NUMBER", nargs="+")
    add_whom_arguments(parser)
    parser.add_argument("--dry-run", action="store_true", help="ask whether it could be set, set nothing")
    parser.add_argument("--json", action="store_true", help="a JSON object a quota")
    add_connection_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    async def work(cluster: Cluster) -> int:
        from muster.client.quotas import alter_quotas

        entity = entity_of(arguments)
        values = _values(entity, arguments.quotas)
        await alter_quotas(cluster, entity, values, validate_only=arguments.dry_run)
        show(COLUMNS, [row(entity, key, value) for key, value in values.items()], as_json=arguments.json)
        return DONE

    return run_with_cluster(_COMMAND, arguments, work)


def _values(entity: Entity, texts: list[str]) -> dict[str, float]:
    values: dict[str, float] = {}
    for text in texts:
        key, _, number = text.partition("=")
        try:
            value = float(number)
        except ValueError:
            raise UsageError(f"{text!r} is not QUOTA=NUMBER, such as producer_byte_rate=1048576") from None
        if key not in keys_of(entity):
            raise UsageError(_unknown_quota(entity, key))
        if key in values:
            raise UsageError(f"{key} is set twice")
        try:
            check_value(entity, key, value)
        except QuotaRefused as refused:
            raise UsageError(f"{text!r}: {refused}") from None
        values[key] = value
    return values


def _unknown_quota(entity: Entity, key: str) -> str:
    known = keys_of(entity)
    near = did_you_mean(key, known)
    return f"{key}: {entity} has no such quota{near or '.'} There are {', '.join(known)}"
