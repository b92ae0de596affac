"""Topics and their configs, as each client library asks for them."""

from __future__ import annotations

from tests.interop.vocabulary import Client, Sent
from tests.interop.waiting import eventually


def test_a_created_topic_is_seen_with_its_partitions_and_configs(client: Client, topic: str) -> None:
    client.create_topic(topic, 3, {"retention.ms": "123456"})
    assert client.topics()[topic] == 3
    configs = client.configs(topic)
    assert configs["retention.ms"] == "123456"
    assert configs["cleanup.policy"] == "delete"


def test_a_grown_topic_has_its_new_partitions_at_once(client: Client, topic: str) -> None:
    client.create_topic(topic, 1)
    client.grow_topic(topic, 4)
    assert client.topics()[topic] == 4
    assert client.send(topic, 3, [Sent(b"in the newest")]) == [0]


def test_an_altered_config_is_described(client: Client, topic: str) -> None:
    client.create_topic(topic)
    client.set_config(topic, "max.message.bytes", "54321")
    assert client.configs(topic)["max.message.bytes"] == "54321"


def test_a_deleted_topic_is_gone_and_comes_back_empty(client: Client, topic: str) -> None:
    client.create_topic(topic)
    client.send(topic, 0, [Sent(b"old")] * 3)
    client.delete_topic(topic)
    eventually("the topic to be gone", client.topics, lambda topics: topic not in topics)
    client.create_topic(topic)
    assert client.reader(topic).watermarks() == (0, 0)
