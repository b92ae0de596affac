"""Partitions by name, in the shapes that requests and people want."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from muster.core.assignors.contract import TopicPartition

T = TypeVar("T")

__all__ = ["TopicPartition", "by_topic", "spread", "values_by_topic"]


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
