"""CreateTopics, auto-creation, internal topics and CreatePartitions on a cluster of one node."""

from __future__ import annotations

import pytest

from muster.log.contract import LogConfig, StorageError
from muster.log.memory import MemoryLog, MemoryStore
from muster.topics import creation
from muster.topics.broker_config import BrokerConfig
from muster.topics.creation import CreatedTopic, NewPartitions, NewTopic
from muster.topics.refusal import TopicError
from muster.wire import errors
from tests.topics.bench_broker import NODE_ID, configs_of, started, with_topic


def create(*topics: NewTopic, validate_only: bool = False) -> list[CreatedTopic]:
    return started().create_topics(topics, validate_only=validate_only)


def test_a_topic_is_made_with_its_partitions_and_settings() -> None:
    broker = started()
    (made,) = broker.create_topics([NewTopic("orders", 3, 1, configs=[("retention.ms", "5")])])
    assert (made.error_code, made.partitions, made.replication_factor) == (0, 3, 1)
    topic = broker.topic("orders")
    assert topic is not None
    assert broker.catalog.by_id(topic.topic_id) is topic
    assert [partition.log.topic for partition in topic.partitions] == ["orders"] * 3
    assert topic.partitions[2].log.config.retention_ms == 5
    assert broker.store.topic_id_of("orders", 2) == topic.topic_id


def test_minus_one_means_num_partitions() -> None:
    broker = started(config=BrokerConfig(NODE_ID, num_partitions=4))
    (made,) = broker.create_topics([NewTopic("a")])
    assert made.partitions == 4


def test_validate_only_makes_nothing() -> None:
    broker = started()
    (made,) = broker.create_topics([NewTopic("a", 2)], validate_only=True)
    assert (made.error_code, made.partitions) == (0, 2)
    assert broker.topic("a") is None
    assert broker.store.partitions() == []
    assert broker.store.read_document("topics.json") is None


@pytest.mark.parametrize(
    ("topic", "code", "message"),
    [
        (NewTopic("a b"), errors.INVALID_TOPIC_EXCEPTION, "Topic name is invalid"),
        (NewTopic("a", 0), errors.INVALID_PARTITIONS, "invalid non-positive value"),
        (NewTopic("a", -2), errors.INVALID_PARTITIONS, "invalid non-positive value"),
        (NewTopic("a", 1, 0), errors.INVALID_REPLICATION_FACTOR, "must be larger than 0, or -1"),
        (
            NewTopic("a", 1, 3),
            errors.INVALID_REPLICATION_FACTOR,
            "Unable to replicate the partition 3 time(s): The target replication factor of 3 cannot be reached "
            "because only 1 broker(s) are registered or some brokers have all their log directories cordoned.",
        ),
        (NewTopic("a", 10_001), errors.POLICY_VIOLATION, "Excessively large number of partitions"),
        (NewTopic("a", configs=[("no.such", "1")]), errors.INVALID_CONFIG, "Unknown topic config name: no.such"),
        (NewTopic("a", configs=[("retention.ms", "x")]), errors.INVALID_CONFIG, "Not a number of type LONG"),
        (NewTopic("a", configs=[("retention.ms", None)]), errors.INVALID_CONFIG, "Null value not supported"),
        (NewTopic("__consumer_offsets"), errors.INVALID_TOPIC_EXCEPTION, "is reserved"),
        (NewTopic("__cluster_metadata"), errors.TOPIC_AUTHORIZATION_FAILED, "is prohibited"),
        (NewTopic("a", 1, -1, [(0, [7])]), errors.INVALID_REQUEST, "numPartitions was not set to -1"),
        (NewTopic("a", -1, 1, [(0, [7])]), errors.INVALID_REQUEST, "replication factor was not set to -1"),
        (NewTopic("a", -1, -1, [(0, [7]), (0, [7])]), errors.INVALID_REPLICA_ASSIGNMENT, "multiple manual"),
        (NewTopic("a", -1, -1, [(0, [7]), (2, [7])]), errors.INVALID_REPLICA_ASSIGNMENT, "consecutive 0-based"),
        (NewTopic("a", -1, -1, [(0, [])]), errors.INVALID_REPLICA_ASSIGNMENT, "empty replica list"),
        (NewTopic("a", -1, -1, [(0, [8])]), errors.INVALID_REPLICA_ASSIGNMENT, "no such broker is registered"),
        (NewTopic("a", -1, -1, [(0, [7, 7])]), errors.INVALID_REPLICA_ASSIGNMENT, "more than once"),
    ],
)
def test_a_topic_that_cannot_be_is_refused(topic: NewTopic, code: int, message: str) -> None:
    for validate_only in (True, False):
        (answer,) = create(topic, validate_only=validate_only)
        assert answer.error_code == code
        assert message in (answer.message or "")


