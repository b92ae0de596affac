"""A running broker as the source of a run: the same rows as from its files, its own name, the ends of its topics."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muster.pipeline.lake.files import DataFile
from muster.pipeline.lake.location import Location
from muster.pipeline.lake.opening import open_parquet
from muster.pipeline.lake.reader import Lake
from muster.pipeline.sources.run_source import broker_source, directory_source
from muster.server.running import RunningServer
from muster.server.settings import Settings
from tests.pipeline.stream.lakes import LakeRun


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    settings = {
        "muster.data": str(tmp_path / "data"),
        "muster.listen": "127.0.0.1:0",
        "offsets.topic.num.partitions": "2",
    }
    with RunningServer(Settings.of(settings)) as running:
        yield running


def commit(server: RunningServer, group: str, offset: int) -> None:
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


def test_broker_and_files_fill_a_lake_alike_and_go_on_where_they_were(
    spark: Any, server: RunningServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a broker the driver opens none of the lake's data files; of files it has to know how far topics were read."""
    _produce(server, 5)
    commit(server, "billing", 3)
    over_tcp = broker_source(server.address, None)
    from_files = directory_source((str(tmp_path / "data"),), None)
    assert over_tcp.cluster == from_files.cluster
    first = {name: LakeRun(spark, tmp_path / name, source).run() for name, source in _both(over_tcp, from_files)}
    commit(server, "billing", 4)
    opened: list[str] = []

    def noted(location: Location, table: str, file: DataFile) -> Any:
        opened.append(table)
        return open_parquet(location, table, file)

    monkeypatch.setattr("muster.pipeline.lake.reader.open_parquet", noted)
    second, tables = {}, {}
    for name, source in _both(over_tcp, from_files):
        second[name] = LakeRun(spark, tmp_path / name, source).run()
        tables[name] = sorted(opened)
        opened.clear()
    assert tables == {"tcp": [], "files": ["ends"]}
    for name, lake in second.items():
        assert lake.round.records == first[name].round.records + 1
        (lag,) = lake.arrow("g_lag").to_pylist()
        assert (lag["committed"], lag["end"], lag["lag"]) == (4, 5, 1)
    assert _log(second["tcp"]) == _log(second["files"])


def _both(over_tcp: Any, from_files: Any) -> list[tuple[str, Any]]:
    return [("tcp", over_tcp), ("files", from_files)]


def _log(lake: Lake) -> list[tuple[Any, ...]]:
    names = ["log_topic", "log_partition", "log_offset", "record_ms", "group_id", "committed_offset", "event"]
    return sorted((tuple(row.values()) for row in lake.arrow("log", names).to_pylist()), key=repr)
