"""Transactional producers, and readers of either isolation level, of each client library in the same words.

A reader reads up to the end that its isolation level may see: the last stable offset for read_committed, else the high watermark.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import aiokafka
import confluent_kafka
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer

from tests.interop import kafka_python
from tests.interop.client_aiokafka import Loop
from tests.interop.client_confluent import QUIET
from tests.interop.waiting import PATIENCE_SECONDS, eventually

DEFAULT_TIMEOUT_MS = 60_000


class TransactionalProducer(ABC):
    """Initialised when it is made: what another producer of the same transactional id left open is aborted by then."""

    library: str
    fenced: str
    """What the library's error says when a newer producer has the transactional id."""

    @abstractmethod
    def __init__(self, bootstrap: str, transactional_id: str, timeout_ms: int = DEFAULT_TIMEOUT_MS) -> None: ...

    @abstractmethod
    def begin(self) -> None: ...

    @abstractmethod
    def send(self, topic: str, partition: int, *values: bytes) -> None:
        """Returns when they are acknowledged."""

    @abstractmethod
    def send_offsets(self, group: str, topic: str, offsets: Mapping[int, int]) -> None:
        """Offsets by partition."""

    @abstractmethod
    def commit(self) -> None: ...

    @abstractmethod
    def abort(self) -> None: ...

    @abstractmethod
    def close(self) -> None: ...


class ConfluentTransactions(TransactionalProducer):
    library = "confluent-kafka"
    fenced = "_FENCED"

    def __init__(self, bootstrap: str, transactional_id: str, timeout_ms: int = DEFAULT_TIMEOUT_MS) -> None:
        self.producer = Producer(
            {
                "bootstrap.servers": bootstrap,
                "transactional.id": transactional_id,
                "transaction.timeout.ms": timeout_ms,
                "message.timeout.ms": min(timeout_ms, DEFAULT_TIMEOUT_MS),
                "linger.ms": 0,
                **QUIET,
            }
        )
        self.producer.init_transactions(PATIENCE_SECONDS)

    def begin(self) -> None:
        self.producer.begin_transaction()

    def send(self, topic: str, partition: int, *values: bytes) -> None:
        errors: list[KafkaError] = []

        def on_delivery(error: KafkaError | None, _: Any) -> None:
            if error is not None:
                errors.append(error)

        for value in values:
            self.producer.produce(topic, value, partition=partition, on_delivery=on_delivery)
        assert self.producer.flush(PATIENCE_SECONDS) == 0, "librdkafka still has undelivered records"
        if errors:
            raise KafkaException(errors[0])

    def send_offsets(self, group: str, topic: str, offsets: Mapping[int, int]) -> None:
        consumer = Consumer(
            {"bootstrap.servers": "127.0.0.1:1", "group.id": group, **QUIET}
        )  # it lends its group's name
        places = [confluent_kafka.TopicPartition(topic, partition, offset) for partition, offset in offsets.items()]
        self.producer.send_offsets_to_transaction(places, consumer.consumer_group_metadata(), PATIENCE_SECONDS)
        consumer.close()

    def commit(self) -> None:
        self.producer.commit_transaction(PATIENCE_SECONDS)

    def abort(self) -> None:
        self.producer.abort_transaction(PATIENCE_SECONDS)

    def close(self) -> None:
        """librdkafka's producer closes when it is collected."""


class AiokafkaTransactions(TransactionalProducer):
    library = "aiokafka"
    fenced = "ProducerFenced"

    def __init__(self, bootstrap: str, transactional_id: str, timeout_ms: int = DEFAULT_TIMEOUT_MS) -> None:
        self._loop = Loop()
        self._producer: Any = None
        self._loop.run(self._start(bootstrap, transactional_id, timeout_ms))

    async def _start(self, bootstrap: str, transactional_id: str, timeout_ms: int) -> None:
        self._producer = aiokafka.AIOKafkaProducer(
            bootstrap_servers=bootstrap, transactional_id=transactional_id, transaction_timeout_ms=timeout_ms
        )
        await self._producer.start()

    def begin(self) -> None:
        self._loop.run(self._producer.begin_transaction())

    def send(self, topic: str, partition: int, *values: bytes) -> None:
        self._loop.run(self._send(topic, partition, values))

    async def _send(self, topic: str, partition: int, values: tuple[bytes, ...]) -> None:
        for future in [await self._producer.send(topic, value, partition=partition) for value in values]:
            await future

    def send_offsets(self, group: str, topic: str, offsets: Mapping[int, int]) -> None:
        places = {aiokafka.TopicPartition(topic, partition): offset for partition, offset in offsets.items()}
        self._loop.run(self._producer.send_offsets_to_transaction(places, group))

    def commit(self) -> None:
        self._loop.run(self._producer.commit_transaction())

    def abort(self) -> None:
        self._loop.run(self._producer.abort_transaction())

    def close(self) -> None:
        self._loop.run(self._producer.stop())
        self._loop.close()


