"""The same rows through Spark: batch, stream, stop and go on; from files and from a running broker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from muster.core.records import GroupErased, OffsetCommitted
from muster.log.record_codec import encode_record
from muster.pipeline.decode import ROW_TABLES, decode_batch, decode_bronze
from muster.pipeline.decode.current_offsets import current_offsets
from muster.pipeline.decode.current_offsets_spark import read_current_offsets
from muster.pipeline.schemas import TABLES, spark_schema
from muster.pipeline.sources.failure import SourceError
from muster.pipeline.sources.kafka_connector import as_bronze, read_kafka
from muster.pipeline.sources.log_directories import log_folders
from muster.pipeline.sources.log_source import Stretch
from muster.pipeline.sources.segments import SegmentLogs, read_segments, segment_options
from muster.pipeline.sources.spark_source import LogDataSource, offsets_from
from tests.pipeline.sources.written_log import COMMIT, NOW_MS, TOPIC, WrittenLog


def commit(offset: int, group: str, partition: int = 0) -> tuple[bytes, bytes | None]:
    return encode_record(OffsetCommitted(group, "t", partition, offset, 2, "", NOW_MS))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two log partitions with commits, a group's end, a transaction, an unknown type, a bad value and a bad batch."""
    first, second = WrittenLog(tmp_path, partition=0), WrittenLog(tmp_path, partition=1)
    first.append(*[commit(offset, f"g{offset % 3}") for offset in range(40)])
    first.append((b"\x00\x0b\x00\x01s", b"\0\0"), (commit(1, "bad")[0], b"\x00\x09"))
    first.append(commit(7, "txn"), producer=5, transactional=True)
    first.end_transaction(5, COMMIT)
    second.append(*[commit(offset, "h", offset % 4) for offset in range(30)], compression=4)
    second.append(commit(1, "damaged"))
    second.append(encode_record(GroupErased("h")))
    second.damage(1, 70, b"\xff\xff\xff")
    return tmp_path


def rows_of(frame: Any) -> list[dict[str, Any]]:
    return sorted(
        (row.asDict(recursive=True) for row in frame.collect()),
        key=lambda row: (row["log_partition"], row.get("log_offset", row.get("record_type"))),
    )


def directly(data: Path, starts: dict[int, int] | None = None) -> list[dict[str, Any]]:
    """Bronze without Spark."""
    source = SegmentLogs((str(data),), TOPIC, "c")
    found: list[dict[str, Any]] = []
    for partition, end in source.ends().items():
        reader = source.open(Stretch(partition, (starts or {}).get(partition, 0), end))
        for rows in reader.bronze():
            found += rows.to_pylist()
    return found


def test_batch_read_gives_the_rows_of_the_plain_reader_in_one_task_a_log_partition(spark: Any, data: Path) -> None:
    frame = read_segments(spark, [str(data)], cluster="c")
    assert frame.schema == spark_schema("b_log_record")
    assert frame.rdd.getNumPartitions() == 2
    assert rows_of(frame) == directly(data)


def test_start_and_end_offsets_bound_the_read(spark: Any, data: Path) -> None:
    frame = read_segments(spark, [str(data)], starts={0: 38, 1: 100}, ends={0: 41, 1: 31})
    assert [(row["log_partition"], row["log_offset"]) for row in rows_of(frame)] == [(0, 38), (0, 39), (0, 40)]


def test_damaged_batch_is_read_as_quarantine(spark: Any, data: Path) -> None:
    (row,) = rows_of(read_segments(spark, [str(data)], cluster="c", table="b_quarantine"))
    assert (row["log_topic"], row["log_partition"], row["log_offset"]) == (TOPIC, 1, 30)
    assert f"{data}/{TOPIC}-1/00000000000000000000.log at byte " in row["where"]


