"""Muster as a subprocess on a free loopback port, with the settings that Kafka gets too."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.conformance.kafka import Node

START_SECONDS: Final = 30
_LISTENS: Final = re.compile(r"^listening on 127\.0\.0\.1:(\d+)$", re.MULTILINE)


@contextmanager
def running(
    settings: Mapping[str, str], data: Path | None = None, launcher: Sequence[str] = ("-m", "muster")
) -> Iterator[Node]:
    """`launcher` is what Python is started with: the package, or a program that puts a fault into it first."""
    with tempfile.TemporaryDirectory(prefix="muster-node-") as made:
        folder = Path(made)
        storage = ["--memory"] if data is None else ["--data", str(data), "--durability", "os"]
        arguments = [sys.executable, *launcher, "serve", "--listen", "127.0.0.1:0", *storage]
        for name, value in settings.items():
            arguments += ["--set", f"{name}={value}"]
        log = folder / "muster.log"
        with log.open("wb") as out:
            process = subprocess.Popen(arguments, stdout=out, stderr=subprocess.STDOUT)
        try:
            port = _await_port(process, log)
            yield Node("127.0.0.1", port, data or folder)
        finally:
            process.terminate()
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _await_port(process: subprocess.Popen[bytes], log: Path) -> int:
    """The port that it says it listens on: port 0 cannot be taken by somebody else meanwhile."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        found = _LISTENS.search(log.read_text(errors="replace"))
        if found:
            return int(found[1])
        time.sleep(0.02)
    raise RuntimeError(f"Muster did not start listening; it said:\n{log.read_text(errors='replace')[-3000:]}")
