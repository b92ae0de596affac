"""The document that says that a store is only half there: the first that a copy writes, gone when everything was compared.

Every start of a server looks for it, so this imports next to nothing.
"""

from __future__ import annotations

from typing import Final

from muster.log.contract import StorageError

MARK: Final = "store-copy.json"


def encode_mark(cluster_id: str) -> bytes:
    import json

    return json.dumps({"copy_of_cluster": cluster_id}).encode()


def check_mark(where: str, content: bytes, cluster_id: str) -> None:
    """StorageError unless it was left by a copy of the same cluster."""
    import json

    try:
        found = json.loads(content)["copy_of_cluster"]
    except (ValueError, KeyError, TypeError):
        found = "an unknown cluster"
    if found != cluster_id:
        raise StorageError(
            f"{where}: holds an unfinished copy of cluster {found}, and this is one of {cluster_id}; empty it first"
        )


def refuse_half_copy(where: str, mark: bytes | None) -> None:
    """For whoever wants to serve a store."""
    if mark is not None:
        raise StorageError(
            f"{where}: `muster store copy` into it was not finished: run it again, or give the server another store"
        )
