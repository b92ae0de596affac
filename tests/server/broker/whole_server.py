"""A whole server in memory for tests of the broker's handlers, and the few requests that every one of them needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from muster.server.running import RunningServer
from muster.server.settings import Settings
from muster.wire.batch import encode_pairs
from muster.wire.generated.create_topics import CreateTopicsRequest, CreateTopicsRequestConfig, CreateTopicsRequestTopic
from muster.wire.generated.fetch import FetchRequest, FetchRequestPartition, FetchRequestTopic, FetchResponsePartition
from muster.wire.generated.produce import (
    ProduceRequest,
    ProduceRequestPartition,
    ProduceRequestTopic,
    ProduceResponsePartition,
)
from tests.server.raw_client import RawClient

NOW_MS = 1_700_000_000_000
ZERO_ID = bytes(16)


def whole_server(settings: Mapping[str, str] | None = None) -> RunningServer:
    return RunningServer(Settings.of({"listeners": "127.0.0.1:0", "muster.storage": "memory", **(settings or {})}))


def create(client: RawClient, name: str, partitions: int = 1, **configs: str) -> bytes:
    """Make a topic; returns its id. Underscores in the names of settings stand for dots."""
    reply = client.ask(
        "CreateTopics",
        7,
        CreateTopicsRequest(
            [
                CreateTopicsRequestTopic(
                    name,
                    partitions,
                    -1,
                    configs=[CreateTopicsRequestConfig(key.replace("_", "."), value) for key, value in configs.items()],
                )
            ]
        ),
    )
    (topic,) = reply.topics
    assert topic.error_code == 0, topic
    assert isinstance(topic.topic_id, bytes)
    return topic.topic_id


def batch(*values: bytes, timestamp_ms: int = NOW_MS) -> bytes:
    return encode_pairs([(None, value) for value in values], timestamp_ms)


def produce(
    client: RawClient, topic: str, records: bytes | None, partition: int = 0, version: int = 12, acks: int = -1
) -> ProduceResponsePartition:
    message = ProduceRequest(
        None, acks, 1_000, [ProduceRequestTopic(topic, partition_data=[ProduceRequestPartition(partition, records)])]
    )
    reply = client.ask("Produce", version, message)
    (answer,) = reply.responses
    assert answer.name == topic
    (result,) = answer.partition_responses
    assert isinstance(result, ProduceResponsePartition)
    assert result.index == partition
    return result


def fetch_request(
    topic: str,
    offset: int = 0,
    partition: int = 0,
    *,
    max_wait_ms: int = 0,
    min_bytes: int = 1,
    max_bytes: int = 1_000_000,
    topic_id: bytes = ZERO_ID,
    **more: Any,
) -> FetchRequest:
    return FetchRequest(
        max_wait_ms=max_wait_ms,
        min_bytes=min_bytes,
        max_bytes=max_bytes,
        topics=[
            FetchRequestTopic(
                topic, topic_id, [FetchRequestPartition(partition, fetch_offset=offset, partition_max_bytes=max_bytes)]
            )
        ],
        **more,
    )


def fetch(client: RawClient, request: FetchRequest, version: int = 12) -> FetchResponsePartition:
    reply = client.ask("Fetch", version, request)
    assert reply.error_code == 0
    (topic,) = reply.responses
    (partition,) = topic.partitions
    assert isinstance(partition, FetchResponsePartition)
    return partition
