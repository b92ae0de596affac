"""Putting records into topics and looking at what is in them, without a client."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias
from zlib import crc32

from muster.testing.argument_checks import check_whole
from muster.topics.creation import NewTopic
from muster.topics.produce import ProduceTerms
from muster.wire.batch import Record, decode_records, encode_batch, iterate_batches
from muster.wire.errors import NONE, name_of
from muster.wire.special_values import NO_TOPIC_ID

if TYPE_CHECKING:
    from muster.runtime.node import Node
    from muster.topics.topic import Topic

Part: TypeAlias = str | bytes | None
Produced: TypeAlias = Part | tuple[Part, Part]
"""A value, or (key, value). Text becomes UTF-8."""

__tracebackhide__ = True  # in pytest's output, see broker.py
_READ_BYTES = 1 << 20


@dataclass(slots=True, frozen=True)
class TopicRecord:
    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    timestamp_ms: int
    headers: tuple[tuple[str, bytes | None], ...] = ()


def checked_topics(topics: object) -> dict[str, int]:
    """The topics of a broker's constructor, by name; a TypeError or ValueError says what was expected instead."""
    if topics is None:
        return {}
    if not isinstance(topics, Mapping):
        raise TypeError(f"topics is {topics!r}: give a dict of names and partition counts, like {{'orders': 3}}")
    for name, partitions in topics.items():
        if not isinstance(name, str):
            raise TypeError(f"topics has the name {name!r}: names are str, like {{'orders': 3}}")
        _check_count(name, partitions)
    return dict(topics)


def _check_count(name: str, partitions: object) -> None:
    if not isinstance(partitions, int) or isinstance(partitions, bool):
        raise TypeError(f"topic {name!r} has {partitions!r} partitions: give an int, like 3")
    if partitions < 1:
        raise ValueError(f"topic {name!r} has {partitions} partitions: a topic has 1 or more")


def _check_partition(topic: Topic, partition: int | None) -> None:
    check_whole("partition", partition, 0, or_none=True)
    if partition is not None and not 0 <= partition < len(topic.partitions):
        raise ValueError(f"{topic.name} has partitions 0 to {len(topic.partitions) - 1}, not {partition}")


def create_topic(node: Node, name: str, partitions: int, configs: Mapping[str, str]) -> None:
    _check_count(name, partitions)
    (made,) = node.broker.create_topics([NewTopic(name, partitions, configs=tuple(configs.items()))])
    if made.error_code != NONE:
        raise ValueError(f"topic {name!r} cannot be created: {name_of(made.error_code)}: {made.message}")


def delete_topic(node: Node, name: str) -> None:
    """With its records, and the offsets that groups have committed for it."""
    (answer,) = node.broker.delete_topics([(name, NO_TOPIC_ID)])
    if answer.error_code != NONE:
        raise ValueError(f"topic {name!r} cannot be deleted: {name_of(answer.error_code)}: {answer.message}")
    node.topics_deleted(frozenset((name,)), answer.logs)


def delete_all_topics(node: Node) -> None:
    """The internal ones too, which clients cannot delete: with them go all groups, offsets and transactions."""
    topics = node.broker.catalog.topics()
    node.broker.catalog.remove(topics)
    logs = [partition.log for topic in topics for partition in topic.partitions]
    node.topics_deleted(frozenset(topic.name for topic in topics), logs)


def append(node: Node, name: str, records: Iterable[Produced], partition: int | None) -> list[tuple[int, int]]:
    """Append now; returns (partition, offset) of each. Keys choose the partition as far as the test does not."""
    topic = node.broker.auto_create(name)
    _check_partition(topic, partition)
    pairs = [_pair(record) for record in records]
    chosen = [_partition(topic, key, number, partition) for number, (key, _) in enumerate(pairs)]
    now_ms = node.clock.now_ms()
    where: list[tuple[int, int]] = []
    for index, (key, value) in zip(chosen, pairs, strict=True):
        batch = encode_batch([Record(0, now_ms, key, value)])
        result = node.broker.produce(name, index, batch, ProduceTerms(), now_ms)
        if result.error_code != NONE:
            raise ValueError(f"{name}-{index} does not take the record: {name_of(result.error_code)} {result.message}")
        where.append((index, result.base_offset))
    node.durable.soon()
    return where


def read(node: Node, name: str, partition: int | None = None) -> list[TopicRecord]:
    """Everything durable, partition by partition."""
    topic = node.broker.topic(name)
    if topic is None:
        raise ValueError(f"there is no topic {name!r}")
    _check_partition(topic, partition)
    found = []
    for each in topic.partitions:
        if partition is None or each.index == partition:
            found += [
                TopicRecord(name, each.index, r.offset, r.key, r.value, r.timestamp_ms, tuple(r.headers))
                for r in _records(topic, each.index)
            ]
    return found


def _records(topic: Topic, index: int) -> Iterable[Record]:
    log = topic.partitions[index].log
    position = log.start_offset
    while position < log.durable_offset:
        raw = log.read(position, _READ_BYTES)
        if not raw:
            return
        for at, header in iterate_batches(raw):
            if not header.is_control:
                yield from (record for record in decode_records(raw, header, at) if record.offset >= position)
            position = header.base_offset + header.last_offset_delta + 1


def _pair(record: Produced) -> tuple[bytes | None, bytes | None]:
    if isinstance(record, tuple) and len(record) != 2:
        raise TypeError(f"the record {record!r} is a tuple of {len(record)}: give a value or a (key, value)")
    key, value = record if isinstance(record, tuple) else (None, record)
    return _bytes(key, "key"), _bytes(value, "value")


def _bytes(part: Part, called: str) -> bytes | None:
    if part is not None and not isinstance(part, str | bytes):
        raise TypeError(f"the {called} {part!r} is of type {type(part).__name__}: give str, bytes or None")
    return part.encode() if isinstance(part, str) else part


def _partition(topic: Topic, key: bytes | None, number: int, wanted: int | None) -> int:
    count = len(topic.partitions)
    if wanted is not None:
        return wanted
    return number % count if key is None else crc32(key) % count
