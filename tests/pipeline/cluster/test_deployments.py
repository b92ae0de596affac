"""`muster pipeline run` on every kind of cluster and store gives the tables that it gives on one machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pipeline.cluster.hadoop import Hadoop
from tests.pipeline.cluster.runs import SMALL, YARN, digests, open_lake, run_pipeline
from tests.pipeline.cluster.s3 import S3
from tests.pipeline.jobs.connect_server import connect_server


def test_hdfs_from_this_machine(data: Path, hdfs: Hadoop, expected: dict[str, str]) -> None:
    lake = f"{hdfs.url}/local/lake"
    ran = run_pipeline(data, lake)
    assert ran.returncode == 0, ran.stderr
    assert digests(open_lake(lake)) == expected


def test_hdfs_from_workers_that_share_nothing_with_the_driver(
    data: Path, hdfs: Hadoop, private_master: str, expected: dict[str, str]
) -> None:
    """Twice: the second run finds its checkpoint and its lake in HDFS and has nothing to do."""
    lake = f"{hdfs.url}/private/lake"
    for _ in range(2):
        ran = run_pipeline(data, lake, master=private_master, settings=SMALL)
        assert ran.returncode == 0, ran.stderr
        assert digests(open_lake(lake)) == expected
    assert "up to date" in ran.stderr


def test_s3_from_workers_that_share_nothing_with_the_driver(
    data: Path, bucket: S3, private_master: str, expected: dict[str, str]
) -> None:
    lake, settings = f"{bucket.url}/lake", {**SMALL, **bucket.spark_settings}
    ran = run_pipeline(data, lake, master=private_master, settings=settings)
    assert ran.returncode == 0, ran.stderr
    assert digests(open_lake(lake, settings)) == expected


def test_yarn(data: Path, hdfs: Hadoop, expected: dict[str, str]) -> None:
    lake = f"{hdfs.url}/yarn/lake"
    environment = {"HADOOP_CONF_DIR": str(hdfs.conf)}
    ran = run_pipeline(data, lake, master="yarn", settings=YARN, environment=environment)
    assert ran.returncode == 0, ran.stderr
    assert digests(open_lake(lake)) == expected


def test_connect_server(data: Path, hdfs: Hadoop, expected: dict[str, str], tmp_path: Path) -> None:
    """The command runs where no Java can be found; our code reaches the server's workers as an artifact."""
    pytest.importorskip("grpc", reason="Spark Connect needs grpcio: pip install 'pyspark[connect]'")
    lake = f"{hdfs.url}/connect/lake"
    with connect_server(tmp_path) as address:
        ran = run_pipeline(data, lake, master=address, environment={"JAVA_HOME": "/nowhere"})
    assert ran.returncode == 0, ran.stderr
    assert digests(open_lake(lake)) == expected
