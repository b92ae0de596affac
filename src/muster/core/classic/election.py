"""Who leads and which protocol is spoken: the two choices at the end of a join phase (spec 3.8)."""

from __future__ import annotations

from muster.core.classic.group import Group
from muster.core.hashing import in_hash_order


def select_protocol(group: Group) -> str | None:
    """Every member votes for the first protocol of its list that all members know; most votes win.

    A tie goes to the first name in Java's hash order, whichever member leads or came first (T076).
    """
    count = len(group.members)
    candidates = {name for name, supporters in group.protocol_counts.items() if supporters == count}
    votes: dict[str, int] = {}
    for member in group.members.values():
        choice = member.vote(candidates)
        if choice is not None:
            votes[choice] = votes.get(choice, 0) + 1
    if len(votes) < 2:
        return next(iter(votes), None)
    return max(in_hash_order(votes), key=votes.__getitem__)


def elect_joined_leader(group: Group) -> bool:
    """The leader must be among those who joined (T072). False if members remain but none of them joined (T073)."""
    leader = group.members.get(group.leader) if group.leader is not None else None
    if leader is not None and leader.parked_join is not None:
        return True
    for member in group.members.values():
        if member.parked_join is not None:
            group.leader = member.member_id
            return True
    return not group.members
