"""The two servers that are measured, as processes of their own: started on a data directory, watched, stopped.

Both are given what they need to run as one node and to form groups quickly, and are left at their defaults otherwise: Kafka with
the JVM flags of its own start script, Muster with fsync before every reply. Knows nothing of load.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from struct import pack, unpack
from typing import Protocol

from bench.bytecode import as_installed
from bench.generator import pinned, server_and_generator_cores
from tests.conformance import kafka
from tests.ports import free_port

INITIAL_DELAY_MS = 300
"""`group.initial.rebalance.delay.ms` of both, so that groups of many members form in one rebalance and without waiting long."""
_START_SECONDS = 90.0
_STOP_SECONDS = 60.0
_API_VERSIONS_V0 = pack(">hhih", 18, 0, 1, -1)
_KAFKA_JVM = (
    "-Xmx1G",
    "-Xms1G",
    "-server",
    "-XX:+UseG1GC",
    "-XX:MaxGCPauseMillis=20",
    "-XX:InitiatingHeapOccupancyPercent=35",
    "-XX:+ExplicitGCInvokesConcurrent",
    "-XX:MaxInlineLevel=15",
    "-Djava.awt.headless=true",
)
"""As `kafka-server-start.sh` and `kafka-run-class.sh` of that version have them."""
_KAFKA_LOGGING = """<Configuration status="ERROR"><Appenders><Console name="out">
<PatternLayout pattern="%d %p %c{1} %m%n"/></Console></Appenders>
<Loggers><Root level="WARN"><AppenderRef ref="out"/></Root>
<Logger name="org.apache.kafka.coordinator.common.runtime" level="INFO"/>
<Logger name="kafka.coordinator.transaction.TransactionStateManager" level="INFO"/></Loggers></Configuration>
"""


class DidNotStart(Exception):
    """A server ended, or did not answer in time. Says what it printed last."""


@dataclass(frozen=True)
class Running:
    """A server that has answered its first request."""

    pid: int
    port: int
    start_seconds: float
    """From starting the process to its first reply."""
    log: Path

    def resident_mb(self) -> float:
        with open(f"/proc/{self.pid}/statm") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

    def cpu_seconds(self) -> float:
        with open(f"/proc/{self.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Contender(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def starts(self) -> int:
        """How often a start is measured in a round."""

    @property
    def warm_seconds(self) -> float:
        """How long a load must go on until the server is as quick as it becomes."""

    @property
    def warm_rebalances(self) -> int:
        """The same for rebalances of a large group."""

    def prepare(self, data: Path) -> float:
        """Makes a fresh data directory ready; the seconds that took."""

    def command(self, data: Path, port: int) -> list[str]: ...


@dataclass(frozen=True)
class Muster:
    python: str = sys.executable
    settings: tuple[str, ...] = ()
    name: str = "Muster"
    starts: int = 5
    warm_seconds: float = 1.0
    warm_rebalances: int = 3
    log_level: str = "warning"

    def prepare(self, data: Path) -> float:
        return 0.0

    def command(self, data: Path, port: int) -> list[str]:
        settings = [f"group.initial.rebalance.delay.ms={INITIAL_DELAY_MS}", *self.settings]
        flags = [part for each in settings for part in ("--set", each)]
        listen = ["--listen", f"127.0.0.1:{port}", "--data", str(data / "muster"), "--log-level", self.log_level]
        return [self.python, "-m", "muster", "serve", *listen, *flags]

    def form(self) -> str:
        """What `muster --version` says: the version, and whether the hot core is compiled."""
        ran = subprocess.run([self.python, "-m", "muster", "--version"], capture_output=True, text=True, check=True)
        return ran.stdout.strip()


@dataclass(frozen=True)
class Kafka:
    jars: Path
    settings: tuple[str, ...] = ()
    name: str = f"Apache Kafka {kafka.VERSION}"
    starts: int = 1
    warm_seconds: float = 6.0
    warm_rebalances: int = 40

    def prepare(self, data: Path) -> float:
        data.mkdir(parents=True, exist_ok=True)
        self._write_properties(data, free_port())
        began = time.perf_counter()
        tool = ["kafka.tools.StorageTool", "format", "-t", kafka.CLUSTER_ID, "-c", str(data / "server.properties")]
        ran = subprocess.run([*self._java(data, ()), *tool], capture_output=True, text=True)
        if ran.returncode:
            raise DidNotStart(f"Kafka's StorageTool could not format {data}:\n{ran.stdout}{ran.stderr}")
        return time.perf_counter() - began

    def command(self, data: Path, port: int) -> list[str]:
        self._write_properties(data, port)
        return [*self._java(data, _KAFKA_JVM), "kafka.Kafka", str(data / "server.properties")]

    def _java(self, data: Path, flags: tuple[str, ...]) -> list[str]:
        logging = data / "log4j2.xml"
        logging.write_text(_KAFKA_LOGGING)
        return ["java", *flags, f"-Dlog4j2.configurationFile={logging}", "-cp", f"{self.jars}/*"]

    def _write_properties(self, data: Path, port: int) -> None:
        controller = free_port()
        lines = (
            "process.roles=broker,controller",
            "node.id=1",
            "controller.listener.names=CONTROLLER",
            "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "offsets.topic.replication.factor=1",
            "transaction.state.log.replication.factor=1",
            "transaction.state.log.min.isr=1",
            f"listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}",
            f"advertised.listeners=PLAINTEXT://127.0.0.1:{port}",
            f"controller.quorum.voters=1@127.0.0.1:{controller}",
            f"log.dirs={data / 'kafka'}",
            f"group.initial.rebalance.delay.ms={INITIAL_DELAY_MS}",
            *self.settings,
        )
        (data / "server.properties").write_text("\n".join(lines) + "\n")


@contextmanager
def running(contender: Contender, data: Path, *, one_core: bool) -> Iterator[Running]:
    """The server on a data directory that `prepare` has seen; alone on one core if asked for and if there are two."""
    port = free_port()
    log = data / "server.log"
    data.mkdir(parents=True, exist_ok=True)
    command = contender.command(data, port)
    cores = server_and_generator_cores()
    with log.open("wb") as out, pinned(cores[0] if cores and one_core else None):
        began = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=as_installed())
    try:
        _wait_for_reply(process, port, log)
        yield Running(process.pid, port, time.perf_counter() - began, log)
        if process.poll() is not None:
            raise DidNotStart(f"{contender.name} ended by itself ({process.returncode}); it said:\n{_end(log)}")
    finally:
        _stop(process)


def _wait_for_reply(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with socket.create_connection(("127.0.0.1", port), 5) as client:
                client.sendall(pack(">i", len(_API_VERSIONS_V0)) + _API_VERSIONS_V0)
                stream = client.makefile("rb")
                size = stream.read(4)
                if len(size) == 4 and len(stream.read(unpack(">i", size)[0])):
                    return
        except OSError:
            pass
        time.sleep(0.001)
    raise DidNotStart(f"{' '.join(process.args[:3])} ... did not answer; it said:\n{_end(log)}")  # type: ignore[index, arg-type]


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _end(log: Path) -> str:
    return re.sub(r"\n{2,}", "\n", log.read_text(errors="replace")[-2000:])
