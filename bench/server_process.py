"""A Muster server in a process of its own, with its CPU time and memory to read."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from types import TracebackType

_TICK_SECONDS = 1 / os.sysconf("SC_CLK_TCK")
_LISTENING = re.compile(rb"listening on [^ ]*:(\d+)")


class ServerProcess:
    """`with ServerProcess() as server:` then `server.port`, `server.cpu_seconds()`, `server.resident_mb()`."""

    def __init__(self, *flags: str) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="muster-bench-")
        command = [sys.executable, "-m", "muster", "serve", "--listen", "127.0.0.1:0", "--data", self._directory.name]
        self._process = subprocess.Popen([*command, *flags], stdout=subprocess.PIPE)
        self.port = self._wait_for_port()

    def _wait_for_port(self) -> int:
        assert self._process.stdout is not None
        said = []
        for line in self._process.stdout:
            said.append(line)
            found = _LISTENING.search(line)
            if found:
                return int(found.group(1))
        raise RuntimeError(f"the server did not start: {b''.join(said).decode()}")

    def cpu_seconds(self) -> float:
        with open(f"/proc/{self._process.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * _TICK_SECONDS

    def resident_mb(self) -> float:
        with open(f"/proc/{self._process.pid}/statm") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

    def __enter__(self) -> ServerProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.wait(60)
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._directory.cleanup()
