"""What Spark's Kafka connector gives becomes rows of the log, and what is said where it cannot be had.

That it reads a server as a stream is in tests/pipeline/cluster, which has its jars.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from muster.core.records import OffsetCommitted
from muster.log.record_codec import encode_record
from muster.pipeline.log_schema import LOG
from muster.pipeline.sources.connector_stream import DecodeRecords, connector_stream, tick_stream
from muster.pipeline.sources.failure import SourceError
from muster.server.running import RunningServer
from muster.server.settings import Settings
from tests.pipeline.sources.connector_run import commit
from tests.pipeline.sources.streamed import Streamed
from tests.pipeline.sources.written_log import NOW_MS, TOPIC


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    settings = {
        "muster.data": str(tmp_path / "data"),
        "listeners": "127.0.0.1:0",
        "offsets.topic.num.partitions": "2",
    }
    with RunningServer(Settings.of(settings)) as running:
        yield running


def create_topic(bootstrap: str) -> None:
    from confluent_kafka.admin import AdminClient, NewTopic

    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    admin.create_topics([NewTopic("orders", 1, 1)])["orders"].result(30)


def test_records_of_the_connector_become_rows_of_the_log(spark: Any) -> None:
    key, value = encode_record(OffsetCommitted("g", "t", 3, 42, 2, "", NOW_MS))
    columns = {
        "topic": pa.array([TOPIC, TOPIC]),
        "partition": pa.array([1, 1], pa.int32()),
        "offset": pa.array([7, 9], pa.int64()),
        "record_ms": pa.array([NOW_MS, NOW_MS + 1], pa.int64()),
        "key": pa.array([key, b"\x00"], pa.large_binary()),
        "value": pa.array([value, None], pa.large_binary()),
    }
    (rows,) = DecodeRecords("c", 2)(iter([pa.RecordBatch.from_pydict(columns)]))
    assert rows.schema == LOG
    first, second = rows.to_pylist()
    known = ("cluster", "log_offset", "record_ms", "group_id", "committed_offset", "source", "is_control", "dt")
    assert [first[name] for name in known] == ["c", 7, NOW_MS, "g", 42, "kafka", False, "2023-11-14"]
    assert [first[name] for name in ("producer_id", "batch_base_offset", "is_transactional")] == [None] * 3
    assert (second["problem"] is None, second["place"]) == (False, f"kafka {TOPIC}-1 offset 9")


def test_tick_stream_has_no_rows_and_a_micro_batch_when_it_is_due(spark: Any, tmp_path: Path) -> None:
    stream = Streamed(spark, tmp_path, lambda: tick_stream(spark, 0.001))
    stream.run_to_the_end()
    stream.run_to_the_end()
    assert stream.batches == [0, 0]
    without = Streamed(spark, tmp_path, lambda: tick_stream(spark, None))
    without.run_to_the_end()
    assert without.batches == []
    assert without.offset()["tick"] > 0


def test_cluster_without_a_log_and_a_missing_connector_are_said(spark: Any, server: RunningServer) -> None:
    with pytest.raises(SourceError, match=r"there is no __consumer_offsets yet, .*--reader own, which waits for it"):
        connector_stream(spark, server.address)
    create_topic(server.address)
    commit(server.address, 1)
    with pytest.raises(SourceError, match=r"the Maven package org\.apache\.spark:spark-sql-kafka-0-10"):
        connector_stream(spark, server.address)
