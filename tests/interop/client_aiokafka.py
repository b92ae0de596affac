"""The broker vocabulary in aiokafka. Each call runs the client's own loop until it is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewPartitions, NewTopic, RecordsToDelete
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import for_code

from tests.interop.vocabulary import Client, Got, Reader, Sender, Sent
from tests.interop.waiting import PATIENCE_SECONDS

_T = TypeVar("_T")


class Loop:
    """An event loop that runs only while it is asked for something."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()

    def run(self, work: Coroutine[Any, Any, _T]) -> _T:
        return self._runner.run(asyncio.wait_for(work, PATIENCE_SECONDS))

    def close(self) -> None:
        self._runner.close()


class AiokafkaSender(Sender):
    def __init__(self, loop: Loop, bootstrap: str, compression: str, idempotent: bool) -> None:
        self._loop = loop
        self._producer: Any = None
        loop.run(self._start(bootstrap, compression, idempotent))

    async def _start(self, bootstrap: str, compression: str, idempotent: bool) -> None:
        self._producer = AIOKafkaProducer(
            bootstrap_servers=bootstrap,
            compression_type=None if compression == "none" else compression,
            enable_idempotence=idempotent,
            acks="all",
            max_request_size=20_000_000,
        )
        await self._producer.start()

    def send(self, topic: str, partition: int, records: Sequence[Sent]) -> list[int]:
        return self._loop.run(self._send(topic, partition, records))

    async def _send(self, topic: str, partition: int, records: Sequence[Sent]) -> list[int]:
        futures = [
            await self._producer.send(
                topic,
                record.value,
                record.key,
                partition,
                record.timestamp_ms,
                list(record.headers),
            )
            for record in records
        ]
        return [sent.offset for sent in await asyncio.gather(*futures)]

    def close(self) -> None:
        self._loop.run(self._producer.stop())


class AiokafkaReader(Reader):
    def __init__(self, loop: Loop, bootstrap: str, topic: str, partition: int) -> None:
        self._loop = loop
        self._at = TopicPartition(topic, partition)
        self._consumer: Any = None
        loop.run(self._start(bootstrap))

    async def _start(self, bootstrap: str) -> None:
        self._consumer = AIOKafkaConsumer(
            bootstrap_servers=bootstrap,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            fetch_max_wait_ms=100,
        )
        await self._consumer.start()
        self._consumer.assign([self._at])

    def read(self, count: int) -> list[Got]:
        return self._loop.run(self._read(count))

    async def _read(self, count: int) -> list[Got]:
        return [_got(await self._consumer.getone(self._at)) for _ in range(count)]

    def seek(self, offset: int) -> None:
        self._consumer.seek(self._at, offset)

    def seek_to_beginning(self) -> None:
        self._loop.run(self._consumer.seek_to_beginning(self._at))

    def seek_to_end(self) -> None:
        self._loop.run(self._consumer.seek_to_end(self._at))

    def position(self) -> int:
        position: int = self._loop.run(self._consumer.position(self._at))
        return position

    def offset_at(self, timestamp_ms: int) -> int | None:
        found = self._loop.run(self._consumer.offsets_for_times({self._at: timestamp_ms}))[self._at]
        return None if found is None else found.offset

    def watermarks(self) -> tuple[int, int]:
        low = self._loop.run(self._consumer.beginning_offsets([self._at]))[self._at]
        return low, self._loop.run(self._consumer.end_offsets([self._at]))[self._at]

    def close(self) -> None:
        self._loop.run(self._consumer.stop())


def _got(record: Any) -> Got:
    return Got(record.offset, record.value, record.key, tuple(map(tuple, record.headers)), record.timestamp)


class AiokafkaClient(Client):
    name = "aiokafka"
    too_large = "MessageSizeTooLargeError"

    def __init__(self, bootstrap: str) -> None:
        super().__init__(bootstrap)
        self._loop = Loop()
        self._admin: Any = None
        self._loop.run(self._start())

    async def _start(self) -> None:
        self._admin = AIOKafkaAdminClient(bootstrap_servers=self.bootstrap)
        await self._admin.start()

    def _make_sender(self, *, compression: str, idempotent: bool) -> Sender:
        return AiokafkaSender(self._loop, self.bootstrap, compression, idempotent)

    def _make_reader(self, topic: str, partition: int) -> Reader:
        return AiokafkaReader(self._loop, self.bootstrap, topic, partition)

    def _close_admin(self) -> None:
        self._loop.run(self._admin.close())
        self._loop.close()

    def create_topic(self, topic: str, partitions: int = 1, configs: Mapping[str, str] | None = None) -> None:
        wanted = NewTopic(topic, partitions, 1, topic_configs=dict(configs or {}))
        _check(self._loop.run(self._admin.create_topics([wanted])).topic_errors)

    def grow_topic(self, topic: str, partitions: int) -> None:
        answer = self._loop.run(self._admin.create_partitions({topic: NewPartitions(partitions)}))
        _check(answer.topic_errors)

    def delete_topic(self, topic: str) -> None:
        _check(self._loop.run(self._admin.delete_topics([topic])).topic_error_codes)

    def topics(self) -> dict[str, int]:
        return {topic["topic"]: len(topic["partitions"]) for topic in self._loop.run(self._admin.describe_topics())}

    def configs(self, topic: str) -> dict[str, str]:
        resource = ConfigResource(ConfigResourceType.TOPIC, topic)
        (answer,) = self._loop.run(self._admin.describe_configs([resource]))
        ((code, message, _, _, entries),) = answer.resources
        _check([(topic, code, message)])
        return {entry[0]: entry[1] for entry in entries}

    def set_config(self, topic: str, name: str, value: str) -> None:
        resource = ConfigResource(ConfigResourceType.TOPIC, topic, configs={name: value})
        (answer,) = self._loop.run(self._admin.alter_configs([resource]))
        _check([(each[3], each[0], each[1]) for each in answer.resources])

    def delete_records(self, topic: str, partition: int, before: int) -> int:
        at = TopicPartition(topic, partition)
        low: int = self._loop.run(self._admin.delete_records({at: RecordsToDelete(before)}))[at]
        return low


def _check(answers: Sequence[tuple[Any, ...]]) -> None:
    """aiokafka's admin hands errors back as numbers; raise them as its other parts do."""
    for answer in answers:
        if answer[1]:
            raise for_code(answer[1])(str(answer))
