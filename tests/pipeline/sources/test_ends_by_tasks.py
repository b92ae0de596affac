"""Ends of topics sampled by Spark tasks are those that the driver would find by itself, in bounded pieces."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from muster.pipeline.schemas import TABLES, spark_schema
from muster.pipeline.sources.ends_by_tasks import BrokerEnds, DirectoryEnds, ends_frame
from muster.pipeline.sources.failure import SourceError
from muster.pipeline.sources.run_source import broker_source, directory_source
from muster.pipeline.sources.stable_ends import KnownEnd
from tests.pipeline.decode.test_muster_log import server_on
from tests.pipeline.sources.segment_ends import segment_end_offsets
from tests.pipeline.sources.written_log import TOPIC, WrittenLog, pairs
from tests.server.broker.whole_server import batch, create, produce
from tests.server.raw_client import RawClient

Row = dict[str, Any]


def rows_of(frame: Any) -> list[Row]:
    assert frame.schema == spark_schema("b_leo_sample")
    return in_order(row.asDict() for row in frame.collect())


def in_order(rows: Any) -> list[Row]:
    return sorted(rows, key=lambda row: (row["topic"], row["partition"], row["end_ms"], row["leo"]))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for partition in range(5):
        log = WrittenLog(tmp_path, "orders", partition)
        for at_ms in (1_000, 2_000, 3_000):
            log.append(*pairs(2), at_ms=at_ms + partition)
    WrittenLog(tmp_path, TOPIC, 0).append(*pairs(3))
    return tmp_path


def test_directory_ends_by_tasks_are_those_of_the_driver(spark: Any, data: Path) -> None:
    source = directory_source((str(data),), "c")
    expected = in_order(segment_end_offsets([str(data)], cluster="c", read_at_ms=9_000).to_pylist())
    assert rows_of(source.sample_ends(spark, dict, 9_000)) == expected
    assert {row["topic"] for row in expected} == {"orders"}
    small = DirectoryEnds.found([str(data)], "c", {}, 9_000, a_chunk=2)
    assert len(small) == 3
    frame = ends_frame(spark, small, most_tasks=2)
    assert frame.rdd.getNumPartitions() == 2
    assert rows_of(frame) == expected


def test_directory_ends_begin_where_they_are_known(spark: Any, data: Path) -> None:
    known = {("orders", partition): KnownEnd(6) for partition in range(5)} | {("orders", 1): KnownEnd(4)}
    found = rows_of(directory_source((str(data),), "c").sample_ends(spark, lambda: known, 9_000))
    assert [(row["partition"], row["leo"], row["end_ms"]) for row in found] == [
        (0, 6, 9_000),
        (1, 6, 3_002),
        (1, 6, 9_000),
        (2, 6, 9_000),
        (3, 6, 9_000),
        (4, 6, 9_000),
    ]


def test_topic_that_became_shorter_was_made_anew_and_all_of_it_is_new(spark: Any, data: Path) -> None:
    shutil.rmtree(data / "orders-1")
    WrittenLog(data, "orders", 1).append(*pairs(2), at_ms=7_000)
    known = {("orders", partition): KnownEnd(6) for partition in range(5)}
    found = rows_of(directory_source((str(data),), "c").sample_ends(spark, lambda: known, 9_000))
    assert [(row["leo"], row["end_ms"]) for row in found if row["partition"] == 1] == [(2, 7_001), (2, 9_000)]


def test_folder_that_went_since_is_left_out_and_a_worker_that_sees_none_says_so(data: Path) -> None:
    work = DirectoryEnds.found([str(data)], "c", {})
    shutil.rmtree(data / "orders-3")
    (rows,) = work.rows(0)
    assert set(rows.column("partition").to_pylist()) == {0, 1, 2, 4}
    data.rename(data.with_name("elsewhere"))
    with pytest.raises(SourceError, match=rf"{data}: nothing of orders-0 and 4 other .*do the workers not see"):
        list(work.rows(0))


def test_broker_ends_by_tasks_are_those_of_its_files(spark: Any, tmp_path: Path) -> None:
    with server_on(tmp_path) as server:
        with RawClient(server.port) as client:
            create(client, "orders", 5)
            create(client, "empty")
            for number in range(3):
                produce(client, "orders", batch(b"a", b"b", timestamp_ms=1_700_000_000_000 + number))
        found = rows_of(broker_source(server.address, "c").sample_ends(spark, dict, 0))
        small = BrokerEnds.found(server.address, "c", a_chunk=2)
        assert [len(partitions) for _, partitions in small.chunks] == [2, 2, 2]
        again = rows_of(ends_frame(spark, small, most_tasks=3))
    history = segment_end_offsets([str(tmp_path)], cluster="c").to_pylist()
    ends = {(row["topic"], row["partition"]): row["leo"] for row in history}
    assert {(row["topic"], row["partition"]): row["leo"] for row in found} == ends
    assert {(row["topic"], row["partition"]): row["leo"] for row in again} == ends
    assert len(found) == len(again) == 6
    assert list(found[0]) == TABLES["b_leo_sample"].names
    assert all(row["begin_ms"] <= row["end_ms"] and row["sampler"] == "list_offsets" for row in found)
