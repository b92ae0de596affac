"""`muster serve` as a process under attack: how much memory it has taken, and how long a well-behaved client waits meanwhile."""

from __future__ import annotations

import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

from muster.wire.generated.metadata import MetadataRequest
from tests.server.raw_client import RawClient

LONGEST_WAIT_SECONDS = 1.0
"""Without an attack a request takes less than a millisecond; the attacks here took seconds."""


class Victim:
    """`with Victim(tmp_path) as victim:`; keeps nothing on disk unless the flags say so."""

    def __init__(self, folder: Path, *flags: str, memory_megabytes: int | None = None) -> None:
        """`memory_megabytes`: how much more than it has at the start the system gives it."""
        self._errors_path = folder / "stderr"
        self._errors = self._errors_path.open("wb")
        command = [sys.executable, "-m", "muster", "serve", "--memory", "--listen", "127.0.0.1:0", *flags]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self._errors, cwd=folder)
        assert self.process.stdout is not None
        said = self.process.stdout.readline().decode()
        assert said.startswith("listening on "), f"it said {said!r}"
        self.port = int(said.rsplit(":", 1)[1])
        if memory_megabytes is not None:
            most = self._now("VmSize") * 1024 + memory_megabytes * 1_000_000
            resource.prlimit(self.process.pid, resource.RLIMIT_AS, (most, most))

    def __enter__(self) -> Victim:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._errors.close()

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    def peak_megabytes(self) -> float:
        """The most memory that it ever had."""
        return self._now("VmHWM") / 1024

    def _now(self, name: str) -> int:
        """In kilobytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        (line,) = [line for line in status.splitlines() if line.startswith(name)]
        return int(line.split()[1])

    def said(self) -> str:
        return self._errors_path.read_text()

    def client(self) -> RawClient:
        return RawClient(self.port)


class Neighbour:
    """A well-behaved client that asks again and again as long as the attack lasts, and is answered: `with Neighbour(victim):`"""

    def __init__(self, victim: Victim) -> None:
        self._client = victim.client()
        self._is_over = False
        self._thread = threading.Thread(target=self._ask_on)
        self.longest_seconds = 0.0
        self._began = time.perf_counter()
        self._seconds = 0.0
        self.failure: Exception | None = None

    def _ask_on(self) -> None:
        try:
            while not self._is_over:
                began = time.perf_counter()
                assert self._client.ask("Metadata", 9, MetadataRequest([])).brokers
                self.longest_seconds = max(self.longest_seconds, time.perf_counter() - began)
        except Exception as failure:
            self.failure = failure

    def __enter__(self) -> Neighbour:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over = True
        self._thread.join()
        self._client.close()
        self._seconds = time.perf_counter() - self._began
        assert self.failure is None, self.failure
        # A stopped server lets it wait as long as the attack lasts. On a busy machine everything takes longer alike.
        assert self.longest_seconds < max(LONGEST_WAIT_SECONDS, self._seconds / 4), "it waited for the attack to end"
        print(f"the neighbour waited {self.longest_seconds * 1000:.1f} ms at most")
