"""Sets of partitions, as records and requests have them: topics in the order of their first mention, each with its partitions.

Knows nothing of transactions. A transaction has a few dozen partitions at most, and no order may depend on a set (law 7).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from muster.core.transactions.records import TopicPartitions

Topics: TypeAlias = tuple[TopicPartitions, ...]


def pairs(topics: Topics) -> Iterator[tuple[str, int]]:
    """(topic, partition), one by one."""
    for topic, partitions in topics:
        for partition in partitions:
            yield topic, partition


def united(topics: Topics, more: Topics) -> Topics:
    """Each partition of both, once."""
    if len(more) == 1:
        topic, partitions = more[0]
        for at, (known_topic, known) in enumerate(topics):
            if known_topic == topic:
                return (*topics[:at], (topic, _each_once(known + partitions)), *topics[at + 1 :])
        return (*topics, (topic, _each_once(partitions)))
    found: dict[str, dict[int, None]] = {}
    for topic, partitions in topics + more:
        found.setdefault(topic, {}).update(dict.fromkeys(partitions))
    return tuple([(topic, tuple(known)) for topic, known in found.items()])


def _each_once(partitions: tuple[int, ...]) -> tuple[int, ...]:
    return partitions if len(partitions) < 2 else tuple(dict.fromkeys(partitions))


def without(topics: Topics, gone: Topics) -> Topics:
    """The partitions without these. A topic that has no partition left is left out."""
    removed = _as_set(gone)
    left: list[TopicPartitions] = []
    for topic, partitions in topics:
        kept = [partition for partition in partitions if (topic, partition) not in removed]
        if kept:
            left.append((topic, tuple(kept)))
    return tuple(left)


def contains_all(topics: Topics, asked: Topics) -> bool:
    known = _as_set(topics)
    for topic, partitions in asked:
        for partition in partitions:
            if (topic, partition) not in known:
                return False
    return True


def _as_set(topics: Topics) -> set[tuple[str, int]]:
    return {(topic, partition) for topic, partitions in topics for partition in partitions}
