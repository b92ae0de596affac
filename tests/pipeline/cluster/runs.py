"""`muster pipeline run` as users run it, in a process of its own, and what tests ask of the lakes that it makes."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyspark

from muster.pipeline.lake.reader import Lake
from muster.pipeline.schemas import GOLD
from tests.pipeline.oracle.silver import SILVER

_COMPARED = {"log", *SILVER, *GOLD}
SMALL = {"spark.executor.memory": "512m", "spark.executor.cores": "1", "spark.driver.host": "127.0.0.1"}
"""What an executor of these tests needs, on loopback."""
YARN = {
    **SMALL,
    "spark.executor.instances": "2",
    "spark.yarn.am.memory": "512m",
    "spark.yarn.jars": f"local:{Path(pyspark.__file__).parent}/jars/*",  # installed on every node: nothing to upload
    "spark.pyspark.python": sys.executable,
}


def run_pipeline(
    data: Path,
    lake: str,
    *,
    master: str = "local[*]",
    settings: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Of a data directory."""
    return run_from(source_flags(data), lake, master=master, settings=settings, environment=environment)


def run_from(
    source: Sequence[str],
    lake: str,
    *,
    master: str = "local[*]",
    settings: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """`source`: the flags that name what is read, and how."""
    flags = [word for name, value in (settings or {}).items() for word in ("--conf", f"{name}={value}")]
    command = [
        sys.executable,
        "-m",
        "muster",
        "pipeline",
        "run",
        *source,
        "--lake",
        lake,
        "--master",
        master,
    ]
    return subprocess.run(
        [*command, *flags],
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", **(environment or {})},
        capture_output=True,
        text=True,
    )


def follow_one_batch(
    data: Path,
    lake: Path,
    *flags: str,
    environment: Mapping[str, str] | None = None,
    at_first: Callable[[list[str]], None] = lambda said: None,
) -> tuple[int, list[str]]:
    """`--follow` that gets a Ctrl-C when it tells of its first batch: its exit code, and all that it said. `at_first` sees
    what it had said by then.
    """
    command = [sys.executable, "-m", "muster", "pipeline", "run", *source_flags(data), "--lake", str(lake), "--follow"]
    said: list[str] = []
    with subprocess.Popen(
        [*command, *flags], env={**os.environ, **(environment or {})}, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stderr is not None
        for line in running.stderr:
            said.append(line)
            if "batch 1:" in line:
                at_first(said)
                running.send_signal(signal.SIGINT)
    return running.returncode, said


def source_flags(data: Path) -> list[str]:
    return ["--from", str(data), "--cluster", "kafka"]


def open_lake(url: str, settings: Mapping[str, str] | None = None) -> Lake:
    """As `muster lag` opens it: by delta-rs, without Java."""
    return Lake.open(url, settings)


def digests(lake: Lake) -> dict[str, str]:
    """Equal for equal rows of every table, whatever their order and their files."""
    return {table: digest(lake.arrow(table).to_pylist()) for table in lake.tables if table in _COMPARED}


def digest(rows: list[dict[str, Any]]) -> str:
    lines = sorted(repr(sorted(row.items())) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
