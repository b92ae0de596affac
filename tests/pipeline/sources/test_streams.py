"""The sources as streams of a user's own Spark job: what is read is what a batch read gives, once, over stops and growth."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muster.pipeline.schemas import spark_schema
from muster.pipeline.sources.broker import read_broker
from muster.pipeline.sources.segments import read_segments
from muster.pipeline.sources.spark_sources import register
from muster.server.running import RunningServer
from muster.server.settings import Settings


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


class Stream:
    """A job that appends what it reads to files, with a checkpoint beside them."""

    def __init__(self, spark: Any, home: Path, source: str, options: dict[str, str]) -> None:
        self._spark = spark
        self._out, self._checkpoint = str(home / "out"), home / "checkpoint"
        self._source, self._options = source, options

    def start(self, **trigger: Any) -> Any:
        rows = self._spark.readStream.format(self._source).options(**self._options).load()
        writer = rows.writeStream.format("parquet").option("path", self._out)
        return writer.option("checkpointLocation", str(self._checkpoint)).trigger(**trigger).start()

    def run_to_the_end(self) -> None:
        assert self.start(availableNow=True).awaitTermination(120)

    def rows(self) -> list[tuple[Any, ...]]:
        return keys(self._spark.read.schema(spark_schema("b_log_record")).parquet(self._out))

    def offsets(self) -> dict[str, int]:
        """Of the newest batch in the checkpoint: its last line."""
        newest = max((self._checkpoint / "offsets").glob("[0-9]*"), key=lambda file: int(file.name))
        found: dict[str, int] = json.loads(newest.read_text().splitlines()[-1])
        return found


def keys(frame: Any) -> list[tuple[Any, ...]]:
    return sorted(
        (row["log_partition"], row["log_offset"], bytes(row["key"] or b""), bytes(row["value"] or b""))
        for row in frame.collect()
    )


def test_stream_over_a_growing_broker_and_its_restart_equal_the_batch_read(
    spark: Any, server: RunningServer, tmp_path: Path
) -> None:
    register(spark)
    commit(server, 1, 2)
    stream = Stream(spark, tmp_path, "muster_broker", {"bootstrap": server.address})
    query = stream.start(processingTime="500 milliseconds")
    try:
        query.processAllAvailable()
        assert len(stream.rows()) == 2
        commit(server, 3)
        query.processAllAvailable()
    finally:
        query.stop()
    commit(server, 4, 5)
    stream.run_to_the_end()
    batch = keys(read_broker(spark, server.address))
    assert stream.rows() == batch
    assert len(batch) == 5
    assert sum(stream.offsets().values()) == 5, "the checkpoint holds the next offset of each log partition"


def test_streams_from_the_files_and_from_the_broker_give_the_same_rows(
    spark: Any, server: RunningServer, tmp_path: Path
) -> None:
    register(spark)
    commit(server, 1, 2, 3)
    streams = {
        "muster_broker": {"bootstrap": server.address},
        "muster_segments": {"directories": str(tmp_path / "data")},
    }
    found = {}
    for source, options in streams.items():
        stream = Stream(spark, tmp_path / source, source, {**options, "cluster": "c"})
        stream.run_to_the_end()
        found[source] = stream.rows()
    assert found["muster_broker"] == found["muster_segments"]
    assert len(found["muster_broker"]) == 3
    assert keys(read_segments(spark, [str(tmp_path / "data")])) == found["muster_segments"]


def test_stream_starts_where_it_is_told_to(spark: Any, server: RunningServer, tmp_path: Path) -> None:
    register(spark)
    commit(server, 1, 2, 3)
    ends = {row[0]: row[1] + 1 for row in keys(read_broker(spark, server.address))}
    starts = json.dumps({str(partition): end for partition, end in ends.items()})
    stream = Stream(spark, tmp_path, "muster_broker", {"bootstrap": server.address, "startOffsets": starts})
    commit(server, 4)
    stream.run_to_the_end()
    assert len(stream.rows()) == 1
