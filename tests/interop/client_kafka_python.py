"""The broker vocabulary in kafka-python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from tests.interop.kafka_python import (
    ConfigResource,
    ConfigResourceType,
    KafkaAdminClient,
    KafkaConsumer,
    KafkaProducer,
    NewPartitions,
    NewTopic,
    TopicPartition,
    errors,
)
from tests.interop.vocabulary import Client, Got, Reader, Sender, Sent
from tests.interop.waiting import PATIENCE_SECONDS, eventually


class KafkaPythonSender(Sender):
    def __init__(self, bootstrap: str, compression: str, idempotent: bool) -> None:
        self._producer = KafkaProducer(
            bootstrap_servers=bootstrap,
            compression_type=None if compression == "none" else compression,
            enable_idempotence=idempotent,
            acks="all",
            max_request_size=20_000_000,
            reconnect_backoff_max_ms=500,
        )

    def send(self, topic: str, partition: int, records: Sequence[Sent]) -> list[int]:
        futures = [
            self._producer.send(
                topic,
                record.value,
                record.key,
                list(record.headers),
                partition,
                record.timestamp_ms,
            )
            for record in records
        ]
        return [future.get(timeout=PATIENCE_SECONDS).offset for future in futures]

    def close(self) -> None:
        self._producer.close(timeout=PATIENCE_SECONDS)


class KafkaPythonReader(Reader):
    def __init__(self, bootstrap: str, topic: str, partition: int) -> None:
        self._at = TopicPartition(topic, partition)
        self._consumer = KafkaConsumer(
            bootstrap_servers=bootstrap,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            fetch_max_wait_ms=100,
            reconnect_backoff_max_ms=500,
        )
        self._consumer.assign([self._at])

    def read(self, count: int) -> list[Got]:
        found: list[Got] = []

        def look() -> int:
            # A server that restarts is no end, though kafka-python raises it: the next poll goes on.
            with suppress(errors.RetriableError):
                polled = self._consumer.poll(timeout_ms=1_000, max_records=count - len(found))
                found.extend(_got(record) for record in polled.get(self._at, ()))
            return len(found)

        eventually(f"{count} records", look, lambda seen: seen >= count)
        return found

    def seek(self, offset: int) -> None:
        self._consumer.seek(self._at, offset)

    def seek_to_beginning(self) -> None:
        self._consumer.seek_to_beginning(self._at)

    def seek_to_end(self) -> None:
        self._consumer.seek_to_end(self._at)

    def position(self) -> int:
        position: int = self._consumer.position(self._at)
        return position

    def offset_at(self, timestamp_ms: int) -> int | None:
        found = self._consumer.offsets_for_times({self._at: timestamp_ms})[self._at]
        return None if found is None else found.offset

    def watermarks(self) -> tuple[int, int]:
        low = self._consumer.beginning_offsets([self._at])[self._at]
        return low, self._consumer.end_offsets([self._at])[self._at]

    def close(self) -> None:
        self._consumer.close()


def _got(record: Any) -> Got:
    return Got(record.offset, record.value, record.key, tuple(map(tuple, record.headers)), record.timestamp)


class KafkaPythonClient(Client):
    name = "kafka-python"
    too_large = "MessageSizeTooLargeError"

    def __init__(self, bootstrap: str) -> None:
        super().__init__(bootstrap)
        self._admin = KafkaAdminClient(bootstrap_servers=bootstrap, reconnect_backoff_max_ms=500)

    def _make_sender(self, *, compression: str, idempotent: bool) -> Sender:
        return KafkaPythonSender(self.bootstrap, compression, idempotent)

    def _make_reader(self, topic: str, partition: int) -> Reader:
        return KafkaPythonReader(self.bootstrap, topic, partition)

    def _close_admin(self) -> None:
        self._admin.close()

    def create_topic(self, topic: str, partitions: int = 1, configs: Mapping[str, str] | None = None) -> None:
        self._admin.create_topics([NewTopic(topic, partitions, 1, topic_configs=dict(configs or {}))])

    def grow_topic(self, topic: str, partitions: int) -> None:
        self._admin.create_partitions({topic: NewPartitions(partitions)})

    def delete_topic(self, topic: str) -> None:
        self._admin.delete_topics([topic])

    def topics(self) -> dict[str, int]:
        return {topic["name"]: len(topic["partitions"]) for topic in self._admin.describe_topics()}

    def configs(self, topic: str) -> dict[str, str]:
        resource = ConfigResource(ConfigResourceType.TOPIC, topic)
        answer = self._admin.describe_configs([resource], config_filter="all")
        return {name: entry["value"] for name, entry in answer[ConfigResourceType.TOPIC.name.lower()][topic].items()}

    def set_config(self, topic: str, name: str, value: str) -> None:
        self._admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic, configs={name: value})])

    def delete_records(self, topic: str, partition: int, before: int) -> int:
        at = TopicPartition(topic, partition)
        low: int = self._admin.delete_records({at: before})[at]["low_watermark"]
        return low
