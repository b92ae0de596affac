"""The broker vocabulary in confluent-kafka, which is librdkafka."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, OFFSET_END, Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewPartitions,
    NewTopic,
    ResourceType,
)

from tests.interop.vocabulary import Client, Got, Reader, Sender, Sent
from tests.interop.waiting import PATIENCE_SECONDS, eventually

QUIET = {"log_level": 0, "reconnect.backoff.max.ms": 500}
_numbers = itertools.count()


class ConfluentSender(Sender):
    def __init__(self, bootstrap: str, compression: str, idempotent: bool) -> None:
        self._producer = Producer(
            {
                "bootstrap.servers": bootstrap,
                "compression.type": compression,
                "enable.idempotence": idempotent,
                "message.max.bytes": 20_000_000,
                "linger.ms": 0,
                **QUIET,
            }
        )

    def send(self, topic: str, partition: int, records: Sequence[Sent]) -> list[int]:
        offsets: list[int] = []
        errors: list[KafkaError] = []

        def on_delivery(error: KafkaError | None, message: Any) -> None:
            if error is not None:
                errors.append(error)
            else:
                offsets.append(message.offset())

        for record in records:
            when = {} if record.timestamp_ms is None else {"timestamp": record.timestamp_ms}
            self._producer.produce(
                topic,
                record.value,
                record.key,
                partition,
                on_delivery=on_delivery,
                headers=list(record.headers),
                **when,
            )
        assert self._producer.flush(PATIENCE_SECONDS) == 0, "librdkafka still has undelivered records"
        if errors:
            raise KafkaException(errors[0])
        return offsets

    def close(self) -> None:
        self._producer.flush(PATIENCE_SECONDS)


class ConfluentReader(Reader):
    def __init__(self, bootstrap: str, topic: str, partition: int) -> None:
        self._topic, self._partition = topic, partition
        self._consumer = Consumer(
            {
                "bootstrap.servers": bootstrap,
                "group.id": f"reader-{os.getpid()}-{next(_numbers)}",  # the library insists on one; nothing is committed
                "enable.auto.commit": False,
                "auto.offset.reset": "error",
                "fetch.wait.max.ms": 100,
                **QUIET,
            }
        )
        # With the leader known, librdkafka asks for the beginning at once and not half a second later.
        self._consumer.list_topics(topic, timeout=PATIENCE_SECONDS)
        self._consumer.assign([self._at(OFFSET_BEGINNING)])

    def _at(self, offset: int) -> TopicPartition:
        return TopicPartition(self._topic, self._partition, offset)

    def read(self, count: int) -> list[Got]:
        found: list[Got] = []

        def look() -> int:
            message = self._consumer.poll(1)
            # A broker that restarts is an event for the application, not an end: librdkafka goes on by itself.
            if message is not None and (error := message.error()) is not None:
                if not error.retriable() and error.code() not in (KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN):
                    raise KafkaException(error)
            elif message is not None:
                found.append(_got(message))
            return len(found)

        eventually(f"{count} records", look, lambda seen: seen >= count)
        return found

    def seek(self, offset: int) -> None:
        def sought() -> bool:
            try:
                self._consumer.seek(self._at(offset))
            except KafkaException as error:
                # The assignment has not reached librdkafka's fetcher yet.
                if error.args[0].code() != KafkaError._STATE:
                    raise
                return False
            return True

        eventually("the partition to be seekable", sought)

    def seek_to_beginning(self) -> None:
        self.seek(OFFSET_BEGINNING)

    def seek_to_end(self) -> None:
        self.seek(OFFSET_END)

    def position(self) -> int:
        """librdkafka's position is only known after a read; the end that it seeks to is the high watermark."""
        position: int = self._consumer.position([self._at(0)])[0].offset
        return position if position >= 0 else self.watermarks()[1]

    def offset_at(self, timestamp_ms: int) -> int | None:
        offset: int = self._consumer.offsets_for_times([self._at(timestamp_ms)], timeout=PATIENCE_SECONDS)[0].offset
        return None if offset == OFFSET_END else offset

    def watermarks(self) -> tuple[int, int]:
        low, high = self._consumer.get_watermark_offsets(self._at(0), timeout=PATIENCE_SECONDS)
        return low, high

    def close(self) -> None:
        self._consumer.close()


def _got(message: Any) -> Got:
    return Got(message.offset(), message.value(), message.key(), tuple(message.headers() or ()), message.timestamp()[1])


class ConfluentClient(Client):
    name = "confluent-kafka"
    too_large = "MSG_SIZE_TOO_LARGE"

    def __init__(self, bootstrap: str) -> None:
        super().__init__(bootstrap)
        self.admin = AdminClient({"bootstrap.servers": bootstrap, **QUIET})

    def _make_sender(self, *, compression: str, idempotent: bool) -> Sender:
        return ConfluentSender(self.bootstrap, compression, idempotent)

    def _make_reader(self, topic: str, partition: int) -> Reader:
        return ConfluentReader(self.bootstrap, topic, partition)

    def _close_admin(self) -> None:
        """librdkafka's admin client closes when it is collected."""

    def create_topic(self, topic: str, partitions: int = 1, configs: Mapping[str, str] | None = None) -> None:
        _done(self.admin.create_topics([NewTopic(topic, partitions, 1, config=dict(configs or {}))]))

    def grow_topic(self, topic: str, partitions: int) -> None:
        _done(self.admin.create_partitions([NewPartitions(topic, partitions)]))

    def delete_topic(self, topic: str) -> None:
        _done(self.admin.delete_topics([topic]))

    def topics(self) -> dict[str, int]:
        found = self.admin.list_topics(timeout=PATIENCE_SECONDS).topics
        return {name: len(topic.partitions) for name, topic in found.items()}

    def configs(self, topic: str) -> dict[str, str]:
        entries = _done(self.admin.describe_configs([ConfigResource(ResourceType.TOPIC, topic)]))
        return {name: entry.value for name, entry in entries.items()}

    def set_config(self, topic: str, name: str, value: str) -> None:
        change = ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)
        resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[change])
        _done(self.admin.incremental_alter_configs([resource]))

    def delete_records(self, topic: str, partition: int, before: int) -> int:
        low: int = _done(self.admin.delete_records([TopicPartition(topic, partition, before)])).low_watermark
        return low


def _done(futures: Mapping[Any, Any]) -> Any:
    """The result of the only future; raises KafkaException as the library does."""
    (future,) = futures.values()
    return future.result(PATIENCE_SECONDS)
