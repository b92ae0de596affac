"""The offsets of a query's sources as positions in topics: which sources have such, and whether they look as they should.

A Kafka source says `{"orders":{"0":12}}`: by topic and partition the offset that is read next, which is what a group commits. Our
own sources say the same, with a mark beside it and perhaps the time of a tick. Sources of other kinds (files, rates, tables) have
no topics. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from muster.client.partitions import TopicPartition
from muster.pipeline.sources.positions import MARK, TICK
from muster.spark.failure import OffsetShapeError

Offsets = dict[TopicPartition, int]

_MAX_OFFSET: Final = 2**63 - 1
_MAX_PARTITION: Final = 2**31 - 1
_KAFKA: Final = ("KafkaV2[", "KafkaSourceV1[")
_PYTHON: Final = "PythonMicroBatchStream"
"""Sources in Python all introduce themselves alike: whether one is ours shows in its offset alone."""


def has_topics(description: str, offset: str | None) -> bool:
    """Whether a source is Kafka's, by how Spark describes it, or ours, by the mark in its offset."""
    if _PYTHON in description:
        said = _json(offset)
        return isinstance(said, dict) and MARK in said
    return description.startswith(_KAFKA)


def looks_like_topics(offset: str) -> bool:
    """Whether it has numbers of partitions under names, whatever stands under those."""
    said = _json(offset)
    return isinstance(said, dict) and any(
        isinstance(places, dict) and any(number.isascii() and number.isdecimal() for number in places)
        for places in said.values()
    )


def _json(text: str | None) -> Any:
    try:
        return json.loads(text or "")
    except ValueError:
        return None


def offsets_in(text: str | None) -> Offsets:
    """The positions in the offset of one source. OffsetShapeError if it is of another kind; empty if it has none yet."""
    if text is None or text in ("None", "null"):  # PySpark makes such texts of Java's null
        return {}
    try:
        said = json.loads(text)
    except ValueError:
        raise OffsetShapeError(f"{_short(text)} is not JSON") from None
    if not isinstance(said, dict):
        raise OffsetShapeError(f"{_short(text)} has no topics")
    by_topic = {topic: places for topic, places in said.items() if not _is_beside(topic, places)}
    return {
        TopicPartition(topic, _partition(number, text)): _offset(at, text)
        for topic, places in by_topic.items()
        for number, at in _places(places, text).items()
    }


def together(all_sources: Iterable[Offsets]) -> Offsets:
    """Of all sources of a query. A partition that several of them read is done with as far as the slowest has come."""
    found: Offsets = {}
    for offsets in all_sources:
        for place, at in offsets.items():
            found[place] = min(at, found.get(place, at))
    return found


def _is_beside(name: str, value: Any) -> bool:
    """What our own sources say beside their topics."""
    return name in (MARK, TICK) and isinstance(value, int)


def _places(places: Any, text: str) -> Mapping[str, Any]:
    if not isinstance(places, dict):
        raise OffsetShapeError(f"{_short(text)} has no partitions under its topics")
    return places


def _partition(number: str, text: str) -> int:
    if not number.isascii() or not number.isdecimal() or int(number) > _MAX_PARTITION:
        raise OffsetShapeError(f"{_short(text)}: {number!r} is not the number of a partition")
    return int(number)


def _offset(at: Any, text: str) -> int:
    """Spark writes -1 and -2 for "the end" and "the beginning" only into what a query is asked for, never into what it has read."""
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at <= _MAX_OFFSET:
        raise OffsetShapeError(f"{_short(text)}: {at!r} is not an offset")
    return at


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:80]}..."
