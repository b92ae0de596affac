"""Spark's Kafka connector as the source of a stream: the same commits, limits and restarts; and decoding what it gives."""

from __future__ import annotations

import json
import subprocess
import sys
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
from tests.pipeline.sources.connector_jars import connector_jars
from tests.pipeline.sources.connector_run import commit
from tests.pipeline.sources.streamed import Streamed
from tests.pipeline.sources.written_log import NOW_MS, TOPIC

ROOT = Path(__file__).parents[3]


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


def test_connector_stream_reads_every_commit_once_over_limits_and_restarts(
    server: RunningServer, tmp_path: Path
) -> None:
    jars = ",".join(map(str, connector_jars(since=(4, 2))))  # older ones read batches only on Spark 4.3
    create_topic(server.address)
    commit(server.address, *range(7))
    arguments = [server.address, str(tmp_path / "out"), jars, "", server.address]
    command = [sys.executable, "-m", "tests.pipeline.sources.connector_run", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    offsets = [row for row in found["rows"] if row["log_topic"] == TOPIC]
    assert [row["committed_offset"] for row in offsets] == list(range(8))
    assert {(row["group_id"], row["source"]) for row in offsets} == {("billing", "kafka")}
    first, second, third, ticked = found["batches"]
    assert len(first) >= 2, "seven commits in micro-batches of a few offsets"
    assert sum(second) == 1
    assert third == [], "nothing new"
    assert ticked == [0], "nothing new but a tick"


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
