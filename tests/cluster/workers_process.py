"""`muster serve --workers N` as it runs in production: one command, several processes, each of which can be killed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.interop.broker_process import STOP_SECONDS
from tests.interop.waiting import eventually
from tests.ports import free_ports

SETTINGS: Mapping[str, str] = {
    "group.min.session.timeout.ms": "500",
    "group.initial.rebalance.delay.ms": "100",
    "group.consumer.min.heartbeat.interval.ms": "200",
    "group.consumer.heartbeat.interval.ms": "200",
    "group.consumer.assignment.interval.ms": "0",
    "offsets.topic.num.partitions": "6",
    "transaction.state.log.num.partitions": "6",
}


class WorkersProcess:
    """On the same ports and directory over all its lives. Used with `with`, or `start` and `stop`; `workers` may be changed
    in between (one: a plain server)."""

    def __init__(
        self,
        home: Path,
        workers: int = 3,
        *,
        settings: Mapping[str, str] = SETTINGS,
        flags: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        further_listeners: str = "",
    ) -> None:
        """`environment`: beside that of the test. `further_listeners`: beside the plain one."""
        self.data = home / "data"
        self.workers = workers
        self.port = free_ports(workers + 1)
        self._log_path = home / "workers.log"
        self._settings = settings
        self._flags = flags
        self._listeners = ",".join(filter(None, (self.address, further_listeners)))
        self._environment = {**os.environ, **(environment or {})}
        self._process: subprocess.Popen[str] | None = None

    @property
    def address(self) -> str:
        """That reaches any worker."""
        return f"127.0.0.1:{self.port}"

    @property
    def ports(self) -> list[int]:
        """Of the workers, by number."""
        return [self.port + 1 + number for number in range(self.workers)]

    @property
    def log(self) -> str:
        return self._log_path.read_text() if self._log_path.exists() else ""

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        assert self._process is None, "it runs already"
        command = [sys.executable, "-m", "muster", "serve", "--workers", str(self.workers)]
        command += ["--listen", self._listeners]
        command += ["--data", str(self.data), *self._flags]
        for name, value in self._settings.items():
            command += ["--set", f"{name}={value}"]
        with self._log_path.open("a") as log:
            self._process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
                env=self._environment,
            )
        assert self._process.stdout is not None
        lines = [self._process.stdout.readline() for _ in range(self.workers + 1 if self.workers > 1 else 1)]
        if not re.fullmatch(rf"listening on {re.escape(self.address)}\n", lines[0]):
            self.end()
            raise AssertionError(f"it said {lines[0]!r} instead of where it listens; its log:\n{self.log}")

    def status(self) -> list[dict[str, Any]]:
        """The rows of `muster cluster status DIRECTORY`."""
        rows: list[dict[str, Any]] = json.loads((self.data / "workers.json").read_text())["workers"]
        return rows

    def worker_pids(self) -> list[int]:
        return [row["process"] for row in self.status()]

    def pid_of(self, number: int) -> int:
        """Of the worker that was up last, as the supervisor said: with a database there is no directory that tells."""
        said = re.findall(rf": worker {number + 1} \(node \d+\) is (?:up|back), process (\d+)", self.log)
        return int(said[-1])

    def kill_worker(self, number: int, how: signal.Signals = signal.SIGKILL) -> int:
        """Returns the process that was killed."""
        pid = self.pid_of(number)
        os.kill(pid, how)
        return pid

    def wait_until_back(self, number: int, killed: int) -> None:
        eventually(
            f"worker {number} to be started again", lambda: self.pid_of(number), lambda process: process != killed
        )

    def signal(self, number: signal.Signals, *, everybody: bool = False) -> None:
        """`everybody`: as Ctrl-C in a terminal does it."""
        if everybody:
            os.killpg(self.pid, number)
        else:
            os.kill(self.pid, number)

    def wait(self) -> int:
        """For the end; returns the exit code."""
        process = self._process
        assert process is not None
        try:
            return process.wait(STOP_SECONDS)
        finally:
            self.end()

    def stop(self) -> None:
        """SIGTERM, and it must end well. Harmless if it does not run."""
        if self._process is None:
            return
        self.signal(signal.SIGTERM)
        code = self.wait()
        assert code == 0, f"it ended with code {code}; its log:\n{self.log}"

    def end(self) -> None:
        """At once, all of it. Harmless if it does not run."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert process.stdout is not None
        process.stdout.close()

    def __enter__(self) -> WorkersProcess:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None:
            self.stop()
        else:
            self.end()


def is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
