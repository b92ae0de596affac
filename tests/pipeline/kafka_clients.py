"""Real clients (confluent-kafka) of a real Kafka that has just been started: they ask again until its coordinators are loaded.

For whoever writes a history into `__consumer_offsets` of a Kafka that `tests.conformance.kafka` started. Knows no pipeline.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from muster.wire.generated.list_groups import ListGroupsRequest
from tests.server.raw_client import RawClient

_PATIENCE_SECONDS = 60
_NOT_READY = ("NOT_COORDINATOR", "COORDINATOR_LOAD_IN_PROGRESS")


def admin_of(at: str) -> AdminClient:
    """Keep it until its futures are done: they fail when it is gone."""
    return AdminClient({"bootstrap.servers": at, "log_level": 0})


def create_topics(at: str, topics: Mapping[str, int]) -> None:
    """Topics by name with their number of partitions."""
    admin = admin_of(at)
    for each in admin.create_topics([NewTopic(name, count) for name, count in topics.items()]).values():
        each.result(_PATIENCE_SECONDS)


def consumer_of(at: str, group: str, **more: Any) -> Consumer:
    return Consumer({"bootstrap.servers": at, "group.id": group, "enable.auto.commit": False, "log_level": 0, **more})


def transactional_producer(at: str, transactional_id: str) -> Producer:
    settings = {"bootstrap.servers": at, "transactional.id": transactional_id, "transaction.timeout.ms": 600_000}
    producer = Producer({**settings, "log_level": 0})
    producer.init_transactions(_PATIENCE_SECONDS)
    return producer


def commit(member: Consumer, offsets: list[TopicPartition]) -> None:
    end = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            member.commit(offsets=offsets, asynchronous=False)
            return
        except KafkaException as error:
            if error.args[0].name() not in _NOT_READY or time.monotonic() > end:
                raise
            time.sleep(0.2)


def poll_until(members: Iterable[Consumer], done: Callable[[], bool]) -> None:
    end = time.monotonic() + _PATIENCE_SECONDS
    while not done():
        assert time.monotonic() < end, "the group did not settle"
        for member in members:
            member.poll(0.2)


def delete_group(at: str, group: str) -> None:
    admin = admin_of(at)
    for each in admin.delete_consumer_groups([group]).values():
        each.result(_PATIENCE_SECONDS)


def groups_of(host: str, port: int) -> set[str]:
    """Of every type. The client's own admin lists consumer groups only."""
    with RawClient(port, host) as client:
        return {each.group_id for each in client.ask("ListGroups", 4, ListGroupsRequest()).groups}
