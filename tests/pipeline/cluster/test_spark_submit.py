"""`spark-submit` of the packed entry file, where Muster is not installed: the tables of a local run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyarrow.parquet as pq
import pyspark
import pytest

from muster.cli.main import main
from muster.pipeline.java import find_java
from muster.server.running import RunningServer
from muster.server.settings import Settings
from tests.pipeline.cluster.hadoop import Hadoop
from tests.pipeline.cluster.needs import CONNECTOR, Missing, jars
from tests.pipeline.cluster.private_workers import installed_code, without_sight_of
from tests.pipeline.cluster.runs import SMALL, YARN, digests, open_lake, source_flags
from tests.pipeline.cluster.s3 import S3
from tests.pipeline.kafka_clients import create_topics
from tests.pipeline.sources.connector_run import commit

OWN_TABLE = Path(__file__).parents[3] / "examples" / "own-table" / "costly_rebalances.py"
SUBMIT = str(Path(pyspark.__file__).parent / "bin" / "spark-submit")


@pytest.fixture
def submitted(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Packs the job and submits it; the side that submits does not see our source, so everything of ours comes from the zip."""
    assert main(["pipeline", "package", "--out", str(tmp_path)]) == 0

    def submit(
        where: Sequence[str], settings: Mapping[str, str], flags: Sequence[str], environment: Mapping[str, str] = {}
    ) -> subprocess.CompletedProcess[str]:
        confs = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
        files = ["--py-files", str(tmp_path / "muster.zip"), str(tmp_path / "muster_pipeline.py")]
        return subprocess.run(
            without_sight_of([installed_code()], [SUBMIT, *where, *confs, *files, *flags]),
            env={
                **os.environ,
                "JAVA_HOME": str(find_java().home),
                "SPARK_LOCAL_IP": "127.0.0.1",
                "PYSPARK_PYTHON": sys.executable,
                "XDG_CACHE_HOME": str(tmp_path / "cache"),
                **environment,
            },
            capture_output=True,
            text=True,
        )

    return submit


def test_the_packed_job_on_private_workers(
    data: Path,
    hdfs: Hadoop,
    private_master: str,
    expected: dict[str, str],
    submitted: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    """`--deploy-mode client`, which is the default: the driver runs here, and does not see our source either."""
    lake = f"{hdfs.url}/submitted/lake"
    ran = submitted(["--master", private_master], SMALL, [*source_flags(data), "--lake", lake])
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert digests(open_lake(lake)) == expected


def test_the_packed_job_on_s3_with_access_named_to_spark_submit(
    data: Path,
    bucket: S3,
    expected: dict[str, str],
    submitted: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    """Behind the file nothing of the store is named, nor in the environment: delta-rs needs it, too."""
    lake = f"{bucket.url}/submitted/lake"
    access = bucket.spark_settings | {"spark.hadoop.fs.s3a.secret.key": "never-shown"}
    ran = submitted(["--master", "local[1]"], access, [*source_flags(data), "--lake", lake])
    assert ran.returncode == 0, ran.stdout + ran.stderr[-3000:]
    assert "never-shown" not in ran.stdout + ran.stderr
    assert digests(open_lake(lake, bucket.spark_settings)) == expected


def test_auto_takes_the_connector_that_spark_submit_was_given(
    tmp_path: Path, submitted: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    try:
        connector = ",".join(map(str, jars("connector", CONNECTOR, alone=True).files))
    except Missing as missing:
        pytest.skip(str(missing))
    where = ["--master", "local[1]", "--jars", connector]
    with RunningServer(Settings.of({"muster.data": str(tmp_path / "data"), "listeners": "127.0.0.1:0"})) as server:
        create_topics(server.address, {"orders": 1})
        commit(server.address, 5)
        ran = submitted(where, {}, ["--bootstrap", server.address, "--lake", str(tmp_path / "lake")])
    assert ran.returncode == 0, ran.stdout
    lake = open_lake(str(tmp_path / "lake"))
    assert set(lake.arrow("log")["source"].to_pylist()) == {"kafka"}
    assert lake.arrow("g_lag")["committed"].to_pylist() == [5]


def test_the_example_of_an_own_table_in_a_session_without_our_settings(local_lake: Path, tmp_path: Path) -> None:
    """As docs/write-your-own-table.md has it; `tests/pipeline/stream/test_own_table.py` looks at the rows."""
    out = tmp_path / "costly-rebalances"
    environment = {"JAVA_HOME": str(find_java().home), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    ran = subprocess.run(
        [SUBMIT, "--master", "local[1]", str(OWN_TABLE), str(local_lake), str(out)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    rebalances = open_lake(str(local_lake)).arrow("g_rebalance").num_rows
    assert sum(pq.read_table(out)["rebalances"].to_pylist()) == rebalances > 0


@pytest.mark.parametrize("deploy_mode", ["client", "cluster"])
def test_the_packed_job_on_yarn(
    data: Path,
    hdfs: Hadoop,
    expected: dict[str, str],
    deploy_mode: str,
    submitted: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    """With `cluster` the driver runs in a container of YARN, and what it says is in the container's log."""
    lake = f"{hdfs.url}/submitted-{deploy_mode}/lake"
    where = ["--master", "yarn", "--deploy-mode", deploy_mode]
    environment = {"HADOOP_CONF_DIR": str(hdfs.conf)}
    ran = submitted(where, YARN, [*source_flags(data), "--lake", lake], environment)
    assert ran.returncode == 0, ran.stderr[-3000:]
    # Where spark-submit starts the driver itself, it passes what the driver says to its own standard output.
    assert ("starting Spark on the master of spark-submit" in ran.stdout) == (deploy_mode == "client")
    assert digests(open_lake(lake)) == expected


def test_a_driver_that_fails_in_the_cluster_fails_the_submission(
    hdfs: Hadoop, tmp_path: Path, submitted: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    where = ["--master", "yarn", "--deploy-mode", "cluster"]
    flags = ["--from", str(tmp_path / "nowhere"), "--lake", f"{hdfs.url}/submitted-in-vain/lake"]
    settings = {**YARN, "spark.yarn.maxAppAttempts": "1"}
    ran = submitted(where, settings, flags, {"HADOOP_CONF_DIR": str(hdfs.conf)})
    assert ran.returncode != 0
    assert "exited with status 1" in ran.stderr, "the exit code of `muster pipeline run`"
