"""Streams from a running broker: what is read is what a batch read gives, once, over stops and growth; and as from its files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException

from muster.core.internal_topics import GROUP_JOURNAL
from muster.pipeline.sources.broker import BrokerLogs
from muster.pipeline.sources.failure import SourceError
from muster.pipeline.sources.log_source import Stretch
from muster.pipeline.sources.positions import behind, positions_in
from muster.pipeline.sources.run_source import (
    BrokerSource,
    RunSource,
    StreamSettings,
    broker_source,
    directory_source,
)
from muster.server.running import RunningServer
from muster.server.settings import Settings
from tests.pipeline.decode.test_muster_log import PARTITIONS, server_on, wake
from tests.pipeline.sources.read_broker import read_broker
from tests.pipeline.sources.streamed import Row, Streamed, batch_rows
from tests.pipeline.sources.written_log import TOPIC
from tests.server.groups.group_client import GroupClient


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    settings = {
        "muster.data": str(tmp_path / "data"),
        "listeners": "127.0.0.1:0",
        "offsets.topic.num.partitions": "2",
    }
    with RunningServer(Settings.of(settings)) as running:
        yield running


def commit(server: RunningServer, *offsets: int) -> None:
    from confluent_kafka import Consumer, TopicPartition
    from confluent_kafka.admin import AdminClient, NewTopic

    where = {"bootstrap.servers": server.address, "log_level": 0}
    if "orders" not in AdminClient(where).list_topics(timeout=30).topics:
        admin = AdminClient(where)
        admin.create_topics([NewTopic("orders", 1, 1)])["orders"].result(30)
    for offset in offsets:
        consumer = Consumer({**where, "group.id": f"g{offset}"})
        consumer.commit(offsets=[TopicPartition("orders", 0, offset)], asynchronous=False)
        consumer.close()


def stream_of(spark: Any, home: Path, source: RunSource, **settings: Any) -> Streamed:
    return Streamed(spark, home, lambda: source.stream(spark, StreamSettings(**settings)))


def test_stream_over_a_growing_broker_and_its_restart_equal_the_batch_read(
    spark: Any, server: RunningServer, tmp_path: Path
) -> None:
    source = broker_source(server.address, "c")
    stream = stream_of(spark, tmp_path, source, offsets_per_partition=1)
    query = stream.start(processingTime="200 milliseconds")
    try:
        query.processAllAvailable()
        assert stream.rows() == [], "nobody has committed yet: there is no log"
        commit(server, 1, 2, 3)
        query.processAllAvailable()
        assert len(offsets_in(stream.rows())) == 3
        commit(server, 4)
        query.processAllAvailable()
    finally:
        query.stop()
    commit(server, 5, 6)
    stream.run_to_the_end()
    stream.run_to_the_end()  # the journal may have been written behind the ends that the first one saw
    assert offsets_in(stream.rows()) == offsets_in(batch_rows(read_broker(spark, server.address, cluster="c")))
    assert len(offsets_in(stream.rows())) == 6
    ends = source.ends()
    assert behind(positions_in(stream.offset()), {TOPIC: ends[TOPIC]}) == 0
    assert set(ends) == {TOPIC, GROUP_JOURNAL}


def test_streams_from_the_files_and_from_the_broker_give_the_same_rows(
    spark: Any, server: RunningServer, tmp_path: Path
) -> None:
    commit(server, 1, 2, 3)
    sources: dict[str, RunSource] = {
        "tcp": broker_source(server.address, None),
        "files": directory_source((str(tmp_path / "data"),), None),
    }
    assert sources["tcp"].cluster == sources["files"].cluster
    assert sources["tcp"].ends()[TOPIC] == sources["files"].ends()[TOPIC]
    found = {}
    for name, source in sources.items():
        stream = stream_of(spark, tmp_path / name, source)
        stream.run_to_the_end()
        found[name] = [{**row, "source": None} for row in offsets_in(stream.rows())]
    assert found["tcp"] == found["files"]
    assert len(found["tcp"]) == 3


def test_look_ahead_counts_the_records_of_a_running_broker(server: RunningServer) -> None:
    commit(server, *range(1, 9))
    for partition, end in (logs := BrokerLogs(server.address)).ends().items():
        whole = [Stretch(partition, 0, end)]
        for records in (1, 2, end + 5):
            assert logs.reach(whole, records) == {partition: records}, "there are no holes"


def test_journal_is_read_beside_the_offsets(spark: Any, tmp_path: Path) -> None:
    with server_on(tmp_path) as server:
        with GroupClient(server.port) as client:
            wake(client)
            client.join("g1", version=3).answer()
        address = server.address
        assert broker_source(address, None).journal_partitions() == set(range(PARTITIONS))
    source = directory_source((str(tmp_path),), None)
    assert source.journal_partitions() == set(range(PARTITIONS))
    stream = stream_of(spark, tmp_path / "stream", source)
    stream.run_to_the_end()
    kinds = [row["event"]["kind"] for row in stream.rows() if row["log_topic"] == GROUP_JOURNAL]
    assert kinds[0] == "group_created"
    assert {"member_joined", "rebalance_started", "join_completed"} <= set(kinds)


def test_broker_that_does_not_answer_ends_the_query_with_its_address(
    spark: Any, server: RunningServer, tmp_path: Path
) -> None:
    stream = stream_of(spark, tmp_path, BrokerSource("127.0.0.1:1", "c"))
    with pytest.raises(StreamingQueryException, match=r"SourceError: 127\.0\.0\.1:1: cannot connect"):
        stream.run_to_the_end()
    with pytest.raises(SourceError, match=r"127\.0\.0\.1:1: cannot connect"):
        broker_source("127.0.0.1:1", None)


def offsets_in(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["log_topic"] == TOPIC]
