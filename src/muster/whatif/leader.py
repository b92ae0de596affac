"""What a leader of a classic group hands out: assignors run on subscriptions as members send them. Pure.

The assignors are the core's own; here is only what lies between them and the bytes of the protocol.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from muster.core.assignors.choice import ASSIGNORS, RANGE
from muster.core.assignors.contract import Subscriber, TopicPartition
from muster.core.replies import JoinReply
from muster.explain.assignments import owners_in
from muster.whatif.recorded import Recorded
from muster.wire.consumer_protocol import Assignment, decode_subscription, encode_assignment


def assign(reply: JoinReply, counts: Mapping[str, int]) -> dict[str, bytes]:
    """What the leader that got this reply gives to each member. An assignor that we do not have counts as `range`."""
    assignor = ASSIGNORS.get(reply.protocol_name or "", RANGE)
    members = []
    for member in reply.members:
        said = decode_subscription(member.metadata)
        owned = [TopicPartition(topic, number) for topic, numbers in said.owned_partitions for number in numbers]
        members.append(
            Subscriber(
                member.member_id, said.topics, member.group_instance_id, owned, said.generation_id, said.user_data
            )
        )
    given = assignor.assign(counts, members)
    return {member_id: encode_assignment(Assignment(by_topic(places))) for member_id, places in given.items()}


def by_topic(places: Sequence[TopicPartition]) -> list[tuple[str, list[int]]]:
    found: dict[str, list[int]] = {}
    for topic, number in sorted(places):
        found.setdefault(topic, []).append(number)
    return list(found.items())


def partition_counts(recorded: Recorded, times: int = 1) -> dict[str, int]:
    """As many of each topic as were ever assigned, so many times over."""
    counts: dict[str, int] = {}
    for sync in recorded.syncs.values():
        for topic, number in owners_in(sync[1]) or () if sync is not None else ():
            counts[topic] = max(counts.get(topic, 0), number + 1)
    return {topic: count * times for topic, count in counts.items()}
