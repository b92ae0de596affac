"""HDFS, and YARN if wanted, as one Java process on loopback: Hadoop's own mini cluster (`MiniCluster.java`).

`conf` is a directory for HADOOP_CONF_DIR that holds the addresses and nothing else. A lake on HDFS needs no such directory when its
URL names host and port; `--master yarn` does.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from muster.pipeline.java import find_java
from tests.pipeline.cluster.needs import MINI_CLUSTER, jars
from tests.pipeline.cluster.processes import server

_READY = re.compile(r"^READY (hdfs://\S+)")
_MAIN = Path(__file__).parent / "MiniCluster.java"
_JVM = ("-Xmx768m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


@dataclass(frozen=True, slots=True)
class Hadoop:
    url: str  # hdfs://HOST:PORT
    conf: Path


@contextmanager
def hadoop(directory: Path, *, with_yarn: bool = False) -> Iterator[Hadoop]:
    class_path = jars("mini-cluster", MINI_CLUSTER).class_path
    conf = directory / "conf"
    conf.mkdir(parents=True)
    java = find_java()
    command = [
        str(java.home / "bin" / "java"),
        *_JVM,
        "-cp",
        class_path,
        str(_MAIN),
        str(directory / "data"),
        str(conf),
        "yarn" if with_yarn else "hdfs",
    ]
    # Containers of YARN find Java by this variable.
    environment = {**os.environ, "JAVA_HOME": str(java.home)}
    with server(command, _READY, directory / "hadoop.log", environment) as ready:
        yield Hadoop(ready[1], conf)
