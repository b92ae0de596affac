"""The same rows through Spark as a batch read: the log table and the raw ones, from files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.types import StructType

from muster.core.internal_topics import GROUP_JOURNAL
from muster.core.records import GroupErased, OffsetCommitted
from muster.log.record_codec import encode_record
from muster.pipeline.decode.log_rows import log_rows
from muster.pipeline.log_schema import log_spark_schema
from muster.pipeline.schemas import TABLES, spark_schema
from muster.pipeline.sources.broker import brokers_from
from muster.pipeline.sources.failure import SourceError
from muster.pipeline.sources.log_source import Stretch
from muster.pipeline.sources.segments import SegmentLogs, segment_options, segments_from
from muster.pipeline.sources.spark_source import LogDataSource, offsets_from
from muster.pipeline.sources.spark_sources import SegmentDataSource, register
from tests.pipeline.sources.read_segments import read_segments
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


def raw(spark: Any, data: Path, **more: Any) -> Any:
    return read_segments(spark, [str(data)], cluster="c", **{"table": "b_log_record", **more})


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
    register(spark)
    options = {**segment_options([str(data)], "c"), "table": "b_log_record", "offsetsPerTask": "1"}
    frame = spark.read.format("muster_segments").options(**options).load()
    assert frame.schema == spark_schema("b_log_record")
    assert frame.rdd.getNumPartitions() == 2
    assert rows_of(frame) == directly(data)


def test_small_stretches_share_a_task(spark: Any, data: Path) -> None:
    frame = raw(spark, data)
    assert frame.rdd.getNumPartitions() == 1
    assert [(row["log_partition"], row["log_offset"]) for row in frame.collect()] == [
        (row["log_partition"], row["log_offset"]) for row in directly(data)
    ]


def test_rows_of_the_log_table_are_the_decoded_rows_and_one_for_a_batch_that_cannot_be_read(
    spark: Any, data: Path
) -> None:
    import pyarrow as pa

    WrittenLog(data, GROUP_JOURNAL).append((b"g", b'{"kind": "k", "group": "g", "at_ms": 5}'))
    frame = read_segments(spark, [str(data)], cluster="c")
    assert frame.schema == log_spark_schema()
    found = [row.asDict(recursive=True) for row in frame.collect()]
    bronze = pa.RecordBatch.from_pylist(directly(data), schema=TABLES["b_log_record"])
    offsets = [row for row in found if row["log_topic"] == TOPIC]
    assert [row for row in offsets if row["log_offset"] >= 0] == log_rows(bronze, 2).to_pylist()
    (unread,) = (row for row in offsets if row["log_offset"] < 0)
    assert "(base offset 30)" in unread["problem"]
    (event,) = (row["event"] for row in found if row["log_topic"] == GROUP_JOURNAL)
    assert (event["kind"], event["at_ms"]) == ("k", 5)


def test_start_and_end_offsets_bound_the_read(spark: Any, data: Path) -> None:
    frame = raw(spark, data, starts={TOPIC: {0: 38, 1: 100}}, ends={TOPIC: {0: 41, 1: 31}})
    assert [(row["log_partition"], row["log_offset"]) for row in rows_of(frame)] == [(0, 38), (0, 39), (0, 40)]


def test_end_offset_that_a_log_does_not_have_yet_is_no_plan(data: Path) -> None:
    """A broker's log that is shorter than planned counts as cut."""
    options = {**segment_options([str(data)], "c", TOPIC), "endOffsets": '{"0": 999, "1": 5}'}
    planned = SegmentDataSource(options).reader(StructType()).partitions()
    assert repr(planned) == f"[TaskPartition({TOPIC}-0 [0, 44), {TOPIC}-1 [0, 5))]"


def test_damaged_batch_is_read_as_quarantine(spark: Any, data: Path) -> None:
    (row,) = rows_of(raw(spark, data, table="b_quarantine"))
    assert (row["log_topic"], row["log_partition"], row["log_offset"]) == (TOPIC, 1, 30)
    assert f"{data}/{TOPIC}-1/00000000000000000000.log at byte " in row["where"]


def test_empty_directory_gives_no_rows(spark: Any, tmp_path: Path) -> None:
    assert raw(spark, tmp_path).count() == 0
    assert read_segments(spark, [str(tmp_path)]).count() == 0


def test_wrong_options_are_named() -> None:
    with pytest.raises(SourceError, match="startOffsets = '7' is not a JSON object"):
        offsets_from("7", "startOffsets")
    assert offsets_from('{"3": 7}', "startOffsets") == {TOPIC: {3: 7}}
    assert offsets_from('{"__group_journal": {"3": 7}}', "startOffsets") == {GROUP_JOURNAL: {3: 7}}
    with pytest.raises(SourceError, match="table = 'g_lag' cannot be read from a log"):
        LogDataSource({"table": "g_lag"}).table()
    with pytest.raises(SourceError, match="tickEverySeconds = 'soon' is not a number above 0"):
        LogDataSource({"tickEverySeconds": "soon"}).streamReader(StructType())
    with pytest.raises(SourceError, match="maxOffsetsPerPartition = '0' is not"):
        LogDataSource({"maxOffsetsPerPartition": "0"}).streamReader(StructType())
    for given in ("", "7", "[]", "[1]"):
        with pytest.raises(SourceError, match="muster_segments needs the option directories"):
            segments_from({"directories": given})
    with pytest.raises(SourceError, match="muster_broker needs the option bootstrap"):
        brokers_from({})
