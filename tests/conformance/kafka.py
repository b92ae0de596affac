"""A real Apache Kafka of one node: its jars from Maven by package name, formatted, started and stopped on loopback.

Everything lands in a cache directory outside the repository. Needs `java` and `mvn` on the path and says so when they
are missing. Knows nothing of scripts.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.ports import free_port

VERSION: Final = "4.3.1"
CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "muster" / f"kafka-{VERSION}"
START_SECONDS: Final = 90
START_ATTEMPTS: Final = 3
LOGGING_VERSION: Final = "2.25.4"
CLUSTER_ID: Final = "4L6g3nShT-eMCtK--X86sw"

_POM: Final = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>conformance</groupId><artifactId>kafka-node</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>{version}</version></dependency>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId><version>{version}</version></dependency>
    <dependency>
      <groupId>org.apache.logging.log4j</groupId><artifactId>log4j-slf4j-impl</artifactId><version>{logging}</version>
    </dependency>
  </dependencies>
</project>
"""
_LOGGING: Final = """<Configuration status="ERROR"><Appenders><Console name="out">
<PatternLayout pattern="%d %p %c{1} %m%n"/></Console></Appenders>
<Loggers><Root level="WARN"><AppenderRef ref="out"/></Root></Loggers></Configuration>
"""
_JVM: Final = ("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")

FIXED_SETTINGS: Final = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    # One thread of each kind: what is sent first on one connection is then handled before what is sent after two
    # answers on another, which is what the barrier of `player` builds on.
    "num.network.threads": "1",
    "num.io.threads": "1",
    "group.coordinator.threads": "1",
    "group.coordinator.append.linger.ms": "0",
}


class KafkaMissing(Exception):
    """A tool that is needed is not there, or Maven could not fetch. Says which and what to do."""


@dataclass(frozen=True)
class Node:
    """A running broker: where it listens and where its data lies."""

    host: str
    port: int
    data: Path


def obtain() -> Path:
    """The directory of jars, fetched once."""
    for tool, what in (("java", "a Java runtime of version 17 or later"), ("mvn", "Apache Maven")):
        if shutil.which(tool) is None:
            raise KafkaMissing(f"`{tool}` is not on the path: install {what} to run Apache Kafka {VERSION}")
    jars = CACHE / "jars"
    done = CACHE / "complete"
    wanted = _POM.format(version=VERSION, logging=LOGGING_VERSION)
    if not done.exists() or done.read_text() != wanted:
        CACHE.mkdir(parents=True, exist_ok=True)
        pom = CACHE / "pom.xml"
        pom.write_text(wanted)
        goal = "org.apache.maven.plugins:maven-dependency-plugin:copy-dependencies"
        ran = subprocess.run(
            ["mvn", "-q", "-B", "-f", str(pom), goal, f"-DoutputDirectory={jars}"], capture_output=True, text=True
        )
        if ran.returncode:
            raise KafkaMissing(
                f"Maven could not fetch Apache Kafka {VERSION}:\n{ran.stdout[-2000:]}{ran.stderr[-2000:]}"
            )
        done.write_text(wanted)
    return jars


def run_tool(main_class: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """One of Kafka's command-line tools, by its class name."""
    return subprocess.run([*_java(obtain()), main_class, *arguments], capture_output=True, text=True)


def _java(jars: Path) -> list[str]:
    logging = CACHE / "log4j2.xml"
    logging.write_text(_LOGGING)
    return ["java", *_JVM, f"-Dlog4j2.configurationFile={logging}", "-cp", f"{jars}/*"]


@contextmanager
def running(settings: Mapping[str, str], data: Path | None = None) -> Iterator[Node]:
    """A node with these settings on free loopback ports; a data directory that was formatted before is used again."""
    jars = obtain()
    with tempfile.TemporaryDirectory(prefix="kafka-node-") as made:
        folder = Path(made)
        data = data or folder / "data"
        log = folder / "kafka.log"
        process, port = _start(jars, settings, folder, data, log)
        try:
            yield Node("127.0.0.1", port, data)
            if process.poll() is not None:
                raise KafkaMissing(
                    f"Kafka {VERSION} ended by itself ({process.returncode}); its log ends:\n{_end(log)}"
                )
        except (OSError, RuntimeError) as error:
            error.add_note(f"Kafka's exit code: {process.poll()}; its log ends:\n{_end(log)}")
            raise
        finally:
            stop(process)


def _start(
    jars: Path, settings: Mapping[str, str], folder: Path, data: Path, log: Path
) -> tuple[subprocess.Popen[bytes], int]:
    """A free port may be taken by somebody else before Kafka has it, so an early end is tried again with other ports."""
    for _ in range(START_ATTEMPTS):
        port, controller_port = free_port(), free_port()
        properties = folder / "server.properties"
        properties.write_text(_properties(settings, data, port, controller_port))
        if not (data / "meta.properties").exists():
            _format(jars, properties)
        with log.open("ab") as out:
            command = [*_java(jars), "kafka.Kafka", str(properties)]
            process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
        if _listens(process, port):
            return process, port
        stop(process)
    raise KafkaMissing(f"Kafka {VERSION} did not start listening on port {port}; its log ends:\n{_end(log)}")


def stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _properties(settings: Mapping[str, str], data: Path, port: int, controller_port: int) -> str:
    lines = {
        **FIXED_SETTINGS,
        "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}",
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:{port}",
        "controller.quorum.voters": f"1@127.0.0.1:{controller_port}",
        "log.dirs": str(data),
        **settings,
    }
    return "".join(f"{name}={value}\n" for name, value in lines.items())


def _format(jars: Path, properties: Path) -> None:
    arguments = ["kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", str(properties)]
    ran = subprocess.run([*_java(jars), *arguments], capture_output=True, text=True)
    if ran.returncode:
        raise KafkaMissing(f"Kafka's StorageTool could not format {properties}:\n{ran.stdout}{ran.stderr}")


def _listens(process: subprocess.Popen[bytes], port: int) -> bool:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return True
        except OSError:
            time.sleep(0.05)
    return False


def _end(log: Path) -> str:
    return log.read_text(errors="replace")[-3000:]
