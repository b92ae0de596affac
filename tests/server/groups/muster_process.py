"""`muster serve` as a process of its own, to be killed without warning."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from muster.wire.generated.create_topics import CreateTopicsRequest, CreateTopicsRequestTopic
from muster.wire.generated.find_coordinator import FindCoordinatorRequest
from tests.server.groups.group_client import GroupClient
from tests.server.raw_client import PATIENCE_SECONDS


class MusterProcess:
    def __init__(self, data: Path, *flags: str) -> None:
        command = [sys.executable, "-m", "muster", "serve", "--listen", "127.0.0.1:0", "--data", str(data)]
        command += ["--set", "group.initial.rebalance.delay.ms=0", "--set", "offsets.topic.num.partitions=4", *flags]
        self._errors = (data.parent / "stderr").open("ab")
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self._errors)
        assert self._process.stdout is not None
        said = self._process.stdout.readline().decode()
        assert said.startswith("listening on "), f"it said {said!r}"
        self.port = int(said.rsplit(":", 1)[1])

    def __enter__(self) -> MusterProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def kill(self) -> None:
        """SIGKILL: no handler runs, nothing is flushed."""
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._errors.close()

    def client(self, group: str = "g") -> GroupClient:
        """Connected, and the group's coordinator answers."""
        client = GroupClient(self.port)
        request = FindCoordinatorRequest(group, 0, [group])
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:  # the first answers say to come again
            if client.call("FindCoordinator", 3, request).error_code:
                continue
            if client.fetch_offsets(group, []).groups[0].error_code == 0:
                return client
        raise AssertionError("the coordinator never answered")

    def create_topic(self, name: str, partitions: int) -> None:
        with GroupClient(self.port) as client:
            topic = CreateTopicsRequestTopic(name, partitions, -1)
            reply = client.call("CreateTopics", 5, CreateTopicsRequest([topic], 5_000))
            assert reply.topics[0].error_code == 0
