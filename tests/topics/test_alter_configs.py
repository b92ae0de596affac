"""AlterConfigs and IncrementalAlterConfigs on topics."""

from __future__ import annotations

import pytest

from muster.topics.broker import Broker
from muster.topics.config_changes import ConfigOperation
from muster.topics.refusal import TopicError
from muster.wire import errors
from tests.topics.bench_broker import configs_of, started, with_topic

SET, DELETE, APPEND, SUBTRACT = ConfigOperation


def broker_with(**configs: str) -> Broker:
    broker = started()
    with_topic(broker, "t", 2, **configs)
    return broker


def overrides(broker: Broker) -> dict[str, str]:
    topic = broker.topic("t")
    assert topic is not None
    return topic.overrides


def test_set_and_delete_change_only_what_they_name() -> None:
    broker = broker_with(retention_ms="5", segment_ms="6")
    broker.alter_topic_configs("t", [("retention.ms", DELETE, None), ("max.message.bytes", SET, "99")])
    assert overrides(broker) == {"segment.ms": "6", "max.message.bytes": "99"}


def test_a_change_reaches_every_log_at_once() -> None:
    broker = broker_with()
    broker.alter_topic_configs("t", [("retention.ms", SET, "5")])
    assert [broker.partition("t", index).log.config.retention_ms for index in (0, 1)] == [5, 5]


def test_append_and_subtract_work_on_the_default_if_nothing_is_set() -> None:
    """KIP-339: a list that is not overridden starts from its default, here `delete`."""
    broker = broker_with()
    broker.alter_topic_configs("t", [("cleanup.policy", APPEND, "compact")])
    assert overrides(broker) == {"cleanup.policy": "delete,compact"}
    broker.alter_topic_configs("t", [("cleanup.policy", APPEND, "compact")])
    broker.alter_topic_configs("t", [("cleanup.policy", SUBTRACT, "delete")])
    assert overrides(broker) == {"cleanup.policy": "compact"}
    assert broker.partition("t", 0).log.config.cleanup_compact


def test_alter_configs_replaces_everything() -> None:
    broker = broker_with(retention_ms="5", segment_ms="6")
    broker.replace_topic_configs("t", [("segment.ms", "7")])
    assert overrides(broker) == {"segment.ms": "7"}
    assert configs_of(broker, "t", ["retention.ms"]) == {"retention.ms": "604800000"}


def test_validate_only_changes_nothing() -> None:
    broker = broker_with(retention_ms="5")
    broker.alter_topic_configs("t", [("retention.ms", SET, "6")], validate_only=True)
    broker.replace_topic_configs("t", [("retention.ms", "6")], validate_only=True)
    assert overrides(broker) == {"retention.ms": "5"}


@pytest.mark.parametrize(
    ("name", "changes", "code", "message"),
    [
        ("no", [("retention.ms", SET, "1")], errors.UNKNOWN_TOPIC_OR_PARTITION, "The topic 'no' does not exist."),
        ("t", [("retention.ms", SET, "x")], errors.INVALID_CONFIG, "Not a number of type LONG"),
        ("t", [("no.such", SET, "x")], errors.INVALID_CONFIG, "Unknown topic config name"),
        ("t", [("no.such", APPEND, "x")], errors.INVALID_CONFIG, "its type is not LIST"),
        ("t", [("retention.ms", APPEND, "1")], errors.INVALID_CONFIG, "Can't APPEND to key retention.ms"),
        ("t", [("retention.ms", SET, None)], errors.INVALID_REQUEST, "Null value not supported for : retention.ms"),
        ("t", [("retention.ms", 9, "1")], errors.INVALID_REQUEST, "Unknown config operation 9"),
        (
            "t",
            [("retention.ms", SET, "1"), ("retention.ms", DELETE, None)],
            errors.INVALID_REQUEST,
            "duplicate config keys",
        ),
        ("t", [("segment.ms", SET, "9"), ("cleanup.policy", SET, "burn")], errors.INVALID_CONFIG, "cleanup.policy"),
    ],
)
def test_a_change_that_cannot_be_is_refused_as_a_whole(
    name: str, changes: list[tuple[str, int, str | None]], code: int, message: str
) -> None:
    broker = broker_with(retention_ms="5")
    with pytest.raises(TopicError) as refused:
        broker.alter_topic_configs(name, changes)
    assert refused.value.code == code
    assert message in (refused.value.message or "")
    assert overrides(broker) == {"retention.ms": "5"}


def test_alter_configs_refuses_nulls() -> None:
    with pytest.raises(TopicError) as refused:
        broker_with().replace_topic_configs("t", [("retention.ms", None)])
    assert refused.value.code == errors.INVALID_REQUEST


def test_describing_a_topic_that_is_not_there_is_refused() -> None:
    with pytest.raises(TopicError) as refused:
        started().describe_topic_configs("no")
    assert refused.value.code == errors.UNKNOWN_TOPIC_OR_PARTITION
