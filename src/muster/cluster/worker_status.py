"""`workers.json` in the data directory: which workers there are, how each is doing. For people and their tools.

Written by the supervisor whenever something changed, removed when it ends; nothing depends on it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from muster.cluster.view import NodeEntry
from muster.cluster.workers import Worker
from muster.log.disk import Disk, write_file

FILE: Final = "workers.json"


def write_status(directory: str, disk: Disk, workers: Sequence[Worker], nodes: Sequence[NodeEntry]) -> None:
    """OSError if it cannot be written."""
    rows = [_row(worker, node) for worker, node in zip(workers, nodes, strict=True)]
    path = os.path.join(directory, FILE)
    content = json.dumps({"supervisor": os.getpid(), "workers": rows}, indent=1).encode()
    write_file(disk, path + ".tmp", content, sync=False)
    disk.rename(path + ".tmp", path)


def remove_status(directory: str) -> None:
    with suppress(OSError):
        os.unlink(os.path.join(directory, FILE))


def read_status(directory: str) -> list[Mapping[str, Any]] | None:
    """The rows; None if no workers run on the directory."""
    try:
        with open(os.path.join(directory, FILE), encoding="utf-8") as file:
            status = json.load(file)
        os.kill(status["supervisor"], 0)
    except (FileNotFoundError, ProcessLookupError):
        return None
    except PermissionError:
        pass  # it lives, as somebody else
    rows: list[Mapping[str, Any]] = status["workers"]
    return rows


def _row(worker: Worker, node: NodeEntry) -> dict[str, Any]:
    return {
        "node": node.node_id,
        "state": worker.state,
        "process": worker.pid,
        "restarts": max(0, worker.restarts.count),
        "last_end": worker.last_end,
        "endpoints": {name: f"{host}:{port}" for name, (host, port) in node.endpoints.items()},
    }
