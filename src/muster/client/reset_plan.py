"""Where a group's offsets would go: what kafka-consumer-groups --reset-offsets computes, by the same rules.

Offsets outside of the log are moved to its nearer end. A time after the last record is the end. Partitions without a commit
can be set but not shifted; --to-current puts them to the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from muster.client.cluster import Cluster
from muster.client.offsets import EARLIEST, LATEST, committed_offsets, list_offsets
from muster.client.partitions import TopicPartition


class Rule(Enum):
    EARLIEST = "to the beginning"
    LATEST = "to the end"
    CURRENT = "to what is committed"
    OFFSET = "to an offset"
    SHIFT = "by a number of records"
    MOMENT = "to a time"
    FILE = "to what a file says"


@dataclass(frozen=True, slots=True)
class Target:
    rule: Rule
    number: int = 0
    """Offset, number of records, or milliseconds since 1970."""


@dataclass(frozen=True, slots=True)
class Move:
    group: str
    place: TopicPartition
    committed: int | None
    new: int
    why: str = ""
    """If it is not what was asked for."""


@dataclass(frozen=True, slots=True)
class Extent:
    start: int
    end: int

    def nearest(self, offset: int) -> tuple[int, str]:
        """Inside of the log, and the reason if that is not what was asked for."""
        if offset > self.end:
            return self.end, f"{offset} is after the end"
        if offset < self.start:
            return self.start, f"{offset} is before the beginning"
        return offset, ""


class CannotShift(Exception):
    """There is nothing to shift from. Says where."""


async def planned(
    cluster: Cluster,
    group: str,
    places: Sequence[TopicPartition],
    target: Target,
    from_file: Mapping[TopicPartition, int],
) -> list[Move]:
    """What is to be committed for each partition. CannotShift, or ClientError."""
    committed = {place: found.offset for place, found in (await committed_offsets(cluster, group)).items()}
    starts = await list_offsets(cluster, dict.fromkeys(places, EARLIEST))
    ends = await list_offsets(cluster, dict.fromkeys(places, LATEST))
    extents = {place: Extent(starts[place].offset, ends[place].offset) for place in places}
    at_time: dict[TopicPartition, int] = {}
    if target.rule is Rule.MOMENT:
        found = await list_offsets(cluster, dict.fromkeys(places, target.number))
        at_time = {place: each.offset for place, each in found.items()}
    moves = []
    for place in places:
        asked = at_time.get(place, -1) if target.rule is Rule.MOMENT else from_file.get(place, target.number)
        new, why = new_offset(target, asked, committed.get(place), extents[place], place)
        moves.append(Move(group, place, committed.get(place), new, why))
    return moves


def new_offset(
    target: Target, asked: int, committed: int | None, extent: Extent, place: TopicPartition
) -> tuple[int, str]:
    """Pure. `asked` is the number that the rule speaks of for this partition."""
    match target.rule:
        case Rule.EARLIEST:
            return extent.start, ""
        case Rule.LATEST:
            return extent.end, ""
        case Rule.CURRENT:
            return (committed, "") if committed is not None else (extent.end, "nothing is committed")
        case Rule.OFFSET | Rule.FILE:
            return extent.nearest(asked)
        case Rule.SHIFT:
            if committed is None:
                raise CannotShift(f"nothing is committed for {place}, so that there is nothing to shift from")
            return extent.nearest(committed + asked)
        case Rule.MOMENT:
            return (asked, "") if asked >= 0 else (extent.end, "no record is that new")
