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
    found: dict[str, dict[int, None]] = {}
    for topic, partitions in topics + more:
        known = found.get(topic)
        if known is None:
            known = found[topic] = {}
        for partition in partitions:
            known[partition] = None
    return tuple([(topic, tuple(known)) for topic, known in found.items()])


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
