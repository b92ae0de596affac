"""Whom a quota is for, as flags: --for-user, --for-client-id, --for-ip, and the defaults. For all actions of `muster quotas`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from muster.cli.support.tables import Column
from muster.cli.support.usage_error import UsageError
from muster.security.quota_entities import CLIENT_ID, IP, USER, QuotaRefused, checked_entity

if TYPE_CHECKING:
    from muster.security.quota_entities import Entity

TYPES: Final = (USER, CLIENT_ID, IP)
COLUMNS: Final = (
    Column("for", "for"),
    Column("quota", "quota"),
    Column("value", "value", right=True, render="{:.12g}".format),
)


def add_whom_arguments(parser: argparse.ArgumentParser) -> None:
    for each, what in ((USER, "user"), (CLIENT_ID, "client id"), (IP, "address")):
        choice = parser.add_mutually_exclusive_group()
        choice.add_argument(f"--for-{each}", metavar="NAME", help=f"this {what}")
        choice.add_argument(f"--for-any-{each}", action="store_true", help=f"every {what} that has no quota of its own")


def names_of(arguments: argparse.Namespace) -> dict[str, str | None]:
    """type -> name, None for the default; without those that no flag names."""
    names: dict[str, str | None] = {}
    for each in TYPES:
        flag = each.replace("-", "_")
        name = getattr(arguments, f"for_{flag}")
        if name is not None or getattr(arguments, f"for_any_{flag}"):
            names[each] = name
    return names


def entity_of(arguments: argparse.Namespace) -> Entity:
    """UsageError if the flags name nobody, or what cannot be."""
    names = names_of(arguments)
    if not names:
        raise UsageError(
            "for whom? Name --for-user, --for-client-id (or both) or --for-ip, or a default such as --for-any-user"
        )
    try:
        return checked_entity(names.items())
    except QuotaRefused as refused:
        raise UsageError(str(refused)) from None


def row(entity: Entity, key: str, value: float | None) -> dict[str, object]:
    return {"for": str(entity), "entity": dict(entity.names), "quota": key, "value": value}