def test_the_partitions_of_one_request_are_limited_in_all() -> None:
    first, second = create(NewTopic("a", 9_999), NewTopic("b", 2), validate_only=True)
    assert (first.error_code, second.error_code) == (0, errors.POLICY_VIOLATION)


def test_the_partitions_of_the_node_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(creation, "MAX_PARTITIONS", 3)
    broker = started()
    with_topic(broker, "a", 2)
    first, second = broker.create_topics([NewTopic("b", 1), NewTopic("c", 1)])
    assert (first.error_code, second.error_code) == (0, errors.POLICY_VIOLATION)
    (grown,) = broker.create_partitions([NewPartitions("a", 3)])
    assert (grown.error_code, grown.message) == (
        errors.POLICY_VIOLATION,
        "This node holds at most 3 partitions.",
    )


def test_a_manual_assignment_to_this_node_gives_the_number_of_partitions() -> None:
    (made,) = create(NewTopic("a", -1, -1, [(1, [NODE_ID]), (0, [NODE_ID])]))
    assert (made.error_code, made.partitions) == (0, 2)


def test_a_name_that_exists_is_refused_and_the_others_are_made() -> None:
    broker = started()
    with_topic(broker, "a")
    first, second = broker.create_topics([NewTopic("a"), NewTopic("b")])
    assert (first.error_code, first.message) == (errors.TOPIC_ALREADY_EXISTS, "Topic 'a' already exists.")
    assert second.error_code == 0
    assert broker.topic("b") is not None


def test_a_name_twice_in_one_request_is_answered_once_and_refused() -> None:
    answers = create(NewTopic("a"), NewTopic("b"), NewTopic("a"))
    assert [(answer.name, answer.error_code) for answer in answers] == [("a", errors.INVALID_REQUEST), ("b", 0)]
    assert answers[0].message == "Duplicate topic name."


def test_names_that_differ_only_in_dot_and_underscore_collide() -> None:
    broker = started()
    with_topic(broker, "a.b")
    first, second, third = broker.create_topics([NewTopic("a_b"), NewTopic("c_d"), NewTopic("c.d")])
    assert (first.error_code, first.message) == (
        errors.INVALID_TOPIC_EXCEPTION,
        "Topic 'a_b' collides with existing topic: a.b",
    )
    assert second.error_code == 0
    assert third.error_code == errors.INVALID_TOPIC_EXCEPTION


def test_auto_creation_uses_num_partitions_and_returns_what_exists() -> None:
    broker = started(config=BrokerConfig(NODE_ID, num_partitions=2))
    topic = broker.auto_create("a")
    assert len(topic.partitions) == 2
    assert broker.auto_create("a") is topic


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("a b", errors.INVALID_TOPIC_EXCEPTION),
        ("__consumer_offsets", errors.UNKNOWN_TOPIC_OR_PARTITION),
        ("__cluster_metadata", errors.UNKNOWN_TOPIC_OR_PARTITION),
    ],
)
def test_auto_creation_of_a_bad_or_reserved_name_is_refused(name: str, code: int) -> None:
    with pytest.raises(TopicError) as refused:
        started().auto_create(name)
    assert refused.value.code == code


def test_auto_creation_can_be_switched_off() -> None:
    broker = started(config=BrokerConfig(NODE_ID, auto_create_topics=False))
    with pytest.raises(TopicError) as refused:
        broker.auto_create("a")
    assert refused.value.code == errors.UNKNOWN_TOPIC_OR_PARTITION


def test_an_internal_topic_is_made_once_with_the_callers_settings() -> None:
    broker = started()
    topic = broker.ensure_internal("__consumer_offsets", 50, {"cleanup.policy": "compact"})
    assert topic.internal
    assert len(topic.partitions) == 50
    assert topic.partitions[0].log.config.cleanup_compact
    assert broker.ensure_internal("__consumer_offsets", 3, {}) is topic


class _NoRoom(MemoryStore):
    """A store that can make only so many logs."""

    room = 1

    def open(self, topic: str, partition: int, topic_id: bytes, config: LogConfig) -> MemoryLog:
        if self.get(topic, partition) is None and len(self.partitions()) >= self.room:
            raise StorageError("disk full")
        return super().open(topic, partition, topic_id, config)


def test_a_disk_that_is_full_leaves_no_half_made_topic() -> None:
    store = _NoRoom()
    broker = started(store)
    (answer,) = broker.create_topics([NewTopic("a", 2)])
    assert (answer.error_code, answer.message) == (errors.KAFKA_STORAGE_ERROR, "disk full")
    assert store.partitions() == []
    assert started(store).catalog.topics() == []


