"""Spark where one machine is not enough: a real master with two workers gives the same tables as local."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.pipeline.jobs.kafka_log import digest, digests
from tests.pipeline.jobs.standalone import standalone_cluster


def test_a_cluster_of_two_workers_gives_the_same_tables_as_local(
    spark: Any, data: Path, whole: Path, tmp_path: Path
) -> None:
    """Issue 6. The run is the command itself, so our code reaches the workers as it does for users."""
    lake = tmp_path / "lake"
    (tmp_path / "cluster").mkdir()
    command = [
        sys.executable,
        "-m",
        "muster",
        "pipeline",
        "run",
        "--from",
        str(data),
        "--cluster",
        "kafka",
        "--lake",
        str(lake),
    ]
    with standalone_cluster(tmp_path / "cluster", workers=2) as master:
        settings = ["spark.executor.memory=512m", "spark.executor.cores=1", "spark.cores.max=2"]
        flags = [flag for setting in settings for flag in ("--conf", setting)]
        ran = subprocess.run(
            [*command, "--master", master, *flags],
            env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"},
            capture_output=True,
            text=True,
        )
    assert ran.returncode == 0, ran.stderr
    assert "0 behind" in ran.stderr
    assert digest(lake, "b_log_record") == digest(whole, "b_log_record")
    assert digests(lake) == digests(whole)
