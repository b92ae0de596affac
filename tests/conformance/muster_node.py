"""Muster as a subprocess on a free loopback port, with the settings that Kafka gets too."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.conformance.kafka import Node, free_ports

START_SECONDS: Final = 30


@contextmanager
def running(
    settings: Mapping[str, str], data: Path | None = None, launcher: Sequence[str] = ("-m", "muster")
) -> Iterator[Node]:
    """`launcher` is what Python is started with: the package, or a program that puts a fault into it first."""
    with tempfile.TemporaryDirectory(prefix="muster-node-") as made:
        folder = Path(made)
        (port,) = free_ports(1)
        storage = ["--memory"] if data is None else ["--data", str(data), "--durability", "os"]
        arguments = [sys.executable, *launcher, "serve", "--listen", f"127.0.0.1:{port}", *storage]
        for name, value in settings.items():
            arguments += ["--set", f"{name}={value}"]
        log = folder / "muster.log"
        with log.open("wb") as out:
            process = subprocess.Popen(arguments, stdout=out, stderr=subprocess.STDOUT)
        try:
            _await_port(process, port, log)
            yield Node("127.0.0.1", port, data or folder)
        finally:
            process.terminate()
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _await_port(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    import socket

    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise RuntimeError(f"Muster did not start listening on port {port}; it said:\n{log.read_text()[-3000:]}")
