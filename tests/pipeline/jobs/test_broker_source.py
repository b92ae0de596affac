"""A running broker as the source of a run: the same rows as from its files, its own name, the ends of its topics."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muster.pipeline.old.jobs import RunSettings, Watch, read_round
from muster.pipeline.old.jobs_ends import add_end_offsets, known_ends
from muster.pipeline.old.jobs_sources import broker_source, directory_source
from muster.pipeline.old.lake import Lake
from muster.server.running import RunningServer
from muster.server.settings import Settings
from tests.pipeline.jobs.kafka_log import rows_in


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    settings = {
        "muster.data": str(tmp_path / "data"),
        "muster.listen": "127.0.0.1:0",
        "offsets.topic.num.partitions": "2",
    }
    with RunningServer(Settings.of(settings)) as running:
        yield running


def _commit(server: RunningServer, group: str, offset: int) -> None:
    from confluent_kafka import Consumer, TopicPartition

    consumer = Consumer({"bootstrap.servers": server.address, "group.id": group, "log_level": 0})
    consumer.commit(offsets=[TopicPartition("orders", 0, offset)], asynchronous=False)
    consumer.close()


def _produce(server: RunningServer, count: int) -> None:
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": server.address, "log_level": 0})
    for number in range(count):
        producer.produce("orders", value=str(number).encode(), partition=0)
    assert producer.flush(30) == 0


def _without_source(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return sorted((row["log_topic"], row["log_partition"], row["log_offset"], row["key"], row["value"]) for row in rows)


def test_broker_and_files_fill_a_lake_alike_and_go_on_where_they_were(
    spark: Any, server: RunningServer, tmp_path: Path
) -> None:
    _produce(server, 5)
    _commit(server, "billing", 3)
    over_tcp = broker_source(server.address, None)
    from_files = directory_source((str(tmp_path / "data"),), None)
    assert over_tcp.cluster == from_files.cluster
    for source, name in ((over_tcp, "tcp"), (from_files, "files")):
        with Lake.open_or_create(tmp_path / name).write() as writer:
            first = read_round(spark, writer, source, RunSettings(), Watch())
            assert (first.records > 0, first.behind) == (True, 0)
            assert read_round(spark, writer, source, RunSettings(), Watch()).batches == 0
    _commit(server, "billing", 4)
    with Lake.open(tmp_path / "tcp").write() as writer:
        assert read_round(spark, writer, over_tcp, RunSettings(), Watch()).records == 1
    with Lake.open(tmp_path / "files").write() as writer:
        assert read_round(spark, writer, from_files, RunSettings(), Watch()).records == 1
    tcp, files = (rows_in(tmp_path / name, "b_log_record") for name in ("tcp", "files"))
    assert _without_source(tcp) == _without_source(files)
    commits = rows_in(tmp_path / "tcp", "s_offset_commit.rows")
    assert [row["committed_offset"] for row in sorted(commits, key=lambda row: row["log_offset"])] == [3, 4]


def test_ends_of_topics_are_read_from_files_only_where_they_are_new(server: RunningServer, tmp_path: Path) -> None:
    _produce(server, 5)
    _commit(server, "billing", 3)
    source = directory_source((str(tmp_path / "data"),), "here")
    with Lake.open_or_create(tmp_path / "lake").write() as writer:
        assert add_end_offsets(writer, source, now_ms=1)
        assert known_ends(writer, "here") == {("orders", 0): 5}
        assert add_end_offsets(writer, source, now_ms=2, only_changes=True) == 0
        _produce(server, 2)
        assert add_end_offsets(writer, source, now_ms=3, only_changes=True)
        assert known_ends(writer, "here") == {("orders", 0): 7}
    ends = [row["leo"] for row in rows_in(tmp_path / "lake", "b_leo_sample")]
    assert ends == sorted(ends)


def test_ends_of_topics_are_sampled_from_a_broker_each_time(server: RunningServer, tmp_path: Path) -> None:
    _produce(server, 5)
    with Lake.open_or_create(tmp_path / "lake").write() as writer:
        source = broker_source(server.address, "here")
        assert add_end_offsets(writer, source, now_ms=0) == 1
        assert add_end_offsets(writer, source, now_ms=0) == 1
        assert known_ends(writer, "here") == {("orders", 0): 5}
