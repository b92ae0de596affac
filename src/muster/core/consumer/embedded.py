"""The bytes of the consumer protocol inside of classic requests, as consumer groups need them (spec 2.4, 7.8, 7.9)."""

from __future__ import annotations

from muster.core.consumer.records import ClassicMetadata, Subscription, Target
from muster.core.consumer.topics import TopicView
from muster.wire.consumer_protocol import (
    Assignment,
    TopicPartitions,
    decode_assignment,
    decode_subscription,
    encode_assignment,
)


def embedded_subscription(
    metadata: bytes,
    protocols: tuple[tuple[str, bytes], ...],
    instance_id: str | None,
    client_id: str,
    client_host: str,
    session_timeout_ms: int,
    rebalance_timeout_ms: int,
) -> Subscription:
    """What a classic member says about itself. WireError if its metadata cannot be read."""
    said = decode_subscription(metadata)
    return Subscription(
        instance_id,
        said.rack_id,
        client_id,
        client_host,
        tuple(sorted(set(said.topics))),
        "",
        rebalance_timeout_ms,
        None,
        ClassicMetadata(session_timeout_ms, protocols),
    )


def owned_partitions(metadata: bytes, topics: TopicView) -> Target:
    """What the member says it has; eager members have given everything up when they join."""
    return _by_id(decode_subscription(metadata).owned_partitions, topics)


def read_assignment(assignment: bytes, topics: TopicView) -> Target:
    """WireError if it cannot be read; no bytes are no partitions. Topics that do not exist are left out."""
    return _by_id(decode_assignment(assignment).partitions, topics) if assignment else {}


def write_assignment(target: Target, own: Subscription, topics: TopicView) -> bytes:
    """In the version that the member speaks."""
    assert own.classic is not None
    partitions: list[tuple[str, tuple[int, ...]]] = []
    for topic_id, numbers in target.items():
        name = topics.name_of(topic_id)
        if name is not None:
            partitions.append((name, numbers))
    version = decode_subscription(own.classic.protocols[0][1]).version
    return encode_assignment(Assignment(partitions, None, version))


def _by_id(partitions: TopicPartitions, topics: TopicView) -> Target:
    found: dict[bytes, set[int]] = {}
    for name, numbers in partitions:
        topic = topics.find(name)
        if topic is not None and numbers:
            found.setdefault(topic[0], set()).update(numbers)
    return {topic_id: tuple(sorted(numbers)) for topic_id, numbers in found.items()}
