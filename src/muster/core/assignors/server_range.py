"""`range` of the coordinator: of each topic every subscriber gets a run of neighbouring partitions, the first ones one more.

Static members come first, by instance id, then the others by member id. So topics with as many partitions are divided alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from muster.core.assignors.contract import java_order
from muster.core.assignors.member_spec import MemberSpec, Targets


def assign_ranges(members: Sequence[MemberSpec], partition_counts: Mapping[bytes, int]) -> Targets:
    in_order = sorted(members, key=_order)
    subscribers: dict[bytes, list[str]] = {}
    for member in in_order:
        for topic_id in sorted(member.topic_ids):
            subscribers.setdefault(topic_id, []).append(member.member_id)
    targets: Targets = {member.member_id: {} for member in members}
    for topic_id, member_ids in subscribers.items():
        size, larger = divmod(partition_counts[topic_id], len(member_ids))
        start = 0
        for index, member_id in enumerate(member_ids):
            end = start + size + (index < larger)
            if start < end:
                targets[member_id][topic_id] = tuple(range(start, end))
            start = end
    return targets


def _order(member: MemberSpec) -> tuple[bool, bytes]:
    if member.instance_id is None:
        return True, java_order(member.member_id)
    return False, java_order(member.instance_id)
