"""What can be told of a lake of the layout before Delta: its `manifest.json` names clusters and how far their logs were read."""

from __future__ import annotations

import json
from dataclasses import dataclass

from muster.pipeline.lake.errors import LakeError, store_errors
from muster.pipeline.lake.files import REACHABLE, entries, storage
from muster.pipeline.lake.location import OLD_MANIFEST, Location


@dataclass(frozen=True, slots=True)
class OldLake:
    clusters: tuple[str, ...]
    log_partitions: int


def read_old_lake(location: Location) -> OldLake | None:
    """None if it is not one."""
    if location.local is not None and not location.local.is_dir():
        return None
    store = storage(location)
    if (OLD_MANIFEST, False) not in entries(location, store):
        return None
    with (
        store_errors(f"{location}/{OLD_MANIFEST} cannot be read", REACHABLE),
        store.open_input_file(OLD_MANIFEST) as file,
    ):
        text = file.read()
    try:
        read = json.loads(text)["next_offsets"]
        return OldLake(tuple(sorted(read)), sum(len(parts) for topics in read.values() for parts in topics.values()))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise LakeError(f"{location}/{OLD_MANIFEST} is not the manifest of a lake of `muster pipeline run`") from None
