"""`muster serve --store` as its own process: a node of a cluster, killed, frozen, thawed and stopped at will."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.interop.broker_process import STOP_SECONDS
from tests.ports import free_port

LEASE_MS = 1_500
SETTINGS: Mapping[str, str] = {
    "muster.lease.ms": str(LEASE_MS),
    "group.min.session.timeout.ms": "500",
    "group.initial.rebalance.delay.ms": "100",
    "group.consumer.min.heartbeat.interval.ms": "200",
    "group.consumer.heartbeat.interval.ms": "200",
    "group.consumer.assignment.interval.ms": "0",
    "offsets.topic.num.partitions": "6",
    "transaction.state.log.num.partitions": "6",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "200",
}


class NodeProcess:
    """One node id on one port, over all its lives."""

    def __init__(
        self, home: Path, url: str, node_id: int | str, settings: Mapping[str, str] = SETTINGS, name: str = ""
    ) -> None:
        """`node_id`: a number, or what else the flag takes. `name`: of its log file, where another process has the same id."""
        self.node_id = node_id
        self.port = free_port()
        self.metrics_port = free_port()
        self.url = url
        self.environment: Mapping[str, str] = {}
        """Beside that of the test."""
        self._settings = settings
        self._log_path = home / f"{name or f'node{node_id}'}.log"
        self._process: subprocess.Popen[str] | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        return self._log_path.read_text() if self._log_path.exists() else ""

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process is not None

    def command(self) -> list[str]:
        flags = [part for name, value in self._settings.items() for part in ("--set", f"{name}={value}")]
        return [
            *(sys.executable, "-m", "muster", "serve", "--store", self.url, "--node-id", str(self.node_id)),
            *("--listen", self.address, "--metrics-listen", f"127.0.0.1:{self.metrics_port}", *flags),
        ]

    def start(self) -> None:
        self.start_soon()
        self.wait_until_listening()

    def start_soon(self) -> None:
        assert self._process is None, "it runs already"
        with self._log_path.open("a") as log:
            environment = {**os.environ, **self.environment}
            self._process = subprocess.Popen(
                self.command(), stdout=subprocess.PIPE, stderr=log, text=True, env=environment
            )

    def wait_until_listening(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not re.fullmatch(rf"listening on {re.escape(self.address)}\n", line):
            self.kill()
            raise AssertionError(f"node {self.node_id} said {line!r} instead of where it listens; its log:\n{self.log}")

    def stop(self) -> None:
        """SIGTERM, and it must end well. Harmless if it does not run."""
        if self._process is None:
            return
        self.signal(signal.SIGTERM)
        self.wait_until_stopped()

    def wait_until_stopped(self) -> None:
        process = self._process
        assert process is not None
        try:
            code = process.wait(STOP_SECONDS)
        finally:
            self.kill()
        assert code == 0, f"node {self.node_id} ended with code {code}; its log:\n{self.log}"

    def wait_until_refused(self) -> str:
        """It must end by itself, and badly; returns what it logged."""
        process = self._process
        assert process is not None
        try:
            code = process.wait(STOP_SECONDS)
        finally:
            self.kill()
        assert code == 1, f"node {self.node_id} ended with code {code}; its log:\n{self.log}"
        return self.log

    def kill(self) -> None:
        """Harmless if it does not run."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def freeze(self) -> None:
        self.signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.signal(signal.SIGCONT)
