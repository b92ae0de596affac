"""Entries of an OffsetCommit as tests like to write them, one by one, brought into the form that handlers give them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import TypeAlias

from muster.core.offsets.topic_offsets import TopicOffsets, topic_offsets

Entry: TypeAlias = tuple[str, int, int, int, str | None, bytes | None]
"""(topic, partition, offset, leader epoch or -1, metadata, topic id or None)."""


def by_topic(entries: Iterable[Entry]) -> list[TopicOffsets]:
    """Neighbours of one topic stand together, as in a request; nobody changes place."""
    return [
        topic_offsets(topic, topic_id, [entry[1:5] for entry in neighbours])
        for (topic, topic_id), neighbours in groupby(entries, key=lambda entry: (entry[0], entry[5]))
    ]
