"""`spark-submit` of the packed entry file, where Muster is not installed: the tables of a local run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyspark

from muster.cli.main import main
from muster.pipeline.java import find_java
from tests.pipeline.cluster.hadoop import Hadoop
from tests.pipeline.cluster.private_workers import installed_code, without_sight_of
from tests.pipeline.cluster.runs import SMALL, digests, open_lake, source_flags

SUBMIT = str(Path(pyspark.__file__).parent / "bin" / "spark-submit")


def test_the_packed_job_on_private_workers(
    data: Path, hdfs: Hadoop, private_master: str, expected: dict[str, str], tmp_path: Path
) -> None:
    """The driver does not see our source either: everything of ours comes from the zip."""
    assert main(["pipeline", "package", "--out", str(tmp_path)]) == 0
    lake = f"{hdfs.url}/submitted/lake"
    settings = [word for name, value in SMALL.items() for word in ("--conf", f"{name}={value}")]
    command = [SUBMIT, "--master", private_master, *settings, "--py-files", str(tmp_path / "muster.zip")]
    job = [str(tmp_path / "muster_pipeline.py"), *source_flags(data), "--lake", lake]
    ran = subprocess.run(
        without_sight_of([installed_code()], [*command, *job]),
        env={
            **os.environ,
            "JAVA_HOME": str(find_java().home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": sys.executable,
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
        },
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert digests(open_lake(lake)) == expected
