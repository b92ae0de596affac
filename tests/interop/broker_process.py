"""`muster serve` as its own process, on one port and one data directory for as long as the test wants.

Stopped, killed and started again at will; clients see the same address. Knows nothing of client libraries.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from tests.ports import free_port

STOP_SECONDS = 60

QUICK_GROUPS: Mapping[str, str] = {
    "group.min.session.timeout.ms": "500",
    "group.initial.rebalance.delay.ms": "200",
    "offsets.topic.num.partitions": "5",
}
"""Sessions may be short, and a group does not wait three seconds for its first members."""


class BrokerProcess:
    """Used with `with`, or `start` and `stop`. `address` is what clients want for their bootstrap servers."""

    def __init__(self, home: Path, settings: Mapping[str, str] = QUICK_GROUPS) -> None:
        self._home = home
        self._settings = settings
        self._process: subprocess.Popen[str] | None = None
        self._port = free_port()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._port}"

    @property
    def log(self) -> str:
        """What it wrote to standard error, over all its lives."""
        path = self._home / "server.log"
        return path.read_text() if path.exists() else ""

    def first_segment(self, topic: str, partition: int) -> bytes:
        """The bytes of a partition's first segment file, as they are on disk now."""
        (path,) = (self._home / "data").glob(f"**/{topic}-{partition}/{0:020d}.log")
        return path.read_bytes()

    def start(self) -> None:
        """Returns when it listens."""
        assert self._process is None, "it runs already"
        command = [
            sys.executable,
            "-m",
            "muster",
            "serve",
            "--listen",
            self.address,
            "--data",
            str(self._home / "data"),
        ]
        for name, value in self._settings.items():
            command += ["--set", f"{name}={value}"]
        with (self._home / "server.log").open("a") as log:
            self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not re.fullmatch(rf"listening on {re.escape(self.address)}\n", line):
            self.kill()
            raise AssertionError(f"the server said {line!r} instead of where it listens; its log:\n{self.log}")

    def stop(self) -> None:
        """As an operator stops it: SIGTERM, and it must end well. Harmless if it does not run."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            code = process.wait(STOP_SECONDS)
        finally:
            process.kill()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()
        assert code == 0, f"the server ended with code {code}; its log:\n{self.log}"

    def kill(self) -> None:
        """As a power cut of the process ends it: SIGKILL."""
        process, self._process = self._process, None
        assert process is not None, "it does not run"
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()

    def restart(self) -> None:
        self.stop()
        self.start()

    def __enter__(self) -> BrokerProcess:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()
