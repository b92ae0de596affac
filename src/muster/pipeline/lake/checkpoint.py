"""What Spark's checkpoint says of the query over a cluster's log: which query it is of, and how far each micro-batch reads.

Spark writes `metadata` when a query starts for the first time, and `offsets/N` before it runs micro-batch N. Read through the
lake's storage: a round has to know it wherever it is made, behind a Connect server too. Nothing is written here.
"""

from __future__ import annotations

import json
from typing import Any, Final

from muster.pipeline.lake.errors import LakeError
from muster.pipeline.lake.files import read_text
from muster.pipeline.lake.location import Location, checkpoint_directory

_VERSION: Final = "v1"
_SETTINGS: Final = 1
"""Lines between the version and the first source: the settings of the micro-batch."""
_NO_OFFSET: Final = "-"


def query_id(location: Location, cluster: str) -> str | None:
    """The id that a query keeps over all of its starts; None if there is no checkpoint."""
    path = f"{checkpoint_directory(cluster)}/metadata"
    text = read_text(location, path)
    if text is None:
        return None
    try:
        return str(json.loads(text)["id"])
    except (ValueError, KeyError, TypeError):
        raise LakeError(f"{location}/{path} does not name a query: the checkpoint is damaged") from None


def offsets_after(location: Location, cluster: str, batch_id: int) -> dict[str, Any] | None:
    """Where the sources stand after a micro-batch, all in one mapping; None if the checkpoint does not have that micro-batch."""
    path = f"{checkpoint_directory(cluster)}/offsets/{batch_id}"
    text = read_text(location, path)
    if text is None:
        return None
    version, *lines = text.splitlines() or [""]
    if version.strip() != _VERSION:
        raise LakeError(
            f"{location}/{path} begins with {version[:20]!r} and not with {_VERSION}: written by a Spark that is not known here"
        )
    found: dict[str, Any] = {}
    try:
        for line in lines[_SETTINGS:]:
            found |= {} if line == _NO_OFFSET else json.loads(line)
    except (ValueError, TypeError):
        raise LakeError(f"{location}/{path} does not hold offsets of a log: the checkpoint is damaged") from None
    return found
