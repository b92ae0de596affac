"""The states of a classic group, and every move between them. Read this file first.

Theory. A generation is one agreement about who is in the group and who does what. It is reached in two rounds:

    join phase  (PreparingRebalance)   every member says again that it is there; their JoinGroups stay parked.
    sync phase  (CompletingRebalance)  the join answers are out; the leader computes the assignment and hands it in with its
                                       SyncGroup; the SyncGroups of the others stay parked until it is durable.

`Stable` means that the assignment of the current generation is durable. Whatever shakes the agreement (a newcomer, a leaver,
an expired session, changed metadata) starts the join phase anew. `Empty` has no members, though perhaps offsets and ids that
were handed out and have not come back. `Dead` is a group whose shard this node no longer owns: only requests that race with
the unload see it.

    Empty ──> PreparingRebalance ──> CompletingRebalance ──> Stable
      ^          │  ^     ^                  │                  │
      └──────────┘  │     └──────────────────┘                  │
                    └───────────────────────────────────────────┘

The only way out of a join phase with nobody left is `Empty`; the generation grows at the end of every join phase.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from muster.wire import errors


class GroupState(StrEnum):
    """The values are the words that DescribeGroups, ListGroups and the journal show."""

    EMPTY = "Empty"
    PREPARING_REBALANCE = "PreparingRebalance"
    COMPLETING_REBALANCE = "CompletingRebalance"
    STABLE = "Stable"
    DEAD = "Dead"


EMPTY: Final = GroupState.EMPTY
PREPARING_REBALANCE: Final = GroupState.PREPARING_REBALANCE
COMPLETING_REBALANCE: Final = GroupState.COMPLETING_REBALANCE
STABLE: Final = GroupState.STABLE
DEAD: Final = GroupState.DEAD

TRANSITIONS: Final[dict[tuple[GroupState, GroupState], str]] = {
    (EMPTY, PREPARING_REBALANCE): "a first member was added",
    (PREPARING_REBALANCE, COMPLETING_REBALANCE): "the join phase ended with members",
    (PREPARING_REBALANCE, EMPTY): "the join phase ended with nobody",
    (COMPLETING_REBALANCE, STABLE): "the leader's assignment is durable",
    (COMPLETING_REBALANCE, PREPARING_REBALANCE): "membership or metadata changed before everybody had synced",
    (STABLE, PREPARING_REBALANCE): "membership or metadata changed, or the group is larger than allowed after loading",
    (EMPTY, DEAD): "the shard was unloaded",
    (PREPARING_REBALANCE, DEAD): "the shard was unloaded",
    (COMPLETING_REBALANCE, DEAD): "the shard was unloaded",
    (STABLE, DEAD): "the shard was unloaded",
    (DEAD, DEAD): "the shard was unloaded twice",
}
"""Every legal move and when it happens (spec 3.2). A pair that is not here is a bug."""

CAN_REBALANCE: Final = frozenset({EMPTY, COMPLETING_REBALANCE, STABLE})
"""The states that a new join phase can start from; in PreparingRebalance it already runs."""

HEARTBEAT_ANSWER: Final[dict[GroupState, int]] = {
    EMPTY: errors.UNKNOWN_MEMBER_ID,
    PREPARING_REBALANCE: errors.REBALANCE_IN_PROGRESS,
    COMPLETING_REBALANCE: errors.NONE,
    STABLE: errors.NONE,
    DEAD: errors.COORDINATOR_NOT_AVAILABLE,
}
"""What a member of the current generation hears (spec 3.11)."""

SYNC_ANSWER: Final[dict[GroupState, int | None]] = {
    EMPTY: errors.UNKNOWN_MEMBER_ID,
    PREPARING_REBALANCE: errors.REBALANCE_IN_PROGRESS,
    COMPLETING_REBALANCE: None,
    STABLE: errors.NONE,
    DEAD: errors.COORDINATOR_NOT_AVAILABLE,
}
"""What a member of the current generation hears; None: nothing yet, the request is parked (spec 3.10)."""


def check_transition(before: GroupState, after: GroupState) -> None:
    """Broken invariants end the shard (law 5)."""
    assert (before, after) in TRANSITIONS, f"a group cannot go from {before} to {after}"