class _NoWayBack(_NoRoom):
    """What is made cannot be taken away again either."""

    def delete(self, topic: str, partition: int, topic_id: bytes | None = None) -> None:
        raise StorageError("read-only file system")


def test_a_topic_that_could_neither_be_made_nor_taken_back_is_made_whole_with_the_next_change() -> None:
    """It is in the document. Writing that anew without it would leave logs of nobody, which the next start would adopt."""
    store = _NoWayBack()
    broker = started(store)
    (answer,) = broker.create_topics([NewTopic("a", 2)])
    assert (answer.error_code, answer.message) == (errors.KAFKA_STORAGE_ERROR, "disk full")
    store.room = 10
    with_topic(broker, "b")
    (grown,) = broker.create_partitions([NewPartitions("b", 20)])
    assert grown.error_code == errors.KAFKA_STORAGE_ERROR
    store.room = 100
    with_topic(broker, "c")
    again = started(store)
    for each in (broker, again):
        assert [(topic.name, len(topic.partitions)) for topic in each.catalog.topics()] == [
            ("a", 2),
            ("b", 20),
            ("c", 1),
        ]
    assert again.catalog.adopted == []


def test_partitions_are_added_behind_the_existing_ones() -> None:
    broker = started()
    first = with_topic(broker, "a", 1, retention_ms="5")
    (answer,) = broker.create_partitions([NewPartitions("a", 3)])
    assert answer.error_code == 0
    topic = broker.topic("a")
    assert topic is not None
    assert topic.partitions[0] is first
    assert [partition.index for partition in topic.partitions] == [0, 1, 2]
    assert topic.partitions[2].log.config.retention_ms == 5


def test_partitions_that_are_only_validated_are_not_added() -> None:
    broker = started()
    with_topic(broker, "a")
    (answer,) = broker.create_partitions([NewPartitions("a", 3)], validate_only=True)
    assert answer.error_code == 0
    assert broker.catalog.partition("a", 1) is None


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        (NewPartitions("no", 3), errors.UNKNOWN_TOPIC_OR_PARTITION, "does not host"),
        (NewPartitions("a", 2), errors.INVALID_PARTITIONS, "Topic already has 2 partition(s)."),
        (
            NewPartitions("a", 1),
            errors.INVALID_PARTITIONS,
            "The topic a currently has 2 partition(s); 1 would not be an increase.",
        ),
        (NewPartitions("a", 4, [[7]]), errors.INVALID_REPLICA_ASSIGNMENT, "only 1 assignment(s) were specified"),
        (NewPartitions("a", 3, [[8]]), errors.INVALID_REPLICA_ASSIGNMENT, "no such broker"),
        (NewPartitions("a", 20_000), errors.POLICY_VIOLATION, "Excessively large"),
        (NewPartitions("__consumer_offsets", 9), errors.INVALID_TOPIC_EXCEPTION, "cannot be given more"),
    ],
)
def test_partitions_that_cannot_be_added_are_refused(more: NewPartitions, code: int, message: str) -> None:
    broker = started()
    with_topic(broker, "a", 2)
    broker.ensure_internal("__consumer_offsets", 2, {})
    (answer,) = broker.create_partitions([more])
    assert answer.error_code == code
    assert message in (answer.message or "")
    assert len(broker.store.partitions()) == 4


def test_a_topic_twice_in_create_partitions_is_refused() -> None:
    broker = started()
    with_topic(broker, "a")
    (answer,) = broker.create_partitions([NewPartitions("a", 3), NewPartitions("a", 4)])
    assert answer.error_code == errors.INVALID_REQUEST
    assert broker.catalog.partition("a", 1) is None


def test_a_disk_that_is_full_leaves_the_topic_as_it_was() -> None:
    store = _NoRoom()
    store.room = 2
    broker = started(store)
    with_topic(broker, "a")
    (answer,) = broker.create_partitions([NewPartitions("a", 5)])
    assert answer.error_code == errors.KAFKA_STORAGE_ERROR
    assert store.partitions() == [("a", 0)]
    again = started(store).topic("a")
    assert again is not None
    assert len(again.partitions) == 1


def test_broker_settings_reach_new_topics() -> None:
    broker = started(log_retention_hours="1", compression_type="zstd")
    partition = with_topic(broker, "a")
    assert partition.log.config.retention_ms == 3_600_000
    assert configs_of(broker, "a", ["compression.type", "retention.ms"]) == {
        "compression.type": "zstd",
        "retention.ms": "3600000",
    }
