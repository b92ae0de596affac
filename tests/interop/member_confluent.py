"""A member with confluent-kafka: eager (range, roundrobin), cooperative-sticky or of the consumer protocol, dynamic or static."""

from __future__ import annotations

import queue
import struct
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from tests.interop.member import Member, MemberSettings, say

POLL_SECONDS = 0.1


class ConfluentMember(Member):
    def __init__(self, settings: MemberSettings) -> None:
        super().__init__(settings)
        static = {} if settings.instance is None else {"group.instance.id": settings.instance}
        named = {} if settings.client is None else {"client.id": settings.client}
        telling = {"log_level": 0} if settings.debug is None else {"log_level": 7, "debug": settings.debug}
        self._consumer = Consumer(
            {
                "bootstrap.servers": settings.bootstrap,
                "group.id": settings.group,
                "max.poll.interval.ms": settings.max_poll_ms,
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "fetch.wait.max.ms": 100,
                "reconnect.backoff.max.ms": 500,
                "topic.metadata.refresh.interval.ms": settings.metadata_ms,
                **telling,
                **_protocol(settings),
                **static,
                **named,
            }
        )
        self._owned: set[int] = set()
        self._uncommitted: dict[int, int] = {}
        self._unsaved = 0

    def run(self) -> None:
        self._consumer.subscribe(
            [self.settings.regex or self.settings.topic],
            on_assign=self._on_assign,
            on_revoke=self._on_revoke,
            on_lost=self._on_lost,
        )
        while True:
            if self._wish() == "leave":
                break
            message = self._consumer.poll(POLL_SECONDS)
            if message is None:
                self._commit()
            elif message.error() is None:
                self._take(message)
            elif message.error().code() == KafkaError._FATAL:
                say("fatal", error=str(message.error()))
        self._commit()
        self._consumer.close()

    def _wish(self) -> str | None:
        try:
            wish = self.wishes.get_nowait()
        except queue.Empty:
            return None
        if wish == "stall":
            say("stalled")
            return self.wishes.get()  # does not poll until told to
        return wish

    def _take(self, message: Any) -> None:
        self.say_read(message.partition(), message.offset(), self._generation())
        self._uncommitted[message.partition()] = message.offset() + 1
        self._unsaved += 1
        if self._unsaved >= self.settings.commit_every:
            self._commit()

    def _commit(self) -> None:
        offsets, self._uncommitted, self._unsaved = self._uncommitted, {}, 0
        if not offsets:
            return
        wanted = [TopicPartition(self.settings.topic, partition, offset) for partition, offset in offsets.items()]
        try:
            answers = self._consumer.commit(offsets=wanted, asynchronous=False) or ()
            for answer in answers:
                if answer.error is not None:
                    raise KafkaException(answer.error)
        except KafkaException as error:
            self.say_commit_failed(error)
            # What it keeps in a cooperative rebalance it does not read again: without this it would stay uncommitted.
            kept = {partition: offset for partition, offset in offsets.items() if partition in self._owned}
            self._uncommitted = {**kept, **self._uncommitted}
        else:
            self.say_committed(offsets)

    # Called inside poll. What was read is committed before it is given up; librdkafka then rejoins.

    def _on_assign(self, _: Consumer, partitions: list[TopicPartition]) -> None:
        added = {partition.partition for partition in partitions}
        self._owned = self._owned | added if self._cooperative else added
        self.say_owned(list(self._owned), self._generation())

    def _on_revoke(self, _: Consumer, partitions: list[TopicPartition]) -> None:
        self._commit()
        self._give_up(partitions)

    def _on_lost(self, _: Consumer, partitions: list[TopicPartition]) -> None:
        self._uncommitted.clear()
        self._give_up(partitions)

    def _give_up(self, partitions: list[TopicPartition]) -> None:
        gone = {partition.partition for partition in partitions}
        self._owned -= gone
        self._uncommitted = {each: offset for each, offset in self._uncommitted.items() if each not in gone}
        self.say_owned(list(self._owned), self._generation())

    @property
    def _cooperative(self) -> bool:
        return self.settings.assignor == "cooperative-sticky" or self.settings.protocol == "consumer"

    def _generation(self) -> int:
        """librdkafka shows it only inside the opaque bytes for transactions: a magic word, then the number."""
        opaque = bytes(self._consumer.consumer_group_metadata())
        magic = b"CGMDv2:"
        assert opaque.startswith(magic), opaque
        (generation,) = struct.unpack_from("=i", opaque, len(magic))
        return int(generation)


def _protocol(settings: MemberSettings) -> dict[str, str | int]:
    if settings.protocol == "consumer":
        return {"group.protocol": "consumer"}
    return {
        "partition.assignment.strategy": settings.assignor,
        "session.timeout.ms": settings.session_ms,
        "heartbeat.interval.ms": settings.heartbeat_ms,
    }


def make(settings: MemberSettings) -> Member:
    return ConfluentMember(settings)
