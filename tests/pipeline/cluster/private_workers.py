"""A standalone Spark cluster whose workers share no directory with the driver: only the network connects them.

Master and workers run in a mount namespace of their own in which empty file systems lie over the directories that the driver
uses: our source (so our code has to travel), its cache, and whatever the test names. What stays common is the installed software:
Java, Python with its packages, Spark.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark

import muster
from muster.pipeline.java import find_java
from muster.pipeline.session_cache import cache_directory
from tests.pipeline.cluster.needs import Missing
from tests.pipeline.cluster.processes import server

_SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"
_MASTER_READY = re.compile(r"Starting Spark master at (spark://\S+)")
_WORKER_READY = re.compile(r"Successfully registered with master (spark://\S+)")


@contextmanager
def private_cluster(directory: Path, hidden: Sequence[Path], *, workers: int = 2) -> Iterator[str]:
    """The master's address. `directory` holds the logs; the workers' own directories are inside the hidden ones."""
    covered = [installed_code(), cache_directory(), *hidden]
    with ExitStack() as running:
        address = running.enter_context(_daemon(directory / "master.log", covered, _MASTER_READY, "master.Master"))
        for number in range(workers):
            where = ["--work-dir", str(hidden[0] / f"work-{number}"), "--cores", "1", "--memory", "1g", address]
            log = directory / f"worker-{number}.log"
            running.enter_context(_daemon(log, covered, _WORKER_READY, "worker.Worker", *where))
        yield address


@contextmanager
def _daemon(log: Path, covered: Sequence[Path], ready: re.Pattern[str], name: str, *arguments: str) -> Iterator[str]:
    spark = [str(_SPARK_CLASS), f"org.apache.spark.deploy.{name}", "--host", "127.0.0.1", "--port", "0"]
    with server(
        without_sight_of(covered, [*spark, "--webui-port", "0", *arguments]), ready, log, _environment()
    ) as said:
        yield said[1]


def installed_code() -> Path:
    """The directory of our source."""
    return Path(muster.__file__).parent


def without_sight_of(directories: Sequence[Path], command: Sequence[str]) -> list[str]:
    """The command in a mount namespace in which these directories are empty."""
    mounts = " && ".join(f"mount -t tmpfs hidden {shlex.quote(str(path))}" for path in directories)
    inside = f"{mounts} && exec {shlex.join(command)}"
    return [*_unshare(), "sh", "-c", inside]


def _unshare() -> list[str]:
    """Root may simply do it; others need a user namespace, which some systems forbid."""
    if shutil.which("unshare") is None:
        raise Missing("`unshare` (util-linux) is not on the path: workers cannot get a mount namespace of their own")
    command = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
    tried = subprocess.run([*command, "true"], capture_output=True, text=True)
    if tried.returncode:
        raise Missing(f"this system allows no mount namespace: {tried.stderr.strip()}")
    return command


def _environment() -> dict[str, str]:
    return {
        **os.environ,
        "JAVA_HOME": str(find_java().home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
        "SPARK_LAUNCHER_OPTS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
        "PYSPARK_PYTHON": sys.executable,
    }
