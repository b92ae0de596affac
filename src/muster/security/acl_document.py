"""The document in which ACLs survive a restart: `acls.json` beside the logs.

Knows the layout, nothing else. Written for people too: who has lost every right to change ACLs over the network can edit it
while the server is stopped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from enum import IntEnum
from typing import Final, TypeVar

from muster.log.contract import StorageError
from muster.security.acls import Acl
from muster.security.resources import Operation, Pattern, Permission, ResourceType

DOCUMENT: Final = "acls.json"
VERSION: Final = 1

_E = TypeVar("_E", bound=IntEnum)
_PATTERNS = (Pattern.LITERAL, Pattern.PREFIXED)


def encode_lines(lines: Iterable[str]) -> bytes:
    """Of ACLs that were encoded before: a change of one ACL among thousands encodes that one."""
    text = ",\n".join(lines)
    return f'{{"version": {VERSION}, "acls": [\n{text}\n]}}\n'.encode()


def encode_acl(acl: Acl) -> str:
    return "  " + json.dumps(acl_object(acl), ensure_ascii=False)


def acl_object(acl: Acl) -> dict[str, str]:
    return {
        "permission": acl.permission.name,
        "principal": acl.principal,
        "host": acl.host,
        "operation": acl.operation.name,
        "resource": acl.resource_type.name,
        "pattern": acl.pattern.name,
        "name": acl.name,
    }


def decode_acls(content: bytes | None) -> list[Acl]:
    """What was stored; nothing if nothing was. A document that cannot be read is a StorageError: opening the doors, or
    closing them to everybody, because a file is damaged would be the worst answer."""
    if content is None:
        return []
    try:
        document = json.loads(content)
        version = document["version"]
        if version != VERSION:
            raise StorageError(
                f"{DOCUMENT} has version {version}, this server reads version {VERSION}: "
                "it was written by another release, start that one or restore the file from a backup"
            )
        return [_acl(entry, number) for number, entry in enumerate(document["acls"], start=1)]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StorageError(
            f"{DOCUMENT} cannot be read: {type(error).__name__} {error}. Nothing was changed. Restore it from a backup, "
            "mend it, or move it away to start without ACLs: only super users may do anything then"
        ) from error


def _acl(entry: dict[str, object], number: int) -> Acl:
    where = f"in ACL {number}"
    pattern = _member(Pattern, entry, "pattern", where)
    if pattern not in _PATTERNS:
        raise ValueError(f"{where} pattern is {pattern.name}, it must be LITERAL or PREFIXED")
    principal, name = _text(entry, "principal", where), _text(entry, "name", where)
    if ":" not in principal or not name:
        raise ValueError(f"{where} principal {principal!r} or name {name!r} cannot be")
    return Acl(
        _member(ResourceType, entry, "resource", where),
        name,
        pattern,
        principal,
        _text(entry, "host", where),
        _member(Operation, entry, "operation", where),
        _member(Permission, entry, "permission", where),
    )


def _text(entry: dict[str, object], key: str, where: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str):
        raise ValueError(f"{where} {key} is {value!r}, it must be a text")
    return value


def _member(kind: type[_E], entry: dict[str, object], key: str, where: str) -> _E:
    text = _text(entry, key, where)
    try:
        return kind[text]
    except KeyError:
        known = ", ".join(member.name for member in kind)
        raise ValueError(f"{where} {key} is {text!r}, it must be one of {known}") from None