class KafkaPythonTransactions(TransactionalProducer):
    library = "kafka-python"
    fenced = "ProducerFenced|InvalidProducerEpoch"

    def __init__(self, bootstrap: str, transactional_id: str, timeout_ms: int = DEFAULT_TIMEOUT_MS) -> None:
        self._producer = kafka_python.KafkaProducer(
            bootstrap_servers=bootstrap,
            transactional_id=transactional_id,
            transaction_timeout_ms=timeout_ms,
            reconnect_backoff_max_ms=500,
        )
        self._producer.init_transactions()

    def begin(self) -> None:
        self._producer.begin_transaction()

    def send(self, topic: str, partition: int, *values: bytes) -> None:
        for future in [self._producer.send(topic, value, partition=partition) for value in values]:
            future.get(timeout=PATIENCE_SECONDS)

    def send_offsets(self, group: str, topic: str, offsets: Mapping[int, int]) -> None:
        places = {
            kafka_python.TopicPartition(topic, partition): kafka_python.OffsetAndMetadata(offset, "", -1)
            for partition, offset in offsets.items()
        }
        self._producer.send_offsets_to_transaction(places, group)

    def commit(self) -> None:
        self._producer.commit_transaction()

    def abort(self) -> None:
        self._producer.abort_transaction()

    def close(self) -> None:
        self._producer.close(timeout=PATIENCE_SECONDS)


PRODUCERS: tuple[type[TransactionalProducer], ...] = (
    ConfluentTransactions,
    AiokafkaTransactions,
    KafkaPythonTransactions,
)


# ---- readers


def read_to_end(library: str, bootstrap: str, topic: str, partition: int = 0, *, committed: bool) -> list[bytes]:
    """Every value from the beginning up to the end that this isolation level may see now."""
    level = "read_committed" if committed else "read_uncommitted"
    if library == "confluent-kafka":
        return _read_with_confluent(bootstrap, topic, partition, level)
    if library == "aiokafka":
        return _read_with_aiokafka(bootstrap, topic, partition, level)
    return _read_with_kafka_python(bootstrap, topic, partition, level)


def _read_with_confluent(bootstrap: str, topic: str, partition: int, level: str) -> list[bytes]:
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "reads to the end",  # the library insists on one; nothing is committed
            "enable.auto.commit": False,
            "isolation.level": level,
            "enable.partition.eof": True,
            "fetch.wait.max.ms": 50,
            **QUIET,
        }
    )
    consumer.assign([confluent_kafka.TopicPartition(topic, partition, confluent_kafka.OFFSET_BEGINNING)])
    values: list[bytes] = []

    def is_at_end() -> bool:
        message = consumer.poll(1)
        if message is None:
            return False
        error = message.error()
        if error is None:
            values.append(message.value())
            return False
        if error.code() == KafkaError._PARTITION_EOF:
            return True
        if error.code() not in (KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN):
            raise KafkaException(error)
        return False

    eventually(f"the end of {topic}-{partition}", is_at_end)
    consumer.close()
    return values


def _read_with_aiokafka(bootstrap: str, topic: str, partition: int, level: str) -> list[bytes]:
    async def read() -> list[bytes]:
        at = aiokafka.TopicPartition(topic, partition)
        consumer = aiokafka.AIOKafkaConsumer(
            bootstrap_servers=bootstrap,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            isolation_level=level,
            fetch_max_wait_ms=50,
        )
        await consumer.start()
        try:
            consumer.assign([at])
            end = (await consumer.end_offsets([at]))[at]
            values: list[bytes] = []
            while await consumer.position(at) < end:
                for records in (await consumer.getmany(at, timeout_ms=200)).values():
                    values += [record.value for record in records]
            return values
        finally:
            await consumer.stop()

    loop = Loop()
    values = loop.run(read())
    loop.close()
    return values


def _read_with_kafka_python(bootstrap: str, topic: str, partition: int, level: str) -> list[bytes]:
    at = kafka_python.TopicPartition(topic, partition)
    consumer = kafka_python.KafkaConsumer(
        bootstrap_servers=bootstrap,
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        isolation_level=level,
        fetch_max_wait_ms=50,
    )
    consumer.assign([at])
    end = consumer.end_offsets([at])[at]
    values: list[bytes] = []

    def is_at_end() -> bool:
        if consumer.position(at) < end:
            for records in consumer.poll(timeout_ms=200).values():
                values.extend(record.value for record in records)
        return bool(consumer.position(at) >= end)

    eventually(f"the end of {topic}-{partition}", is_at_end)
    consumer.close()
    return values
