"""How far each log was read, and how far the next micro-batch goes: the arithmetic of a stream's offsets, without Spark.

Positions are next offsets by topic and log partition. A stream's offset is the same as JSON, in one fixed order, because Spark
compares offsets as text; beside the topics it may hold the time of the last tick.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from muster.pipeline.sources.log_source import Stretch

Positions: TypeAlias = dict[str, dict[int, int]]
"""By topic and log partition: the offset that is read next; or, of ends, that the next record will get."""

Reach: TypeAlias = Callable[[str, Sequence[Stretch], int], Mapping[int, int]]
"""Of a topic, by log partition: an offset that has at most so many records between the begin of its stretch and itself."""

TICK: Final = "tick"
MARK: Final = "muster:source"
"""No topic can be called so. It says of an offset in a checkpoint that it is one of our sources': Spark calls all sources in Python
alike, and somebody else's may look the same."""


def offset_of(positions: Positions, tick: int | None = None) -> dict[str, Any]:
    """What Spark keeps in its checkpoint."""
    offset: dict[str, Any] = {
        topic: {str(partition): at for partition, at in sorted(places.items())}
        for topic, places in sorted(positions.items())
    }
    if tick is not None:
        offset[TICK] = tick
    return offset


def marked(offset: dict[str, Any]) -> dict[str, Any]:
    return {**offset, MARK: 1}


def positions_in(offset: Mapping[str, Any]) -> Positions:
    """The inverse of `offset_of`."""
    return {
        topic: {int(partition): int(at) for partition, at in places.items()}
        for topic, places in offset.items()
        if isinstance(places, Mapping)
    }


def tick_in(offset: Mapping[str, Any]) -> int | None:
    found = offset.get(TICK)
    return found if isinstance(found, int) else None


def each_offset_a_record(topic: str, those: Sequence[Stretch], records: int) -> dict[int, int]:
    return {each.partition: each.start + records for each in those}


def advanced(
    positions: Positions,
    ends: Positions,
    limit: int | None,
    begins: Callable[[], Positions] = dict,
    reach: Reach = each_offset_a_record,
) -> Positions:
    """Where a micro-batch ends that begins at `positions` and takes at most about `limit` records of a log partition.

    A log that ends before its position was cut or replaced: it stays where it is until it is longer again. One that is no longer
    there keeps its position too. `begins` says where logs begin now, and `reach` how far so many records go: offsets that retention
    or compaction took do not count. Both are asked only if a limit needs it.
    """
    reached = {topic: dict(places) for topic, places in positions.items()}
    first: Positions | None = None
    for topic, places in ends.items():
        new = reached.setdefault(topic, {})
        far: list[Stretch] = []
        for partition, end in places.items():
            at = new.get(partition, 0)
            if limit is not None and end - at > _most(limit):
                first = begins() if first is None else first
                at = max(at, min(first.get(topic, {}).get(partition, 0), end))
                if end - at > _most(limit):
                    far.append(Stretch(partition, at, end))
                    continue
            if end > new.get(partition, 0):
                new[partition] = end
        if limit is not None and far:
            reaches = reach(topic, far, limit)
            for each in far:
                at = reaches[each.partition]
                new[each.partition] = each.end if each.end - at <= _most(limit) - limit else at
    return reached


def _most(limit: int) -> int:
    """A micro-batch costs something by itself: what little would be left for another one goes with this one."""
    return limit * 5 // 4


def behind(positions: Positions, ends: Positions) -> int:
    """How many offsets there are to read, about."""
    return sum(left for places in backlog(positions, ends).values() for left in places.values())


def backlog(positions: Positions, ends: Positions) -> Positions:
    """How many of each log."""
    return {
        topic: {
            partition: max(0, end - positions.get(topic, {}).get(partition, 0)) for partition, end in places.items()
        }
        for topic, places in ends.items()
    }


def begun(positions: Positions, begins: Positions) -> Positions:
    """Logs without a position are read from their begin."""
    return {topic: {**begins.get(topic, {}), **positions.get(topic, {})} for topic in {**begins, **positions}}


def shorter_logs(positions: Positions, ends: Positions, cluster: str) -> Iterator[str]:
    """A warning for each log that ends before its position: it was cut, or is another log under the same name."""
    for topic, places in ends.items():
        for partition, end in places.items():
            read = positions.get(topic, {}).get(partition, 0)
            if read > end:
                yield (
                    f"{topic}-{partition} of {cluster} ends at {end} but was read up to {read}: it was cut or replaced;"
                    " nothing is read of it until it is longer again (another cluster? give it another --cluster name)"
                )
