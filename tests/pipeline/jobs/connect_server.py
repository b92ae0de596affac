"""A real Spark Connect server on this machine, from the pip package, in a process of its own, on loopback."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pyspark

from muster.pipeline.java import find_java

_SPARK = Path(pyspark.__file__).parent
_READY = re.compile(r"Spark Connect server started at: 127\.0\.0\.1:(\d+)")
_PATIENCE_SECONDS = 120
_SETTINGS = {
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.grpc.binding.port": "0",
    "spark.ui.enabled": "false",
    "spark.driver.memory": "768m",
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    "spark.sql.shuffle.partitions": "2",
    "spark.locality.wait": "0s",  # a local master would wait for ever for a core nearer to a block in HDFS
}


@contextmanager
def connect_server(directory: Path, settings: Mapping[str, str] | None = None) -> Iterator[str]:
    """Its address, `sc://HOST:PORT`, when it listens. `settings` are added to those that make it small."""
    (jar,) = _SPARK.glob("jars/spark-connect_*.jar")
    chosen = {**_SETTINGS, **(settings or {})}
    flags = [word for name, value in chosen.items() for word in ("--conf", f"{name}={value}")]
    server = "org.apache.spark.sql.connect.service.SparkConnectServer"
    command = [str(_SPARK / "bin" / "spark-submit"), "--master", "local[1]", "--class", server, *flags, str(jar)]
    running = subprocess.Popen(
        command, env=_environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=directory
    )
    assert running.stdout is not None
    listener = _Listener(running.stdout, directory / "connect.log")
    try:
        yield f"sc://127.0.0.1:{listener.port()}"
    finally:
        running.terminate()
        running.wait(_PATIENCE_SECONDS)
        listener.join()
        running.stdout.close()


class _Listener(threading.Thread):
    """Takes in all that the server says, so that it never waits for a reader, and hears when it is ready."""

    def __init__(self, said: IO[str], log: Path) -> None:
        super().__init__(daemon=True)
        self._said = said
        self._log = log
        self._port = ""
        self._heard = threading.Event()
        self.start()

    def run(self) -> None:
        with self._log.open("w") as kept:
            for line in self._said:
                kept.write(line)
                found = _READY.search(line)
                if found:
                    self._port = found[1]
                    self._heard.set()
        self._heard.set()

    def port(self) -> str:
        assert self._heard.wait(_PATIENCE_SECONDS), f"not ready in {_PATIENCE_SECONDS} s; see {self._log}"
        assert self._port, f"it ended without being ready: {self._log.read_text()[-2000:]}"
        return self._port


def _environment() -> dict[str, str]:
    return {
        **os.environ,
        "JAVA_HOME": str(find_java().home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LAUNCHER_OPTS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    }
