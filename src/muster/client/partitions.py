"""Partitions by name, in the shapes that requests and people want."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final, TypeVar

from muster.core.assignors.contract import TopicPartition

T = TypeVar("T")

__all__ = [
    "GROUPS_A_REQUEST",
    "PARTITIONS_A_REQUEST",
    "TopicPartition",
    "batched",
    "by_topic",
    "spread",
    "values_by_topic",
]

PARTITIONS_A_REQUEST: Final = 5_000
"""So many are asked about at a time: a broker serves nobody else while it reads a request."""
GROUPS_A_REQUEST: Final = 100


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in lists of `size`; the last one may be shorter."""
    rest = iter(items)
    while portion := list(islice(rest, size)):
        yield portion


def by_topic(partitions: Iterable[TopicPartition]) -> dict[str, list[int]]:
    """Topic -> partition numbers, in order."""
    found: dict[str, list[int]] = {}
    for topic, partition in sorted(partitions):
        found.setdefault(topic, []).append(partition)
    return found


def values_by_topic(values: Mapping[TopicPartition, T]) -> dict[str, list[tuple[int, T]]]:
    """Topic -> (partition number, value), in order."""
    found: dict[str, list[tuple[int, T]]] = {}
    for place in sorted(values):
        found.setdefault(place.topic, []).append((place.partition, values[place]))
    return found


def spread(pairs: Iterable[tuple[str, Iterable[int]]]) -> list[TopicPartition]:
    """The reverse of `by_topic`."""
    return [TopicPartition(topic, partition) for topic, partitions in pairs for partition in partitions]
