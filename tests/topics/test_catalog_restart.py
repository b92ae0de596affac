"""What exists survives a restart, and what a crash left half done is finished at the next start."""

from __future__ import annotations

import pytest

from muster.log.contract import LogConfig, StorageError
from muster.log.memory import MemoryLog, MemoryStore
from muster.topics.catalog_document import DOCUMENT
from muster.topics.config_changes import ConfigOperation
from muster.topics.creation import NewPartitions
from muster.wire.batch import BatchHeader, encode_batch, parse_header
from muster.wire.errors import KAFKA_STORAGE_ERROR
from muster.wire.special_values import NO_TOPIC_ID
from tests.topics.bench_broker import (
    NOW_MS,
    ask,
    batch,
    commit,
    fetch,
    records,
    send_durably,
    started,
    with_topic,
)


def test_topics_partitions_ids_and_settings_survive_a_restart() -> None:
    store = MemoryStore()
    broker = started(store)
    with_topic(broker, "t", 1, retention_ms="5")
    broker.create_partitions([NewPartitions("t", 3)])
    broker.alter_topic_configs("t", [("segment.ms", ConfigOperation.SET, "6")])
    send_durably(broker, batch(b"one"))
    before = broker.topic("t")
    assert before is not None

    again = started(store)
    after = again.topic("t")
    assert after is not None
    assert (after.topic_id, after.overrides) == (before.topic_id, {"retention.ms": "5", "segment.ms": "6"})
    assert len(after.partitions) == 3
    assert after.partitions[2].log.config.segment_ms == 6
    assert again.catalog.adopted == []
    assert fetch(again, ask(0)).total_bytes == len(batch(b"one"))


def test_a_deleted_topic_stays_deleted() -> None:
    store = MemoryStore()
    broker = started(store)
    with_topic(broker, "t")
    broker.delete_topics([("t", NO_TOPIC_ID)])
    assert started(store).catalog.topics() == []


def test_a_crash_between_document_and_logs_of_a_new_topic_heals() -> None:
    """The document is written first: at the next start the logs are made."""
    store = MemoryStore()
    with_topic(started(store), "t", 2)
    store.delete("t", 1)
    again = started(store)
    assert store.partitions() == [("t", 0), ("t", 1)]
    assert again.partition("t", 1).log.end_offset == 0


class _CrashingStore(MemoryStore):
    """Dies when the first log is to be deleted."""

    armed = True

    def delete(self, topic: str, partition: int, topic_id: bytes | None = None) -> None:
        if self.armed:
            raise KeyboardInterrupt
        super().delete(topic, partition, topic_id)


def test_a_crash_in_the_middle_of_a_deletion_does_not_bring_the_topic_back() -> None:
    store = _CrashingStore()
    broker = started(store)
    with_topic(broker, "t", 2)
    with pytest.raises(KeyboardInterrupt):
        broker.delete_topics([("t", NO_TOPIC_ID)])
    assert len(store.partitions()) == 2

    store.armed = False
    again = started(store)
    assert again.catalog.topics() == []
    assert again.catalog.adopted == []
    assert store.partitions() == []


class _StubbornStore(MemoryStore):
    """Cannot make the fourth log of a topic, nor delete the second."""

    is_stubborn = False

    def open(self, topic: str, partition: int, topic_id: bytes, config: LogConfig) -> MemoryLog:
        if self.is_stubborn and partition == 3:
            raise StorageError("the disk is full")
        return super().open(topic, partition, topic_id, config)

    def delete(self, topic: str, partition: int, topic_id: bytes | None = None) -> None:
        if self.is_stubborn and partition == 1:
            raise StorageError("the disk does not obey")
        super().delete(topic, partition, topic_id)


def test_what_can_be_taken_back_of_a_change_that_failed_is_and_the_rest_is_taken_over_from_the_document() -> None:
    """No partition stays whose log is gone."""
    store = _StubbornStore()
    broker = started(store)
    with_topic(broker, "t", 1)
    store.is_stubborn = True
    (answer,) = broker.create_partitions([NewPartitions("t", 4)])
    assert answer.error_code == KAFKA_STORAGE_ERROR
    assert [partition.index for partition in broker.catalog.topics()[0].partitions] == [0]
    assert store.partitions() == [("t", 0), ("t", 1)]
    store.is_stubborn = False
    with_topic(broker, "other")
    topic = broker.topic("t")
    assert topic is not None
    assert [store.get("t", partition.index) is partition.log for partition in topic.partitions] == [True] * 4


