"""The document in which the settings of groups survive a restart: `group-configs.json`. Knows the layout, nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from muster.log.contract import StorageError

DOCUMENT: Final = "group-configs.json"
VERSION: Final = 1

GroupSettings: TypeAlias = dict[str, dict[str, str]]
"""Group -> setting -> value."""


def encode_group_configs(groups: Mapping[str, Mapping[str, str]]) -> bytes:
    import json  # not at every start

    lines = ",\n".join(f"  {json.dumps(group)}: {json.dumps(dict(own))}" for group, own in sorted(groups.items()))
    return f'{{"version": {VERSION}, "groups": {{\n{lines}\n}}}}\n'.encode()


def decode_group_configs(content: bytes | None) -> GroupSettings:
    """What was stored; nothing if nothing was. StorageError if it cannot be read."""
    if content is None:
        return {}
    import json

    try:
        document = json.loads(content)
        version = document["version"]
        if version != VERSION:
            raise StorageError(
                f"{DOCUMENT} has version {version}, this server reads version {VERSION}: "
                "it was written by another release, start that one or restore the file from a backup"
            )
        return {
            str(group): {str(name): str(value) for name, value in own.items()}
            for group, own in document["groups"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StorageError(
            f"{DOCUMENT} cannot be read: {type(error).__name__} {error}. Nothing was changed. Restore it from a backup, "
            "mend it, or move it away to start without settings of groups"
        ) from error
