"""A real Spark cluster on this machine: a standalone master and workers from the pip package, one process each, on loopback."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import pyspark

from muster.pipeline.java import find_java
from tests.pipeline.cluster.processes import server

_SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"
_MASTER_READY = re.compile(r"Starting Spark master at (spark://\S+)")
_WORKER_READY = re.compile(r"Successfully registered with master (spark://\S+)")


@contextmanager
def standalone_cluster(directory: Path, workers: int) -> Iterator[str]:
    """The master's address, when all workers have registered. Every process ends with it; what each said is in `directory`."""
    with ExitStack() as running:
        address = running.enter_context(_daemon(directory / "master.log", _MASTER_READY, "master.Master"))[1]
        for number in range(workers):
            where = ["--work-dir", str(directory / f"worker-{number}"), "--cores", "1", "--memory", "1g", address]
            log = directory / f"worker-{number}.log"
            running.enter_context(_daemon(log, _WORKER_READY, "worker.Worker", *where))
        yield address


def _daemon(log: Path, ready: re.Pattern[str], name: str, *arguments: str) -> AbstractContextManager[re.Match[str]]:
    command = [str(_SPARK_CLASS), f"org.apache.spark.deploy.{name}", "--host", "127.0.0.1", "--port", "0"]
    return server([*command, "--webui-port", "0", *arguments], ready, log, _environment())


def _environment() -> dict[str, str]:
    return {
        **os.environ,
        "JAVA_HOME": str(find_java().home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
        "SPARK_LAUNCHER_OPTS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    }
