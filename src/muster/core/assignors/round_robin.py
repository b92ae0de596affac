"""`roundrobin`: all partitions of all topics in a row, dealt to the members in turn, past those that do not want the topic.

Gives what Kafka's RoundRobinAssignor gives.
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


class RoundRobinAssignor:
    name = "roundrobin"
    cooperative = False

    def user_data(self, owned: Sequence[TopicPartition], generation: int) -> bytes | None:
        return None

    def assign(self, counts: PartitionCounts, members: Sequence[Subscriber]) -> Assignments:
        in_order = sorted(members, key=member_order)
        given: Assignments = {member.member_id: [] for member in in_order}
        wants = [frozenset(member.topics) for member in in_order]
        builder = 0
        for topic in sorted(frozenset().union(*wants), key=java_order):
            for number in range(counts.get(topic, 0)):
                while topic not in wants[builder]:
                    builder = (builder + 1) % len(in_order)
                given[in_order[builder].member_id].append(TopicPartition(topic, number))
                builder = (builder + 1) % len(in_order)
        return given