def test_a_name_that_is_used_again_after_a_deletion_is_not_taken_for_a_leftover() -> None:
    store = MemoryStore()
    broker = started(store)
    with_topic(broker, "t")
    broker.delete_topics([("t", NO_TOPIC_ID)])
    with_topic(broker, "t", 2)
    assert store.partitions() == [("t", 0), ("t", 1)]
    assert len(started(store).catalog.topics()) == 1


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"{", "cannot be read"),
        (b"[]", "cannot be read"),
        (b'{"version": 2, "topics": []}', "has version 2, this server reads version 1"),
        (b'{"version": 1, "topics": [{"name": "t"}]}', "cannot be read"),
        (b'{"version": 1, "topics": [{"name":"t","id":"xx","partitions":1,"configs":{}}]}', "not a topic id"),
        (
            b'{"version": 1, "topics": [{"name":"t","id":"AAECAwQFBgcICQoLDA0ODw","partitions":0,"configs":{}}]}',
            "'t' has 0 partitions",
        ),
    ],
)
def test_a_document_that_cannot_be_read_stops_the_start_and_says_what_to_do(content: bytes, problem: str) -> None:
    store = MemoryStore()
    store.write_document(DOCUMENT, content)
    with pytest.raises(StorageError, match=problem):
        started(store)


def foreign_log(store: MemoryStore, topic: str, partition: int, **header: int) -> None:
    """A log as Kafka leaves it: nobody here knows the topic."""
    log = store.open(topic, partition, topic.encode().ljust(16, b"\0"), LogConfig())
    content = encode_batch(records(b"v"), **header)  # type: ignore[arg-type]
    parsed: BatchHeader = parse_header(content)
    log.append(content, parsed, parsed.partition_leader_epoch, NOW_MS)
    under_way = store.begin_commit()
    assert under_way is not None
    under_way.run()
    under_way.finish()


def test_logs_that_kafka_left_are_adopted_with_their_id_and_kept_for_ever() -> None:
    store = MemoryStore()
    foreign_log(store, "theirs", 0)
    foreign_log(store, "theirs", 2)
    broker = started(store)
    topic = broker.topic("theirs")
    assert topic is not None
    assert topic.topic_id == b"theirs".ljust(16, b"\0")
    assert len(topic.partitions) == 3
    assert topic.settings.log.retention_ms == -1
    assert [found.stored.name for found in broker.catalog.adopted] == ["theirs"]
    assert started(store).catalog.adopted == []


def test_an_adopted_offsets_topic_is_compacted_and_kafkas_metadata_log_is_left_alone() -> None:
    store = MemoryStore()
    foreign_log(store, "__consumer_offsets", 0)
    foreign_log(store, "__cluster_metadata", 0)
    broker = started(store)
    assert [topic.name for topic in broker.catalog.topics()] == ["__consumer_offsets"]
    log = broker.partition("__consumer_offsets", 0).log.config
    assert (log.cleanup_compact, log.cleanup_delete) == (True, False)
    assert ("__cluster_metadata", 0) in store.partitions()


def test_leader_epochs_and_producer_ids_go_on_where_kafka_stopped() -> None:
    store = MemoryStore()
    foreign_log(store, "theirs", 0, leader_epoch=5, producer_id=4321, producer_epoch=0, base_sequence=0)
    broker = started(store)
    assert broker.partition("theirs", 0).leader_epoch == 5
    assert broker.new_producer_id() == 4322
    again = started(store)
    assert again.partition("theirs", 0).leader_epoch == 5
    producer_id = again.new_producer_id()
    assert producer_id is not None
    assert producer_id > 4322


def test_producer_ids_are_never_handed_out_twice() -> None:
    """A restart skips the rest of the block that was reserved."""
    store = MemoryStore()
    broker = started(store)
    handed_out = [broker.new_producer_id() for _ in range(1001)]
    assert handed_out == list(range(1001))
    assert started(store).new_producer_id() == 2000


def test_a_broken_counter_of_producer_ids_stops_the_start() -> None:
    store = MemoryStore()
    store.write_document("producer-ids.json", b'{"reserved": "many"}')
    with pytest.raises(StorageError, match=r"producer-ids\.json cannot be read"):
        started(store)


def test_what_is_staged_when_the_store_closes_is_there_after_the_restart() -> None:
    store = MemoryStore()
    broker = started(store)
    with_topic(broker)
    send_durably(broker, batch(b"one"))
    commit(broker)
    store.close()
    assert started(store).partition("t", 0).high_watermark == 1
