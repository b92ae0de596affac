"""What the tests share: a Kafka log, the tables that a local run makes of it, and the clusters, each started once.

These tests need Maven and much of the machine: only `make pipeline-cluster` collects them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pipeline.cluster.hadoop import Hadoop, hadoop
from tests.pipeline.cluster.needs import Missing
from tests.pipeline.cluster.private_workers import private_cluster
from tests.pipeline.cluster.runs import digests, open_lake, run_pipeline
from tests.pipeline.cluster.s3 import S3, s3
from tests.pipeline.jobs.kafka_log import unpacked

collect_ignore_glob = [] if os.environ.get("TEST_PIPELINE_CLUSTER") else ["test_*.py"]


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A broker's disk: tasks read it where they run, so it is the one directory that all of them see."""
    return unpacked(tmp_path_factory.mktemp("kafka"))


@pytest.fixture(scope="session")
def local_lake(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    lake = tmp_path_factory.mktemp("local") / "lake"
    ran = run_pipeline(data, str(lake))
    assert ran.returncode == 0, ran.stderr
    return lake


@pytest.fixture(scope="session")
def expected(local_lake: Path) -> dict[str, str]:
    """The tables that a run on this machine alone makes."""
    found = digests(open_lake(str(local_lake)))
    assert {"log", "g_lag", "g_status", "g_rebalance", "s_current_offset"} <= set(found)
    return found


@pytest.fixture(scope="session")
def hdfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hadoop]:
    try:
        with hadoop(tmp_path_factory.mktemp("hadoop"), with_yarn=True) as running:
            yield running
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def bucket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3]:
    try:
        with s3(tmp_path_factory.mktemp("s3")) as running:
            yield running
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def hidden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of the driver: to the private workers it is another, empty one."""
    return tmp_path_factory.mktemp("hidden")


@pytest.fixture(scope="session")
def private_master(hidden: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    try:
        with private_cluster(tmp_path_factory.mktemp("private"), [hidden]) as address:
            yield address
    except Missing as missing:
        pytest.skip(str(missing))
