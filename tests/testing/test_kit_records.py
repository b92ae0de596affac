"""Topics and records without a client, and settings in Kafka's names."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from muster.testing import Broker
from muster.topics.config_types import ConfigError


def test_produced_records_are_there_with_keys_values_and_offsets() -> None:
    with Broker(topics={"orders": 2}) as broker:
        assert broker.produce("orders", "a", b"b", None, ("k", "v"), partition=1) == [(1, 0), (1, 1), (1, 2), (1, 3)]
        found = broker.records("orders")
        assert [(r.partition, r.offset, r.key, r.value) for r in found] == [
            (1, 0, None, b"a"),
            (1, 1, None, b"b"),
            (1, 2, None, None),
            (1, 3, b"k", b"v"),
        ]


def test_values_without_a_key_go_round_and_equal_keys_go_together() -> None:
    with Broker(topics={"orders": 3}) as broker:
        assert [partition for partition, _ in broker.produce("orders", "a", "b", "c", "d")] == [0, 1, 2, 0]
        where = broker.produce("orders", ("k", "1"), ("k", "2"))
        assert where[0][0] == where[1][0]


def test_topics_that_cannot_be_are_refused_in_words() -> None:
    with Broker(topics={"orders": 3}) as broker:
        with pytest.raises(ValueError, match="TOPIC_ALREADY_EXISTS"):
            broker.create_topic("orders")
        with pytest.raises(ValueError, match="has partitions 0 to 2, not 7"):
            broker.produce("orders", "a", partition=7)
        with pytest.raises(ValueError, match="has partitions 0 to 2, not 7"):
            broker.records("orders", partition=7)
        with pytest.raises(ValueError, match="there is no topic 'returns'"):
            broker.records("returns")


def test_settings_are_kafkas_and_may_be_numbers_and_booleans() -> None:
    with Broker({"group.max.size": 2, "auto.create.topics.enable": False}) as broker:
        assert broker.run(broker.kit.node.settings.integer, "group.max.size") == 2
    with pytest.raises(ConfigError, match=r"group\.max\.sise"):
        Broker({"group.max.sise": 2})


_SETTINGS: Any = ["group.max.size"]
_NAMELESS: Any = {7: 2}
_LISTED: Any = {"group.max.size": [2]}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda _: Broker(_SETTINGS),
            "settings is ['group.max.size']: give a dict of Kafka's names and values, like {'",
        ),
        (lambda _: Broker(_NAMELESS), "settings has the name 7: names are str, like {'group.max.size': 2}"),
        (lambda _: Broker(_LISTED), "settings has [2] for group.max.size: give a str, a number or a bool, like {'"),
        (
            lambda broker: broker.create_topic("t", configs="x"),
            "configs is 'x': give a dict of Kafka's names and values",
        ),
        (lambda broker: broker.create_topic("t", "3"), "topic 't' has '3' partitions: give an int, like 3"),
        (lambda broker: broker.produce("orders", "a", partition="1"), "partition is '1': give an int, like 0, or None"),
        (lambda broker: broker.records("orders", partition="0"), "partition is '0': give an int, like 0, or None"),
        (lambda broker: broker.group("g").wait(members="1"), "members is '1': give an int, like 2, or None"),
        (lambda broker: broker.group("g").wait(generation="1"), "generation is '1': give an int, like 3, or None"),
        (lambda broker: broker.group("g").wait(committed=[1]), "committed is [1]: give a dict of offsets"),
        (lambda broker: broker.group("g").wait("Stable", timeout="x"), "timeout is 'x': give a number, like 10"),
        (lambda broker: broker.clock.advance(seconds="1"), "seconds is '1': give a number, like 30"),
        (lambda broker: broker.faults.delay("Heartbeat", seconds="1"), "seconds is '1': give a number, like 1.5"),
        (lambda broker: broker.faults.error("Heartbeat", 22, times="1"), "times is '1': give an int, like 1, or None"),
    ],
)
def test_an_argument_of_the_wrong_type_is_told_by_its_name(call: Callable[[Any], object], said: str) -> None:
    with Broker(topics={"orders": 1}) as broker:
        with pytest.raises(TypeError, match="^" + re.escape(said)):
            call(broker)
        assert broker.records("orders") == []


def test_two_brokers_do_not_get_into_each_others_way() -> None:
    with Broker() as one, Broker() as two:
        one.produce("orders", "a")
        two.produce("orders", "b")
        assert one.port != two.port
        assert [record.value for record in one.records("orders")] == [b"a"]


@pytest.mark.parametrize(
    ("topics", "said"),
    [
        (["orders"], "give a dict of names and partition counts, like {'orders': 3}"),
        ({"orders": "3"}, "topic 'orders' has '3' partitions: give an int, like 3"),
        ({"orders": 0}, "topic 'orders' has 0 partitions: a topic has 1 or more"),
        ({7: 3}, "names are str"),
    ],
)
def test_topics_of_a_broker_that_make_no_sense_are_told_why(topics: Any, said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=re.escape(said)):
        Broker(topics=topics)


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (3, "the value 3 is of type int: give str, bytes or None"),
        ((1, "x"), "the key 1 is of type int"),
        (("a", "b", "c"), "is a tuple of 3: give a value or a (key, value)"),
    ],
)
def test_a_record_that_makes_no_sense_is_told_why_and_none_is_written(record: Any, said: str) -> None:
    with Broker(topics={"orders": 1}) as broker:
        with pytest.raises(TypeError, match=re.escape(said)):
            broker.produce("orders", "first", record)
        assert broker.records("orders") == []


def test_a_reset_broker_has_its_first_topics_and_nothing_else() -> None:
    with Broker(topics={"orders": 2}) as broker:
        broker.produce("orders", "old")
        broker.create_topic("other")
        broker.reset()
        assert broker.records("orders") == []
        with pytest.raises(ValueError, match="other"):
            broker.records("other")
        assert broker.produce("orders", "new", partition=1) == [(1, 0)]


def test_a_deleted_topic_takes_its_records_along() -> None:
    with Broker(topics={"orders": 1}) as broker:
        broker.produce("orders", "old")
        broker.delete_topic("orders")
        with pytest.raises(ValueError, match=r"'orders' cannot be deleted: UNKNOWN_TOPIC_OR_PARTITION"):
            broker.delete_topic("orders")
