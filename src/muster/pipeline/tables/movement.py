"""How far an assignment moved from one generation to the next, and how far it had to. Pure sets; `group_changes` calls it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

Partition: TypeAlias = tuple[str, int]
Assignment: TypeAlias = Mapping[str, frozenset[Partition]]
"""Member identity -> what it owns. Members that own nothing are there too."""


class Movement(NamedTuple):
    moved: int
    """Partitions that are assigned in both generations, to different members."""
    excess: int
    """How many of them need not have moved."""
    stickiness: float | None
    """Share that stayed; null if no partition is in both."""


def movement(before: Assignment, after: Assignment) -> Movement:
    owned_before = {partition: member for member, owned in before.items() for partition in owned}
    owned_after = {partition: member for member, owned in after.items() for partition in owned}
    both = owned_before.keys() & owned_after.keys()
    moved = sum(owned_before[partition] != owned_after[partition] for partition in both)
    unavoidable = min(moved, _lower_bound(before, after, both))
    return Movement(moved, moved - unavoidable, 1 - moved / len(both) if both else None)


def _lower_bound(before: Assignment, after: Assignment, both: set[Partition]) -> int:
    """Partitions of members that went, and what those who stay hold above a balanced share (analytics 2.6)."""
    orphaned = sum(len(owned & both) for member, owned in before.items() if member not in after)
    if not after:
        return orphaned
    loads = sorted((len(before[member] & both) for member in after if member in before), reverse=True)
    share, larger_shares = divmod(len(both), len(after))
    surplus = sum(max(0, load - (share + 1 if index < larger_shares else share)) for index, load in enumerate(loads))
    return orphaned + surplus
