"""What Spark's Kafka connector gives becomes rows of the log, and what is said where it cannot be had.

That it reads a server as a stream is in tests/pipeline/cluster, which has its jars.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from muster.core.records import OffsetCommitted
from muster.log.record_codec import encode_record
from muster.pipeline.log_schema import LOG, log_spark_schema
from muster.pipeline.sources.connector_stream import DecodeRecords, as_record_columns, connector_stream, tick_stream
from muster.pipeline.sources.failure import SourceError
from muster.pipeline.sources.run_source import BrokerSource, StreamSettings
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
    """Times become milliseconds; what the connector does not show is null."""
    key, value = encode_record(OffsetCommitted("g", "t", 3, 42, 2, "", NOW_MS))
    assert value is not None
    columns = "key binary, value binary, topic string, partition int, offset long, timestamp timestamp"
    times = [datetime.fromtimestamp(ms / 1000, UTC) for ms in (NOW_MS, NOW_MS + 1)]
    raw = [
        (bytearray(key), bytearray(value), TOPIC, 1, 7, times[0]),
        (bytearray(b"\x00"), None, TOPIC, 1, 9, times[1]),
    ]
    records = as_record_columns(spark.createDataFrame(raw, columns).coalesce(1))
    rows = records.mapInArrow(DecodeRecords("c", 2), log_spark_schema()).toArrow()
    assert rows.schema.names == LOG.names
    first, second = rows.to_pylist()
    known = ("cluster", "log_offset", "record_ms", "group_id", "committed_offset", "source", "is_control", "dt")
    assert [first[name] for name in known] == ["c", 7, NOW_MS, "g", 42, "kafka", False, "2023-11-14"]
    assert [first[name] for name in ("producer_id", "batch_base_offset", "is_transactional")] == [None] * 3
    assert (second["problem"] is None, second["place"], second["record_ms"]) == (
        False,
        f"kafka {TOPIC}-1 offset 9",
        NOW_MS + 1,
    )


def test_tick_stream_has_no_rows_and_a_micro_batch_when_it_is_due(spark: Any, tmp_path: Path) -> None:
    stream = Streamed(spark, tmp_path, lambda: tick_stream(spark, 0.001))
    stream.run_to_the_end()
    stream.run_to_the_end()
    assert stream.batches == [0, 0]
    without = Streamed(spark, tmp_path, lambda: tick_stream(spark, None))
    without.run_to_the_end()
    assert without.batches == []
    assert without.offset()["tick"] > 0


def test_connector_has_one_limit_for_all_log_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    """It shares it out by what waits in each: times the number of partitions, one hot partition could get all of that."""
    asked: list[Mapping[str, str]] = []

    def open_stream(_: object, options: Mapping[str, str]) -> Any:
        asked.append(options)
        raise SourceError("that was all")

    monkeypatch.setattr("muster.pipeline.sources.connector_stream.open_stream", open_stream)
    monkeypatch.setattr("muster.pipeline.sources.connector_stream._partitions", lambda *_: {TOPIC: list(range(50))})
    source = BrokerSource("broker:9092", "c", by_connector=True)
    with pytest.raises(SourceError, match="that was all"):
        source.stream(None, StreamSettings(offsets_per_partition=125_000, offsets_in_all=700_000))
    assert [each["maxOffsetsPerTrigger"] for each in asked] == ["700000"]


def test_cluster_without_a_log_and_a_missing_connector_are_said(spark: Any, server: RunningServer) -> None:
    with pytest.raises(SourceError, match=r"there is no __consumer_offsets yet, .*--reader own, which waits for it"):
        connector_stream(spark, server.address)
    create_topic(server.address)
    commit(server.address, 1)
    with pytest.raises(SourceError, match=r"the Maven package org\.apache\.spark:spark-sql-kafka-0-10"):
        connector_stream(spark, server.address)
