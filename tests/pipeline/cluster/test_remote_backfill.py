"""`muster spark backfill` of a checkpoint that lies on HDFS and S3: the group gets the offsets that the query has there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from muster.pipeline.session import SessionSettings, open_session
from muster.server.running import RunningServer
from muster.server.settings import Settings
from tests.pipeline.cluster.hadoop import Hadoop
from tests.pipeline.cluster.runs import SMALL
from tests.pipeline.cluster.s3 import S3
from tests.pipeline.tracking.story import fill
from tests.pipeline.tracking.test_backfill import backfill, checkpoint, committed


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    settings = {"muster.data": str(tmp_path_factory.mktemp("data")), "listeners": "127.0.0.1:0"}
    with RunningServer(Settings.of(settings)) as running:
        fill(running.address, 40)
        yield running


@pytest.fixture(scope="module")
def checkpoints(hdfs: Hadoop, bucket: S3, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The same checkpoint on both, put there by Hadoop's own file systems."""
    local = checkpoint(
        tmp_path_factory.mktemp("c") / "query",
        '{"orders":{"0":3}}',
        '{"orders":{"0":7,"1":9}}',
        unfinished='{"orders":{"0":15}}',
    )
    urls = {"hdfs": f"{hdfs.url}/checkpoints/query", "s3": f"{bucket.url}/checkpoints/query"}
    with open_session(SessionSettings(master="local[1]", extra={**SMALL, **bucket.spark_settings})) as spark:
        path = spark._jvm.org.apache.hadoop.fs.Path
        for url in urls.values():
            system = path(url).getFileSystem(spark._jsc.hadoopConfiguration())
            # One by one as Spark writes them: S3A copies directories by a client of its own, which waits for minutes here.
            for file in (each for each in local.rglob("*") if each.is_file() and each.suffix != ".crc"):
                written = system.create(path(f"{url}/{file.relative_to(local)}"))
                written.write(bytearray(file.read_bytes()))
                written.close()
    return urls


@pytest.mark.parametrize("storage", ["hdfs", "s3"])
def test_checkpoint_on_a_remote_file_system_is_committed(
    server: RunningServer,
    checkpoints: dict[str, str],
    bucket: S3,
    storage: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in bucket.environment.items():
        monkeypatch.setenv(name, value)
    flags = ["--conf", f"spark.hadoop.fs.s3a.endpoint={bucket.endpoint}"] if storage == "s3" else []
    assert backfill(server, checkpoints[storage], *flags, group=f"etl-{storage}") == 0, capsys.readouterr().err
    assert committed(server, capsys, f"etl-{storage}") == {0: 7, 1: 9}
