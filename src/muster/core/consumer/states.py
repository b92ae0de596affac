"""The states of a consumer group and of its members. Both follow from durable facts; nothing moves them by itself (spec 7.2).

Theory. Three epochs tell how far a group is:

    group epoch    grows whenever somebody's subscription, the membership or a subscribed topic changes
    target epoch   the group epoch that the target assignment was computed for
    member epoch   the target epoch that a member has reached

A member reaches the target epoch by giving up first what is not its own any more, then by being given what nobody else holds:

    STABLE                 has what the target says, or does not know of a newer target yet
    UNREVOKED_PARTITIONS   was told to give partitions up and has not said yet that it did; keeps its old epoch until then
    UNRELEASED_PARTITIONS  is at the target epoch and waits for partitions that others have not given up

A group is Empty without members, Assigning while its epoch is above the target's, Reconciling while a member is on its way, else
Stable.
"""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import Final


class MemberState(IntEnum):
    """The values are those of the record of a current assignment (spec 5.4)."""

    STABLE = 0
    UNREVOKED_PARTITIONS = 1
    UNRELEASED_PARTITIONS = 2
    UNKNOWN = 127


STABLE: Final = MemberState.STABLE
UNREVOKED: Final = MemberState.UNREVOKED_PARTITIONS
UNRELEASED: Final = MemberState.UNRELEASED_PARTITIONS
UNKNOWN: Final = MemberState.UNKNOWN


class ConsumerGroupState(StrEnum):
    """The values are the words that ConsumerGroupDescribe and ListGroups show."""

    EMPTY = "Empty"
    ASSIGNING = "Assigning"
    RECONCILING = "Reconciling"
    STABLE = "Stable"


FIRST_EPOCH: Final = 1
"""Group and target epoch of a group that has no record of either (spec 5.7): its first change makes 2 of it."""
JOIN_EPOCH: Final = 0
"""What a member says that joins, and the epoch of one that was never told another."""
LEFT_EPOCH: Final = -1
"""A member that leaves for good."""
STATIC_LEFT_EPOCH: Final = -2
"""A static member that is going to return: it keeps its partitions until its session ends (spec 7.7)."""
