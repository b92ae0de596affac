"""How long from starting the process to the first ApiVersions reply, and how much memory an idle server takes.

Every run has a fresh data directory. Kafka's figures are those of Apache Kafka 4.3.1 (one KRaft node, 1 GB heap) on the
same kind of machine: they are recorded here, not measured again.
"""

from __future__ import annotations

import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from struct import pack, unpack

RUNS = 15
KAFKA_START_SECONDS = 3.3
KAFKA_IDLE_MB = 392
TARGET_START_SECONDS = 0.150
TARGET_IDLE_MB = 40

_API_VERSIONS_V0 = pack(">hhih", 18, 0, 1, -1)


def main() -> None:
    _start_once()  # so that every measured run finds the bytecode written
    runs = [_start_once() for _ in range(RUNS)]
    start = statistics.median(seconds for seconds, _ in runs)
    fastest = min(seconds for seconds, _ in runs)
    idle_mb = statistics.median(mb for _, mb in runs)
    print(f"start-up, exec to first ApiVersions reply, {RUNS} runs")
    print(
        f"  median {start * 1000:.0f} ms, fastest {fastest * 1000:.0f} ms; target {TARGET_START_SECONDS * 1000:.0f} ms"
    )
    print(f"  Apache Kafka 4.3.1: {KAFKA_START_SECONDS} s, that is {KAFKA_START_SECONDS / start:.0f} times as long")
    print("idle memory (resident)")
    print(f"  median {idle_mb:.1f} MB; target {TARGET_IDLE_MB} MB")
    print(f"  Apache Kafka 4.3.1: {KAFKA_IDLE_MB} MB, that is {KAFKA_IDLE_MB / idle_mb:.0f} times as much")


def _start_once() -> tuple[float, float]:
    """(seconds to the first reply, resident MB then)"""
    with tempfile.TemporaryDirectory() as directory:
        command = [sys.executable, "-m", "muster", "serve", "--listen", "127.0.0.1:0", "--data", f"{directory}/data"]
        command += ["--log-level", "warning"]
        began = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            try:
                line = server.stdout.readline()
                _ask_api_versions(_port_in(line))
                took = time.perf_counter() - began
                return took, _resident_mb(server.pid)
            finally:
                server.terminate()


def _port_in(line: str) -> int:
    found = re.search(r":(\d+)$", line.strip())
    if found is None:
        raise SystemExit(f"the server said {line!r} instead of where it listens")
    return int(found[1])


def _ask_api_versions(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(pack(">i", len(_API_VERSIONS_V0)) + _API_VERSIONS_V0)
        (size,) = unpack(">i", _exactly(client, 4))
        _exactly(client, size)


def _exactly(client: socket.socket, count: int) -> bytes:
    received = b""
    while len(received) < count:
        chunk = client.recv(count - len(received))
        if not chunk:
            raise SystemExit("the server closed the connection")
        received += chunk
    return received


def _resident_mb(pid: int) -> float:
    kilobytes = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True)
    return int(kilobytes.stdout) / 1024
