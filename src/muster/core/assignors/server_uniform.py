"""`uniform` of the coordinator: every member gets as many partitions as the others, and keeps what it had as far as that allows.

Members that all want the same topics are served by quota, here; others by `server_uniform_mixed`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from muster.core.assignors.member_spec import MemberSpec, Target, Targets
from muster.core.assignors.server_uniform_mixed import assign_mixed_subscriptions
from muster.core.hashing import (
    copied_numbers_in_hash_order,
    copied_uuids_in_hash_order,
    in_hash_order,
    uuids_in_hash_order,
)


def assign_uniformly(members: Sequence[MemberSpec], partition_counts: Mapping[bytes, int]) -> Targets:
    if not members:
        return {}
    by_id = {member.member_id: member for member in members}
    visited = [by_id[member_id] for member_id in in_hash_order(by_id)]
    topic_ids = visited[0].topic_ids
    if any(member.topic_ids != topic_ids for member in visited):
        return assign_mixed_subscriptions(visited, partition_counts)
    return _Quotas(visited, topic_ids, partition_counts).assign()


class _Quotas:
    """All members want the same topics. Balance comes before keeping what one had."""

    def __init__(
        self, members: list[MemberSpec], topic_ids: frozenset[bytes], partition_counts: Mapping[bytes, int]
    ) -> None:
        self._members = members
        self._counts = {topic_id: partition_counts[topic_id] for topic_id in topic_ids}
        owned = {
            (topic_id, index) for member in members for topic_id in member.target for index in member.target[topic_id]
        }
        self._free = [
            (topic_id, index)
            for topic_id in copied_uuids_in_hash_order(topic_ids)
            for index in range(partition_counts[topic_id])
            if (topic_id, index) not in owned
        ]
        """What nobody has, then what is taken from those who have too much."""
        total = sum(partition_counts[topic_id] for topic_id in topic_ids)
        self._quota, self._larger_quotas = divmod(total, len(members))
        self._wanted: dict[str, int] = {}
        """How many partitions a member still lacks, in the order in which they are served."""

    def assign(self) -> Targets:
        kept = {member.member_id: self._keep(member, index) for index, member in enumerate(self._members)}
        free = iter(self._free)
        for member_id, count in self._wanted.items():
            for topic_id, index in islice(free, count):
                kept[member_id].setdefault(topic_id, []).append(index)
        return {member_id: _target(partitions) for member_id, partitions in kept.items()}

    def _keep(self, member: MemberSpec, index: int) -> dict[bytes, list[int]]:
        """What the member keeps of its last target. The surplus becomes free."""
        larger = self._larger_quotas > 0
        room = self._quota + larger
        kept: dict[bytes, list[int]] = {}
        for topic_id in uuids_in_hash_order(member.target):
            count = self._counts.get(topic_id, 0)
            partitions = [index for index in copied_numbers_in_hash_order(member.target[topic_id]) if index < count]
            if partitions:
                if room:
                    kept[topic_id] = partitions[:room]
                self._free += [(topic_id, partition) for partition in partitions[room:]]
                room -= min(room, len(partitions))
        if larger and room and len(self._members) - index > self._larger_quotas:
            # It has no use for the larger quota: a later member may keep one partition more by it.
            larger, room = False, room - 1
        self._larger_quotas -= larger
        if room:
            self._wanted[member.member_id] = room
        return kept


def _target(partitions: Mapping[bytes, list[int]]) -> Target:
    return {topic_id: tuple(sorted(indexes)) for topic_id, indexes in partitions.items()}
