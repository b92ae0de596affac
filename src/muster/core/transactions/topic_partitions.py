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
    found: dict[str, TopicPartitions] = {}
    for each in topics + more:
        topic, partitions = each
        known = found.get(topic)
        distinct = tuple(dict.fromkeys(partitions if known is None else known.partitions + partitions))
        found[topic] = each if distinct == partitions else TopicPartitions(topic, distinct)
    return tuple(found.values())


def without(topics: Topics, gone: Topics) -> Topics:
    """The partitions without these. A topic that has no partition left is left out."""
    removed = {(topic, partition) for topic, partitions in gone for partition in partitions}
    left: list[TopicPartitions] = []
    for each in topics:
        topic, partitions = each
        kept = tuple([partition for partition in partitions if (topic, partition) not in removed])
        if kept:
            left.append(each if len(kept) == len(partitions) else TopicPartitions(topic, kept))
    return tuple(left)


def contains_all(topics: Topics, asked: Topics) -> bool:
    return frozenset(pairs(topics)).issuperset(pairs(asked))
