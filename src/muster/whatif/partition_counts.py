"""How many partitions topics have, from the numbers that a recording mentions. Pure.

Anybody who may write to the journal's topic can mention any number, and an assignor hands out every partition below it: so there
is a most.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from muster.explain.facts import Partition
from muster.whatif.stretch import CannotReplay

_MOST: Final = 1_000_000
"""Of all topics of a group together."""


def count_partitions(mentioned: Iterable[Partition]) -> dict[str, int]:
    """By topic: one more than its highest number. CannotReplay if a number is negative."""
    counts: dict[str, int] = {}
    for topic, number in mentioned:
        if number < 0:
            raise CannotReplay(f"its recording has a partition {number} of topic {topic}: the least is 0")
        counts[topic] = max(counts.get(topic, 0), number + 1)
    return counts


def multiply(counts: Mapping[str, int], times: int) -> dict[str, int]:
    """So many times as many of each topic. CannotReplay if these are more than `_MOST`."""
    found = {topic: count * times for topic, count in counts.items()}
    if sum(found.values()) > _MOST:
        raise CannotReplay(f"its topics would have {sum(found.values()):,} partitions: {_MOST:,} is the most")
    return found
