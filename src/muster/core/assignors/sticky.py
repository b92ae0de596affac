"""`sticky` (KIP-54) and `cooperative-sticky` (KIP-429): balanced first, and then as little moved as possible.

The eager one gives up everything and gets most of it back. The cooperative one moves a partition in two rebalances: in the
first nobody gets it, so that its owner gives it up; in the second, which that causes, the new owner does.
"""

from __future__ import annotations

from collections.abc import Sequence

from muster.core.assignors.balance import balanced
from muster.core.assignors.claims import prior_owners
from muster.core.assignors.contract import Assignments, PartitionCounts, Subscriber, TopicPartition
from muster.core.assignors.user_data import cooperative_claim, sticky_claim, write_cooperative, write_sticky


class StickyAssignor:
    name = "sticky"
    cooperative = False

    def user_data(self, owned: Sequence[TopicPartition], generation: int) -> bytes | None:
        return write_sticky(owned, generation) if owned or generation >= 0 else None

    def assign(self, counts: PartitionCounts, members: Sequence[Subscriber]) -> Assignments:
        return balanced(counts, members, prior_owners(counts, members, sticky_claim))


class CooperativeStickyAssignor:
    name = "cooperative-sticky"
    cooperative = True

    def user_data(self, owned: Sequence[TopicPartition], generation: int) -> bytes | None:
        return write_cooperative(generation)

    def assign(self, counts: PartitionCounts, members: Sequence[Subscriber]) -> Assignments:
        wished = balanced(counts, members, prior_owners(counts, members, cooperative_claim))
        return without_moving(wished, members)


def without_moving(wished: Assignments, members: Sequence[Subscriber]) -> Assignments:
    """Leave out what another member still holds: it must let go first (KIP-429)."""
    holders: dict[TopicPartition, set[str]] = {}
    for member in members:
        for place in member.owned:
            holders.setdefault(place, set()).add(member.member_id)
    return {
        member_id: [place for place in places if holders.get(place, {member_id}) <= {member_id}]
        for member_id, places in wished.items()
    }
