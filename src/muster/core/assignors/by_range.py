"""`range`: topic by topic, each member gets a run of neighbouring partitions; the first members get one more.

Gives what Kafka's RangeAssignor gives.

Deviates: rack ids are not looked at. Kafka weighs them where members and replicas have racks that differ (KIP-881).
"""

from __future__ import annotations

from collections.abc import Sequence

from muster.core.assignors.contract import (
    Assignments,
    PartitionCounts,
    Subscriber,
    TopicPartition,
    java_order,
    member_order,
)


class RangeAssignor:
    name = "range"
    cooperative = False

    def user_data(self, owned: Sequence[TopicPartition], generation: int) -> bytes | None:
        return None

    def assign(self, counts: PartitionCounts, members: Sequence[Subscriber]) -> Assignments:
        in_order = sorted(members, key=member_order)
        given: Assignments = {member.member_id: [] for member in in_order}
        wanting: dict[str, list[str]] = {}
        for member in in_order:
            for topic in dict.fromkeys(member.topics):
                wanting.setdefault(topic, []).append(member.member_id)
        for topic in sorted(wanting, key=java_order):
            start = 0
            each, more = divmod(counts.get(topic, 0), len(wanting[topic]))
            for index, member_id in enumerate(wanting[topic]):
                size = each + (index < more)
                given[member_id] += [TopicPartition(topic, number) for number in range(start, start + size)]
                start += size
        return given
