"""A cluster of real processes over one database, and questions to it at the level of the protocol.

Knows nodes, their cables and `muster cluster status`; the load on it is in `load.py`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

from muster.log.contract import NOBODY
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from tests.cluster.cable import Cable
from tests.cluster.node_process import SETTINGS, NodeProcess
from tests.cluster.postgres_process import PostgresProcess
from tests.interop.waiting import eventually
from tests.server.raw_client import RawClient


class ClusterStage:
    """`nodes` by id; made and started with `add`. Used with `with`."""

    def __init__(
        self, home: Path, database: PostgresProcess, settings: Mapping[str, str] = SETTINGS, *, has_tables: bool = False
    ) -> None:
        """`has_tables`: the test has made them, as it wants them."""
        self.home = home
        self.database = database
        self.nodes: dict[int, NodeProcess] = {}
        self.cables: dict[int, Cable] = {}
        self.settings = settings
        self._open = ExitStack()
        if not has_tables:
            muster("store", "migrate", database.url)

    def add(self, *node_ids: int) -> None:
        """Start these; those that ran before come back on their port."""
        for node_id in node_ids:
            self.prepare(node_id)
            self.nodes[node_id].start_soon()
        for node_id in node_ids:
            self.nodes[node_id].wait_until_listening()

    def prepare(self, node_id: int) -> None:
        """Give it a cable and a port, so that clients know it before it is there."""
        if node_id not in self.nodes:
            self.cables[node_id] = self._open.enter_context(Cable(self.database.socket))
            url = self.database.url_through(self.cables[node_id].port)
            self.nodes[node_id] = NodeProcess(self.home, url, node_id, self.settings)

    @property
    def running(self) -> list[int]:
        return sorted(node_id for node_id, node in self.nodes.items() if node.is_running)

    @property
    def bootstrap(self) -> str:
        return ",".join(node.address for node in self.nodes.values())

    @property
    def address(self) -> str:
        """What clients want for their bootstrap servers, as of a single server."""
        return self.bootstrap

    def status(self) -> dict[int, dict[str, Any]]:
        """By node id, as the command line shows it."""
        command = [sys.executable, "-m", "muster", "cluster", "status", "--json", self.database.url]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        return {row["node"]: row for row in rows}

    def wait_for_owners(self, *node_ids: int) -> None:
        """Until exactly these are live and lead about as much as each other."""

        def evenly(status: dict[int, dict[str, Any]]) -> bool:
            led = [row["coordinator_partitions_led"] for row in status.values()]
            return sorted(status) == sorted(node_ids) and max(led) - min(led) <= 1 and max(led) > 0

        eventually(f"{node_ids} to share everything", self.status, evenly)

    def coordinator_of(self, group: str) -> int:
        """The node that some live node names, and that says so itself."""

        def look() -> int | None:
            for node_id in self.running:
                named = self._named_by(node_id, group)
                if named in self.running and self._named_by(named, group) == named:
                    return named
            return None

        named = eventually(f"a coordinator of {group}", look, lambda found: found is not None)
        assert named is not None
        return named

    def _named_by(self, node_id: int, group: str) -> int:
        found = self.ask(node_id, "FindCoordinator", 3, FindCoordinatorRequest(key=group))
        return int(found.node_id) if found.error_code == 0 else NOBODY

    def ask(self, node_id: int, api: str, version: int, message: object) -> Any:
        """One request on a connection of its own."""
        with RawClient(self.nodes[node_id].port) as client:
            return client.ask(api, version, message)

    def __enter__(self) -> ClusterStage:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for node in self.nodes.values():
            node.kill()
        self._open.close()


def muster(*arguments: str) -> str:
    done = subprocess.run([sys.executable, "-m", "muster", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"muster {' '.join(arguments)} ended with {done.returncode}: {done.stderr}"
    return done.stdout
