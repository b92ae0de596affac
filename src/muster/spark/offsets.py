"""The offsets of a query's sources as positions in topics: which sources have such, and whether they look as they should.

A Kafka source says `{"orders":{"0":12}}`: by topic and partition the offset that is read next, which is what a group commits. Our
own sources say the same, with the time of a tick beside it. Sources of other kinds (files, rates, tables) have no topics. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from muster.client.partitions import TopicPartition
from muster.pipeline.sources.positions import TICK
from muster.spark.failure import OffsetShapeError

Offsets = dict[TopicPartition, int]

_MAX_OFFSET: Final = 2**63 - 1
_MAX_PARTITION: Final = 2**31 - 1
_KAFKA: Final = ("KafkaV2[", "KafkaSourceV1[")
_PYTHON: Final = "PythonMicroBatchStream"
"""Sources in Python all introduce themselves alike: whether one is ours shows in its offset alone."""


def may_have_topics(description: str) -> bool:
    """Whether a source, by how Spark describes it, can be one whose offsets are those of topics."""
    return description.startswith(_KAFKA) or _PYTHON in description


def is_python(description: str) -> bool:
    return not description.startswith(_KAFKA)


def offsets_in(text: str | None) -> Offsets:
    """The positions in the offset of one source. OffsetShapeError if it is of another kind; empty if it has none yet."""
    if text is None or text == "None":  # PySpark makes that text of Java's null
        return {}
    try:
        said = json.loads(text)
    except ValueError:
        raise OffsetShapeError(f"{_short(text)} is not JSON") from None
    if not isinstance(said, dict):
        raise OffsetShapeError(f"{_short(text)} has no topics")
    by_topic = {topic: places for topic, places in said.items() if not (topic == TICK and isinstance(places, int))}
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
