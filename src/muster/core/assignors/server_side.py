"""The assignors of consumer groups: who gets which partitions is decided by the coordinator, by topic ids (spec 7.6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from heapq import heapify, heapreplace
from typing import Final, TypeAlias

from muster.wire.value import Value


class MemberSpec(Value):
    """What an assignor knows of a member."""

    __match_args__ = ("member_id", "instance_id", "rack_id", "topic_ids", "target")
    __slots__ = __match_args__

    def __init__(
        self,
        member_id: str,
        instance_id: str | None,
        rack_id: str | None,
        topic_ids: frozenset[bytes],
        target: dict[bytes, tuple[int, ...]],
    ) -> None:
        self.member_id = member_id
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.topic_ids = topic_ids
        """The subscribed topics that exist."""
        self.target = target
        """What it was to have before: topic id -> partitions, ascending."""


Assignor: TypeAlias = Callable[[Sequence[MemberSpec], Mapping[bytes, int]], dict[str, dict[bytes, tuple[int, ...]]]]
"""Members in the order of their joining, and topic id -> number of partitions; an assignment for every member, perhaps empty."""


def assign_range(members: Sequence[MemberSpec], counts: Mapping[bytes, int]) -> dict[str, dict[bytes, tuple[int, ...]]]:
    """Contiguous ranges of each topic, in the order of instance ids, then of member ids."""
    found: dict[str, dict[bytes, tuple[int, ...]]] = {member.member_id: {} for member in members}
    ordered = sorted(members, key=lambda each: (each.instance_id is None, each.instance_id or each.member_id))
    for topic_id in sorted(counts):
        subscribers = [member for member in ordered if topic_id in member.topic_ids]
        start = 0
        for index, member in enumerate(subscribers):
            share = counts[topic_id] // len(subscribers) + (index < counts[topic_id] % len(subscribers))
            if share:
                found[member.member_id][topic_id] = tuple(range(start, start + share))
            start += share
    return found


def assign_uniform(
    members: Sequence[MemberSpec], counts: Mapping[bytes, int]
) -> dict[str, dict[bytes, tuple[int, ...]]]:
    """As even as possible, each partition to the subscriber with the fewest; nobody keeps more than an even share."""
    held: dict[str, set[tuple[bytes, int]]] = {member.member_id: set() for member in members}
    everything = [(topic_id, partition) for topic_id in sorted(counts) for partition in range(counts[topic_id])]
    share, larger = divmod(len(everything), max(1, len(members)))
    taken: set[tuple[bytes, int]] = set()
    for member in members:
        mine = held[member.member_id]
        for topic_id, partitions in member.target.items():
            for partition in partitions if topic_id in member.topic_ids else ():
                place = (topic_id, partition)
                if partition < counts[topic_id] and place not in taken and len(mine) < share + (larger > 0):
                    mine.add(place)
                    taken.add(place)
        larger -= len(mine) > share
    for topic_id in sorted(counts):
        queue = [(len(held[each.member_id]), at) for at, each in enumerate(members) if topic_id in each.topic_ids]
        heapify(queue)
        for partition in range(counts[topic_id]) if queue else ():
            if (topic_id, partition) not in taken:
                load, at = queue[0]
                held[members[at].member_id].add((topic_id, partition))
                heapreplace(queue, (load + 1, at))
    return {member_id: _by_topic(places) for member_id, places in held.items()}


def _by_topic(places: set[tuple[bytes, int]]) -> dict[bytes, tuple[int, ...]]:
    found: dict[bytes, list[int]] = {}
    for topic_id, partition in sorted(places):
        found.setdefault(topic_id, []).append(partition)
    return {topic_id: tuple(partitions) for topic_id, partitions in found.items()}


SERVER_ASSIGNORS: Final[dict[str, Assignor]] = {"uniform": assign_uniform, "range": assign_range}
