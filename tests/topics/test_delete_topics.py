"""DeleteTopics by name and by id."""

from __future__ import annotations

import pytest

from muster.log.contract import StorageError
from muster.log.memory import MemoryStore
from muster.topics.broker_config import BrokerConfig
from muster.topics.creation import NewTopic
from muster.wire import errors
from muster.wire.special_values import NO_TOPIC_ID
from tests.topics.bench_broker import NODE_ID, NOW_MS, batch, send_durably, started, with_topic


def test_a_topic_goes_with_its_logs_and_its_name_is_free_again() -> None:
    broker = started()
    topic = with_topic(broker, "a", 2).topic
    old_id = topic.topic_id
    (answer,) = broker.delete_topics([("a", NO_TOPIC_ID)])
    assert answer.logs == tuple(partition.log for partition in topic.partitions)
    assert (answer.name, answer.topic_id, answer.error_code) == ("a", old_id, 0)
    assert broker.store.partitions() == []
    assert broker.catalog.by_id(old_id) is None
    assert with_topic(broker, "a").topic.topic_id != old_id


def test_a_topic_can_be_deleted_by_its_id() -> None:
    broker = started()
    topic_id = with_topic(broker, "a").topic.topic_id
    (answer,) = broker.delete_topics([(None, topic_id)])
    assert (answer.name, answer.error_code) == ("a", 0)
    assert broker.topic("a") is None


@pytest.mark.parametrize(
    ("name", "topic_id", "code"),
    [
        ("no", NO_TOPIC_ID, errors.UNKNOWN_TOPIC_OR_PARTITION),
        (None, b"x" * 16, errors.UNKNOWN_TOPIC_ID),
        (None, NO_TOPIC_ID, errors.INVALID_REQUEST),
        ("a", b"x" * 16, errors.INVALID_REQUEST),
        ("__consumer_offsets", NO_TOPIC_ID, errors.INVALID_TOPIC_EXCEPTION),
    ],
)
def test_what_cannot_be_deleted_is_refused(name: str | None, topic_id: bytes, code: int) -> None:
    broker = started()
    with_topic(broker, "a")
    broker.ensure_internal("__consumer_offsets", 1, {})
    (answer,) = broker.delete_topics([(name, topic_id)])
    assert answer.error_code == code
    assert answer.message
    assert len(broker.catalog) == 2


def test_one_topic_by_name_and_by_id_in_one_request_is_refused_twice() -> None:
    broker = started()
    topic_id = with_topic(broker, "a").topic.topic_id
    answers = broker.delete_topics([("a", NO_TOPIC_ID), (None, topic_id)])
    assert [answer.error_code for answer in answers] == [errors.INVALID_REQUEST] * 2
    assert broker.topic("a") is not None


def test_deletion_can_be_switched_off() -> None:
    broker = started(config=BrokerConfig(NODE_ID, delete_topic_enable=False))
    with_topic(broker, "a")
    (answer,) = broker.delete_topics([("a", NO_TOPIC_ID)])
    assert answer.error_code == errors.TOPIC_DELETION_DISABLED


class _ReadOnlyDocuments(MemoryStore):
    read_only = False

    def write_document(self, name: str, content: bytes) -> None:
        if self.read_only:
            raise StorageError("read-only file system")
        super().write_document(name, content)


def test_a_topic_stays_if_its_deletion_cannot_be_written_down() -> None:
    store = _ReadOnlyDocuments()
    broker = started(store)
    with_topic(broker, "a")
    store.read_only = True
    (answer,) = broker.delete_topics([("a", NO_TOPIC_ID)])
    assert (answer.error_code, answer.message) == (errors.KAFKA_STORAGE_ERROR, "read-only file system")
    assert broker.topic("a") is not None
    assert store.partitions() == [("a", 0)]


class _StubbornLogs(MemoryStore):
    stubborn = False

    def delete(self, topic: str, partition: int, topic_id: bytes | None = None) -> None:
        if self.stubborn:
            raise StorageError("directory is busy")
        super().delete(topic, partition, topic_id)


def test_a_topic_whose_logs_cannot_be_removed_is_gone_and_never_comes_back_with_its_records() -> None:
    store = _StubbornLogs()
    broker = started(store)
    with_topic(broker)
    send_durably(broker, batch(b"old"))
    store.stubborn = True
    (answer,) = broker.delete_topics([("t", NO_TOPIC_ID)])
    assert answer.error_code == 0
    assert broker.topic("t") is None
    (refused,) = broker.create_topics([NewTopic("t")])
    assert refused.error_code == errors.KAFKA_STORAGE_ERROR

    store.stubborn = False
    assert with_topic(broker).high_watermark == 0


def test_logs_that_could_not_be_removed_go_at_the_next_start() -> None:
    store = _StubbornLogs()
    broker = started(store)
    with_topic(broker)
    with_topic(broker, "other")
    store.stubborn = True
    broker.delete_topics([("t", NO_TOPIC_ID)])
    broker.create_topics([NewTopic("third")])
    store.stubborn = False
    assert [topic.name for topic in started(store).catalog.topics()] == ["other", "third"]
    assert store.partitions() == [("other", 0), ("third", 0)]


def test_logs_that_could_not_be_removed_go_with_the_next_retention_pass() -> None:
    store = _StubbornLogs()
    broker = started(store)
    with_topic(broker)
    store.stubborn = True
    broker.delete_topics([("t", NO_TOPIC_ID)])
    broker.apply_retention(NOW_MS)
    assert store.partitions() == [("t", 0)]
    store.stubborn = False
    broker.apply_retention(NOW_MS)
    assert store.partitions() == []
