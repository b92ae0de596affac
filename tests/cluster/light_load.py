"""A producer and a member that commits, both without a pause, and what they were told: a load that costs two threads.

`load.py` has the whole fleet of clients; this is for tests in which the nodes themselves are what changes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import closing
from types import TracebackType

from confluent_kafka.admin import AdminClient, NewTopic

from muster.wire.errors import NONE
from tests.cluster.load import PARTITIONS, TOPIC, Acknowledged, Writer, check_records, stored_records
from tests.cluster.lone_member import LoneMember
from tests.cluster.node_process import NodeProcess
from tests.interop.waiting import PATIENCE_SECONDS, eventually


class Committer(threading.Thread):
    """The only member of its group: commits 1, 2, 3 ... and joins once."""

    def __init__(self, ports: Callable[[], list[int]]) -> None:
        super().__init__(name="committer", daemon=True)
        self._ports = ports
        self._stop_asked = threading.Event()
        self.acknowledged = 0
        self.member = LoneMember("light load")

    def join_group(self) -> None:
        def try_to_join() -> int | None:
            port = self.member.coordinator_port(self._ports())
            return None if port is None else self.member.try_to_join(port)

        eventually("the member to join", try_to_join, lambda code: code == NONE)

    def run(self) -> None:
        with closing(self.member):
            while not self._stop_asked.wait(0.01):
                if self.member.commits_somewhere(self._ports(), self.acknowledged + 1):
                    self.acknowledged += 1

    def stop(self) -> None:
        self._stop_asked.set()
        self.join()


class LightLoad:
    """Used with `with`; `progress` after each change, `settle` at the end."""

    def __init__(self, nodes: Mapping[int, NodeProcess]) -> None:
        """`nodes`: all that are there or may come; those that run are asked."""
        self._nodes = nodes
        bootstrap = ",".join(node.address for node in nodes.values())
        self._config = {"bootstrap.servers": bootstrap, "group.id": "auditor", "log_level": 0}
        self._told = Acknowledged()
        admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
        admin.create_topics([NewTopic(TOPIC, PARTITIONS, 1)])[TOPIC].result(PATIENCE_SECONDS)
        self._writer = Writer(bootstrap, self._told)
        self._committer = Committer(self._ports)

    def _ports(self) -> list[int]:
        return [node.port for node in self._nodes.values() if node.is_running]

    def progress(self) -> None:
        """Every partition takes a newer record, and the member's commits get on."""
        self._told.wait_for_newer()
        before = self._committer.acknowledged
        eventually("more commits", lambda: self._committer.acknowledged, lambda count: count > before + 1)

    def settle(self) -> str:
        """AssertionError if anything that was acknowledged is missing. Returns how much that was."""
        self._writer.stop()
        self._committer.stop()
        assert not self._told.refused, self._told.refused[:5]
        check_records(self._told, stored_records(self._config))
        with closing(LoneMember(self._committer.member.group)) as auditor:
            kept = eventually("the committed offset", lambda: auditor.knows_somewhere(self._ports()))
        assert kept is not None
        assert kept[1] >= self._committer.acknowledged, f"{kept[1]} of {self._committer.acknowledged} commits"
        return f"{len(self._told.records)} records, {self._committer.acknowledged} commits"

    def __enter__(self) -> LightLoad:
        self._committer.join_group()
        self._writer.start()
        self._committer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._writer.is_alive():
            self._writer.stop()
        if self._committer.is_alive():
            self._committer.stop()
