"""The same broker on a data directory: what was acknowledged is there after a restart."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from muster.log.files import FileStore
from muster.topics.broker import Broker
from muster.topics.config_changes import ConfigOperation
from muster.topics.creation import NewPartitions
from muster.wire import errors
from muster.wire.batch import decode_records, iterate_batches
from muster.wire.special_values import NO_TOPIC_ID
from tests.topics.bench_broker import (
    NOW_MS,
    ask,
    batch,
    fetch,
    numbered,
    send,
    send_durably,
    started,
    with_topic,
)


@contextmanager
def running(directory: Path) -> Iterator[Broker]:
    store = FileStore(str(directory), "os")
    try:
        yield started(store)
    finally:
        store.close()


def values(broker: Broker, offset: int = 0) -> list[bytes | None]:
    content = fetch(broker, ask(offset)).partitions[0].records
    return [record.value for pos, header in iterate_batches(content) for record in decode_records(content, header, pos)]


def test_topics_records_and_producers_survive_a_restart(tmp_path: Path) -> None:
    with running(tmp_path) as broker:
        topic_id = with_topic(broker, "t", 1, retention_ms="-1").topic.topic_id
        broker.create_partitions([NewPartitions("t", 2)])
        broker.alter_topic_configs("t", [("segment.ms", ConfigOperation.SET, "60000")])
        send_durably(broker, batch(b"a", b"b"))
        send_durably(broker, numbered(5, 0, size=2))
    with running(tmp_path) as broker:
        topic = broker.topic("t")
        assert topic is not None
        assert (topic.topic_id, len(topic.partitions)) == (topic_id, 2)
        assert topic.overrides == {"retention.ms": "-1", "segment.ms": "60000"}
        assert values(broker) == [b"a", b"b", b"v", b"v"]
        assert send(broker, numbered(5, 0, size=2)).base_offset == 2
        assert send(broker, numbered(5, 9)).error_code == errors.OUT_OF_ORDER_SEQUENCE_NUMBER
        assert send_durably(broker, numbered(5, 2)).base_offset == 4


def test_a_deleted_topic_leaves_nothing_and_its_name_begins_anew(tmp_path: Path) -> None:
    with running(tmp_path) as broker:
        with_topic(broker)
        send_durably(broker, batch(b"a"))
        broker.delete_topics([("t", NO_TOPIC_ID)])
        with_topic(broker)
        send_durably(broker, batch(b"b"))
    with running(tmp_path) as broker:
        assert values(broker) == [b"b"]
        broker.delete_topics([("t", NO_TOPIC_ID)])
    with running(tmp_path) as broker:
        assert broker.catalog.topics() == []
    assert not list(tmp_path.glob("t-*"))


def test_a_directory_without_a_catalog_is_adopted_with_its_ids(tmp_path: Path) -> None:
    """As a Kafka broker leaves it: logs and partition.metadata, but no document of ours."""
    with running(tmp_path) as broker:
        topic_id = with_topic(broker, "t", 2).topic.topic_id
        send_durably(broker, batch(b"a"))
    (tmp_path / "topics.json").unlink()
    with running(tmp_path) as broker:
        topic = broker.topic("t")
        assert topic is not None
        assert (topic.topic_id, len(topic.partitions)) == (topic_id, 2)
        assert values(broker) == [b"a"]


def test_deleted_records_stay_deleted(tmp_path: Path) -> None:
    with running(tmp_path) as broker:
        with_topic(broker)
        for value in (b"a", b"b", b"c"):
            send_durably(broker, batch(value))
        broker.delete_records("t", 0, 2)
    with running(tmp_path) as broker:
        assert broker.list_offset("t", 0, -2).offset == 2
        assert fetch(broker, ask(1)).partitions[0].error_code == errors.OFFSET_OUT_OF_RANGE
        assert values(broker, 2) == [b"c"]


@pytest.mark.parametrize("compression", ["gzip", "zstd"])
def test_times_are_found_in_recompressed_batches(tmp_path: Path, compression: str) -> None:
    with running(tmp_path) as broker:
        with_topic(broker, "t", 1, compression_type=compression)
        for delay in (0, 10, 20):
            send_durably(broker, batch(b"v" * 50, timestamp_ms=NOW_MS + delay))
    with running(tmp_path) as broker:
        assert broker.list_offset("t", 0, NOW_MS + 5).offset == 1
        assert broker.list_offset("t", 0, -3).offset == 2