def test_stream_that_stops_and_goes_on_gives_every_row_once(spark: Any, data: Path, tmp_path: Path) -> None:
    out, checkpoint = str(tmp_path / "out"), str(tmp_path / "checkpoint")
    read_segments(spark, [str(data)])  # registers the source

    def run() -> None:
        options = segment_options(SegmentLogs((str(data),), TOPIC, "c"))
        stream = spark.readStream.format("muster_segments").options(**options).load()
        writer = stream.writeStream.format("parquet").option("path", out).option("checkpointLocation", checkpoint)
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination()

    run()
    before = len(directly(data))
    assert spark.read.parquet(out).count() == before
    log = WrittenLog.__new__(WrittenLog)
    log.file, log.batches, log.end = data / f"{TOPIC}-1" / f"{0:020d}.log", [], 32
    log.append(commit(99, "later"))
    run()
    assert rows_of(spark.read.schema(spark_schema("b_log_record")).parquet(out)) == directly(data)
    assert len(directly(data)) == before + 1


def test_decode_on_spark_gives_the_rows_of_the_plain_decoder(spark: Any, data: Path) -> None:
    import pyarrow as pa

    tables = decode_bronze(read_segments(spark, [str(data)], cluster="c"), partition_count=None)
    bronze = pa.RecordBatch.from_pylist(directly(data), schema=TABLES["b_log_record"])
    plain = decode_batch(bronze)
    assert set(tables) == set(ROW_TABLES)
    for name, frame in tables.items():
        assert frame.columns == ROW_TABLES[name].names
        assert rows_of(frame) == plain[name].to_pylist(), name
    counts = {name: rows.num_rows for name, rows in plain.items() if rows.num_rows}
    assert counts == {
        "s_offset_commit": 71,
        "s_group_generation": 1,
        "txn_marker": 1,
        "b_quarantine": 1,
        "unknown_type": 1,
    }


def test_current_offsets_on_spark_are_those_of_the_plain_path(spark: Any, data: Path) -> None:
    found = [row.asDict() for row in read_current_offsets(spark, [str(data)], cluster="c").collect()]
    expected = current_offsets(log_folders([str(data)], TOPIC), cluster="c").to_pylist()
    assert sorted(found, key=str) == sorted(expected, key=str)
    assert {row["group_id"]: row["committed_offset"] for row in expected if row["group_id"] != "h"} == {
        "g0": 39,
        "g1": 37,
        "g2": 38,
        "txn": 7,
    }


def test_empty_directory_gives_no_rows(spark: Any, tmp_path: Path) -> None:
    assert read_segments(spark, [str(tmp_path)]).count() == 0
    with pytest.raises(SourceError, match="no partition of __consumer_offsets"):
        read_current_offsets(spark, [str(tmp_path)])


def test_wrong_options_are_named() -> None:
    with pytest.raises(SourceError, match="startOffsets = '7' is not a JSON object"):
        offsets_from("7", "startOffsets")
    with pytest.raises(SourceError, match="table = 'g_lag' cannot be read from a log"):
        LogDataSource({"table": "g_lag"}).table()


def test_connectors_columns_become_bronze_with_nulls_for_what_it_cannot_know(spark: Any) -> None:
    from datetime import UTC, datetime

    columns = "key binary, value binary, topic string, partition int, offset long, timestamp timestamp"
    row = (bytearray(b"k"), None, TOPIC, 4, 17, datetime(2023, 11, 14, 22, 13, 20, 123_000, tzinfo=UTC))
    frame = as_bronze(spark.createDataFrame([row], columns), "c")
    assert frame.columns == TABLES["b_log_record"].names
    (made,) = rows_of(frame)
    known = {name: value for name, value in made.items() if value is not None}
    assert known == {
        "cluster": "c",
        "log_topic": TOPIC,
        "log_partition": 4,
        "log_offset": 17,
        "record_ms": 1_700_000_000_123,
        "key": b"k",
        "is_control": False,
        "source": "kafka",
        "dt": "2023-11-14",
    }


def test_missing_connector_says_which_package_to_add(spark: Any) -> None:
    with pytest.raises(SourceError, match="spark-sql-kafka-0-10"):
        read_kafka(spark, "127.0.0.1:1")
