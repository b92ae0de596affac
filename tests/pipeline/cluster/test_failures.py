"""What a cluster lacks is said in one line before anything is begun."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from muster.pipeline.lake.location import table_directory
from tests.pipeline.cluster.hadoop import Hadoop
from tests.pipeline.cluster.needs import Missing, python_with
from tests.pipeline.cluster.runs import SMALL, run_pipeline
from tests.pipeline.cluster.s3 import S3


def last_line(stderr: str) -> str:
    assert "Traceback" not in stderr, stderr
    return stderr.strip().splitlines()[-1]


def test_a_lake_on_the_drivers_own_disk(data: Path, hidden: Path, private_master: str) -> None:
    """Workers would write to a directory of their own under the same name, and readers would find nothing."""
    ran = run_pipeline(data, str(hidden / "lake"), master=private_master, settings=SMALL)
    assert ran.returncode != 0
    assert "does not arrive here" in last_line(ran.stderr)
    assert not list((hidden / "lake").glob("_probe*")), "the probe cleans up"


def test_workers_without_our_packages(data: Path, hdfs: Hadoop, private_master: str) -> None:
    try:
        bare = python_with("bare", ["setuptools"])
    except Missing as missing:
        pytest.skip(str(missing))
    # Not under our cache directory, which the private workers do not see.
    seen = Path(f"/tmp/muster-bare-python-{os.getpid()}")
    shutil.copytree(bare.parent.parent, seen, symlinks=True)
    try:
        settings = {**SMALL, "spark.pyspark.python": str(seen / "bin" / "python")}
        ran = run_pipeline(data, f"{hdfs.url}/bare/lake", master=private_master, settings=settings)
    finally:
        shutil.rmtree(seen)
    assert ran.returncode != 0
    assert "pyarrow is missing" in last_line(ran.stderr)
    assert "polars is missing" in last_line(ran.stderr)
    assert os.uname().nodename in last_line(ran.stderr)


def _python(minor: int) -> str:
    """A Python of that version that starts: on the path, or one of pyenv's, which are not; empty if there is none."""
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [shutil.which(f"python3.{minor}"), *map(str, versions.glob(f"3.{minor}.*/bin/python3"))]
    starts = (each for each in found if each and subprocess.run([each, "-V"], capture_output=True).returncode == 0)
    return next(starts, "")


def test_workers_with_another_python(data: Path, hdfs: Hadoop, private_master: str) -> None:
    others = {minor: _python(minor) for minor in (12, 13, 14, 10) if minor != sys.version_info.minor}
    minor = next((each for each, path in others.items() if path), None)
    if minor is None:
        pytest.skip("there is no Python of another minor version on this machine")
    settings = {**SMALL, "spark.pyspark.python": others[minor]}
    ran = run_pipeline(data, f"{hdfs.url}/other/lake", master=private_master, settings=settings)
    assert ran.returncode != 0
    assert f"Python is 3.{minor}, this one is 3.{sys.version_info.minor}" in last_line(ran.stderr)


def test_s3_without_its_classes(data: Path, bucket: S3) -> None:
    settings = {name: value for name, value in bucket.spark_settings.items() if name != "spark.jars"}
    ran = run_pipeline(data, f"{bucket.url}/no-classes", settings=settings)
    assert ran.returncode != 0
    assert "hadoop-aws" in last_line(ran.stderr)


def test_a_name_node_that_does_not_answer(data: Path) -> None:
    ran = run_pipeline(data, "hdfs://127.0.0.1:1/lake")
    assert ran.returncode != 0
    assert "hdfs://127.0.0.1:1/lake" in last_line(ran.stderr)


def test_no_log_of_spark_is_left_when_a_run_fails_in_its_session(data: Path, tmp_path: Path) -> None:
    """Spark starts, and cannot write where the log is to go. It has a cache directory of its own: others may start just now."""
    lake = tmp_path / "lake"
    lake.mkdir()
    (lake / table_directory("log")).touch()
    ran = run_pipeline(data, str(lake), environment={"XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert ran.returncode != 0
    assert "reading the log" in last_line(ran.stderr)
    cache = tmp_path / "cache" / "muster"
    assert list(cache.glob("spark-*.jsa")), "Java had started and has ended"
    assert not list(cache.glob("spark-*.log"))
