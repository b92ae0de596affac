"""What a leader of a classic group hands out: assignors run on subscriptions as members send them. Pure.

The assignors are the core's own; here is only what lies between them and the bytes of the protocol.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from muster.core.assignors.choice import ASSIGNORS, RANGE
from muster.core.assignors.contract import Subscriber, TopicPartition
from muster.core.replies import JoinReply
from muster.explain.assignments import owners_in
from muster.whatif.partition_counts import count_partitions, multiply
from muster.whatif.recorded import Recorded
from muster.wire.consumer_protocol import Assignment, decode_subscription, encode_assignment


def assign(reply: JoinReply, counts: Mapping[str, int]) -> dict[str, bytes]:
    """What the leader that got this reply gives to each member."""
    said = [(member.member_id, member.group_instance_id, member.metadata) for member in reply.members]
    return assign_to(reply.protocol_name, said, counts)


def assign_to(
    protocol: str | None, said: Iterable[tuple[str, str | None, bytes]], counts: Mapping[str, int]
) -> dict[str, bytes]:
    """`said`: member id, instance id and subscription of each member. An assignor that we do not have counts as `range`."""
    assignor = ASSIGNORS.get(protocol or "", RANGE)
    members = [_subscriber(*each) for each in said]
    given = assignor.assign(counts, members)
    return {member_id: encode_assignment(Assignment(by_topic(places))) for member_id, places in given.items()}


def is_cooperative(protocol: str | None) -> bool:
    """Whether it is an assignor whose members keep what they have while they join again (KIP-429)."""
    return protocol in ASSIGNORS and ASSIGNORS[protocol].cooperative


def _subscriber(member_id: str, instance: str | None, metadata: bytes) -> Subscriber:
    said = decode_subscription(metadata)
    owned = [TopicPartition(topic, number) for topic, numbers in said.owned_partitions for number in numbers]
    return Subscriber(member_id, said.topics, instance, owned, said.generation_id, said.user_data)


def by_topic(places: Sequence[TopicPartition]) -> list[tuple[str, list[int]]]:
    found: dict[str, list[int]] = {}
    for topic, number in sorted(places):
        found.setdefault(topic, []).append(number)
    return list(found.items())


def partition_counts(recorded: Recorded, times: int = 1) -> dict[str, int]:
    """As many of each topic as were ever assigned, so many times over. CannotReplay if no group can have so many."""
    known: list[Mapping[str, bytes]] = [sync[1] for sync in recorded.phases.syncs.values() if sync is not None]
    known += [recorded.snapshot.assignments] if recorded.snapshot is not None else []
    assigned = (place for assignments in known for place in owners_in(assignments) or ())
    counts = {} if recorded.coordinated is None else recorded.coordinated.counts
    return multiply({**counts, **count_partitions(assigned)}, times)
