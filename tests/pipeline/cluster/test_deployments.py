"""`muster pipeline run` on every kind of cluster and store gives the tables that it gives on one machine."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from confluent_kafka import TopicPartition

from muster.server.running import RunningServer
from muster.server.settings import Settings
from tests.pipeline.cluster.hadoop import Hadoop
from tests.pipeline.cluster.needs import CONNECTOR, Missing, jars
from tests.pipeline.cluster.runs import SMALL, YARN, digests, open_lake, run_from, run_pipeline
from tests.pipeline.cluster.s3 import S3
from tests.pipeline.jobs.connect_server import connect_server
from tests.pipeline.kafka_clients import commit, consumer_of
from tests.pipeline.stream.lakes import comparable, decoded_log
from tests.pipeline.tracking.story import fill
from tests.pipeline.tracking.tracked_run import TOPIC


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


@pytest.mark.parametrize("reader", ["own", "connector"])
def test_a_broker_from_workers_that_share_nothing_with_the_driver(
    hdfs: Hadoop, hidden: Path, private_master: str, reader: str
) -> None:
    """They see its port and nothing of its disk. Twice: the second run goes on behind the first."""
    lake, settings, data = f"{hdfs.url}/broker-{reader}/lake", SMALL, hidden / f"broker-{reader}"
    if reader == "connector":
        settings = {**SMALL, "spark.jars": connector_jars()}
    with RunningServer(Settings.of({"muster.data": str(data), "listeners": "127.0.0.1:0"})) as server:
        fill(server.address, 40)
        source = ["--bootstrap", server.address, "--reader", reader]
        for commits in ({"billing": 7}, {"billing": 12, "audit": 20}):
            for group, offset in commits.items():
                with closing(consumer_of(server.address, group)) as member:
                    commit(member, [TopicPartition(TOPIC, number, offset) for number in (0, 1)])
            ran = run_from(source, lake, master=private_master, settings=settings)
            assert ran.returncode == 0, ran.stderr
            found = open_lake(lake).arrow("g_lag", ["group_id", "partition", "committed", "end", "lag"])
            assert comparable(found) == [
                (group, number, offset, 20, 20 - offset)
                for group, offset in sorted(commits.items())
                for number in (0, 1)
            ]
        place = ["log_topic", "log_partition", "log_offset", "group_id", "committed_offset"]
        read = open_lake(lake).arrow("log").select(place)
        # While the server runs: at its end it writes into the journal.
        assert comparable(read) == comparable(decoded_log(data, "any").select(place))


def connector_jars() -> str:
    try:
        return ",".join(map(str, jars("connector", CONNECTOR, alone=True).files))
    except Missing as missing:
        pytest.skip(str(missing))


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
