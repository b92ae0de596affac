"""A real Spark cluster on this machine: a standalone master and workers from the pip package, one process each, on loopback."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pyspark

from muster.pipeline.java import find_java

_SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"
_MASTER_READY = re.compile(r"Starting Spark master at (spark://\S+)")
_WORKER_READY = re.compile(r"Successfully registered with master (spark://\S+)")


@contextmanager
def standalone_cluster(directory: Path, workers: int) -> Iterator[str]:
    """The master's address, when all workers have registered. Every process ends with it."""
    with ExitStack() as running:
        address = running.enter_context(_process(directory, _MASTER_READY, "master.Master", "--port", "0"))
        for number in range(workers):
            where = ["--work-dir", str(directory / f"worker-{number}"), "--port", "0", "--cores", "1", "--memory", "1g"]
            running.enter_context(_process(directory, _WORKER_READY, "worker.Worker", *where, address))
        yield address


@contextmanager
def _process(directory: Path, ready: re.Pattern[str], name: str, *arguments: str) -> Iterator[str]:
    command = [
        str(_SPARK_CLASS),
        f"org.apache.spark.deploy.{name}",
        "--host",
        "127.0.0.1",
        "--webui-port",
        "0",
        *arguments,
    ]
    log = directory / f"{name}-{len(list(directory.iterdir()))}.log"
    with log.open("w") as kept:
        running = subprocess.Popen(
            command, env=_environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        try:
            yield _first_match(running, ready, kept)
        finally:
            running.terminate()
            running.communicate()


def _first_match(running: subprocess.Popen[str], ready: re.Pattern[str], kept: Any) -> str:
    assert running.stdout is not None
    for line in running.stdout:
        kept.write(line)
        found = ready.search(line)
        if found:
            return found[1]
    raise AssertionError(f"{running.args!r} ended without being ready; see {kept.name}")


def _environment() -> dict[str, str]:
    return {
        **os.environ,
        "JAVA_HOME": str(find_java().home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
        "SPARK_LAUNCHER_OPTS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    }
