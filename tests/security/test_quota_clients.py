"""Real clients meet quotas: they hear the throttle time, wait, and go on; and what they say to limits of their principal."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import aiokafka
import confluent_kafka
import pytest
from aiokafka.errors import KafkaError

from muster.testing.broker import Broker
from tests.interop.kafka_python import KafkaProducer
from tests.security.quota_server import listener_of, set_quotas

PATIENCE_SECONDS = 60


@pytest.fixture
def broker() -> Iterator[Broker]:
    """Two windows instead of eleven: one second's worth may come at once, and who has waited two may go on."""
    with Broker({"quota.window.num": 2}, topics={"t": 1}) as running:
        yield running


def throttled(broker: Broker, quota: str) -> int:
    throttling = listener_of(broker).throttling
    assert throttling is not None
    return throttling.throttled[quota]


def poll_until(client: confluent_kafka.Producer, condition: Callable[[], bool]) -> None:
    for _ in range(PATIENCE_SECONDS * 20):
        client.poll(0.05)
        if condition():
            return
    raise AssertionError("it never happened")


def test_librdkafka_tells_its_program_of_the_throttle_time(broker: Broker) -> None:
    """By its throttle callback and in its statistics; everything arrives all the same. The first record is more than a second's
    worth: however slow the machine is, that is too fast."""
    set_quotas(broker.port, {"client-id": "hasty"}, producer_byte_rate=700_000)
    told: list[Any] = []
    worst_ms: list[int] = []

    def on_statistics(text: str) -> None:
        brokers = json.loads(text)["brokers"].values()
        worst_ms.extend(each["throttle"]["max"] for each in brokers if each["throttle"]["max"])

    producer = confluent_kafka.Producer(
        {
            "bootstrap.servers": broker.bootstrap_servers,
            "client.id": "hasty",
            "throttle_cb": told.append,
            "stats_cb": on_statistics,
            "statistics.interval.ms": 50,
            "linger.ms": 0,
        }
    )
    for _ in range(2):
        producer.produce("t", b"x" * 800_000)
        producer.flush(PATIENCE_SECONDS)
    poll_until(producer, lambda: bool(told and worst_ms))
    assert told[0].throttle_time > 0
    assert throttled(broker, "produce") > 0
    assert len(broker.records("t")) == 2


def test_aiokafka_consumes_all_there_is_though_slowly(broker: Broker) -> None:
    """Fetch answers are empty while there is no room; nothing is lost, nothing comes twice. The first record alone is more than a
    second's worth."""
    values = [b"x" * 7_000, *(f"{number:07}".encode() * 50 for number in range(20))]
    broker.produce("t", values[0])
    broker.produce("t", *values[1:])
    set_quotas(broker.port, {"client-id": "slow"}, consumer_byte_rate=6_000)
    assert asyncio.run(consume_slowly(broker, len(values))) == values
    assert throttled(broker, "fetch") > 0


async def consume_slowly(broker: Broker, count: int) -> list[bytes]:
    consumer = aiokafka.AIOKafkaConsumer(
        "t",
        bootstrap_servers=broker.bootstrap_servers,
        client_id="slow",
        auto_offset_reset="earliest",
        max_partition_fetch_bytes=4_000,
    )
    async with consumer:
        return [(await asyncio.wait_for(consumer.getone(), PATIENCE_SECONDS)).value for _ in range(count)]


def test_kafka_python_goes_on_after_it_was_throttled(broker: Broker) -> None:
    set_quotas(broker.port, {"client-id": "kp"}, muster_request_rate=4)
    producer = KafkaProducer(bootstrap_servers=broker.bootstrap_servers, client_id="kp", linger_ms=0)
    try:
        offsets = [producer.send("t", b"x").get(PATIENCE_SECONDS).offset for _ in range(10)]
    finally:
        producer.close(timeout=PATIENCE_SECONDS)
    assert offsets == list(range(10))
    assert throttled(broker, "requests") > 0


@pytest.fixture
def full_broker() -> Iterator[Broker]:
    """Where everybody has his one group already."""
    with Broker({"muster.max.groups.per.principal": 1}, topics={"t": 1}) as running:
        consumer = confluent_kafka.Consumer({"bootstrap.servers": running.bootstrap_servers, "group.id": "mine"})
        consumer.commit(offsets=[confluent_kafka.TopicPartition("t", 0, 0)], asynchronous=False)
        consumer.close()
        yield running


def test_librdkafka_shows_a_group_too_many(full_broker: Broker) -> None:
    consumer = confluent_kafka.Consumer({"bootstrap.servers": full_broker.bootstrap_servers, "group.id": "one-more"})
    consumer.subscribe(["t"])
    try:
        errors = (message.error() for message in iter(lambda: consumer.poll(PATIENCE_SECONDS), None))
        assert next(each for each in errors if each).code() == confluent_kafka.KafkaError.POLICY_VIOLATION
        with pytest.raises(confluent_kafka.KafkaException) as caught:
            consumer.commit(offsets=[confluent_kafka.TopicPartition("t", 0, 0)], asynchronous=False)
        assert caught.value.args[0].code() == confluent_kafka.KafkaError.POLICY_VIOLATION
    finally:
        consumer.close()


def test_aiokafka_shows_a_group_too_many(full_broker: Broker) -> None:
    with pytest.raises(KafkaError, match="PolicyViolation"):
        asyncio.run(consume_in_a_group(full_broker))


async def consume_in_a_group(broker: Broker) -> None:
    consumer = aiokafka.AIOKafkaConsumer("t", bootstrap_servers=broker.bootstrap_servers, group_id="one-more")
    try:
        await asyncio.wait_for(consumer.start(), PATIENCE_SECONDS)
        await asyncio.wait_for(consumer.getone(), PATIENCE_SECONDS)
    finally:
        await consumer.stop()
