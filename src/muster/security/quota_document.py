"""The document in which quotas survive a restart: `quotas.json` beside the logs. Knows the layout, nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, TypeAlias

from muster.log.contract import StorageError
from muster.security.quota_entities import Entity, QuotaRefused, check_value, checked_entity

DOCUMENT: Final = "quotas.json"
VERSION: Final = 1

QuotaTable: TypeAlias = Mapping[Entity, Mapping[str, float]]
"""What is set for whom."""


def encode_quotas(quotas: QuotaTable) -> bytes:
    lines = ",\n".join(
        "  " + json.dumps({"entity": dict(entity.names), "values": dict(values)}, ensure_ascii=False)
        for entity, values in quotas.items()
    )
    return f'{{"version": {VERSION}, "quotas": [\n{lines}\n]}}\n'.encode()


def decode_quotas(content: bytes | None) -> dict[Entity, dict[str, float]]:
    """What was stored; nothing if nothing was. StorageError if it cannot be read: nobody is set free by a damaged file."""
    if content is None:
        return {}
    try:
        document = json.loads(content)
        version = document["version"]
        if version != VERSION:
            raise StorageError(
                f"{DOCUMENT} has version {version}, this server reads version {VERSION}: "
                "it was written by another release, start that one or restore the file from a backup"
            )
        return dict(_quota(entry, number) for number, entry in enumerate(document["quotas"], start=1))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StorageError(
            f"{DOCUMENT} cannot be read: {type(error).__name__} {error}. Nothing was changed. Restore it from a backup, "
            "mend it, or move it away to start without quotas"
        ) from error


def _quota(entry: dict[str, dict[str, object]], number: int) -> tuple[Entity, dict[str, float]]:
    names: list[tuple[str, str | None]] = []
    for entity_type, name in entry["entity"].items():
        if name is not None and not isinstance(name, str):
            raise ValueError(f"in quota {number} the name of {entity_type} is {name!r}, it must be a text or null")
        names.append((entity_type, name))
    values: dict[str, float] = {}
    try:
        entity = checked_entity(names)
        for key, value in entry["values"].items():
            if not isinstance(value, int | float):
                raise ValueError(f"in quota {number} {key} is {value!r}, it must be a number")
            check_value(entity, key, value)
            values[key] = float(value)
    except QuotaRefused as refused:
        raise ValueError(f"in quota {number}: {refused}") from None
    return entity, values
