"""Who may keep what: the claims of members, checked against the world and against each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from muster.core.assignors.contract import PartitionCounts, Subscriber, TopicPartition

Claim: TypeAlias = Callable[[Subscriber], tuple[Sequence[TopicPartition], int]]
"""What a member says it had, and of which generation."""


def prior_owners(counts: PartitionCounts, members: Sequence[Subscriber], claim: Claim) -> dict[TopicPartition, str]:
    """Partition -> the member that may keep it.

    Of several claims the youngest generation wins; two of the same generation cancel out, since one of them must be wrong and
    nobody can say which. Claims on partitions that are gone or no longer wanted count for nothing.
    """
    youngest: dict[TopicPartition, tuple[int, str | None]] = {}
    for member in sorted(members, key=lambda each: each.member_id):
        owned, generation = claim(member)
        wanted = frozenset(member.topics)
        for place in dict.fromkeys(owned):
            if place.topic not in wanted or not 0 <= place.partition < counts.get(place.topic, 0):
                continue
            known = youngest.get(place)
            if known is None or generation > known[0]:
                youngest[place] = (generation, member.member_id)
            elif generation == known[0]:
                youngest[place] = (generation, None)
    return {place: owner for place, (_, owner) in youngest.items() if owner is not None}
