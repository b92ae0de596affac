"""Every state and every request: what is answered and where the group goes. Nothing in between is left to chance (spec 3)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from muster.core.classic.group import Group
from muster.core.classic.states import TRANSITIONS, GroupState
from muster.core.replies import CommitReply, FetchReply, LeaveReply
from muster.wire.errors import NAMES
from tests.core.world import Call, World

EMPTY, PREPARING, COMPLETING, STABLE, DEAD = (
    GroupState.EMPTY,
    GroupState.PREPARING_REBALANCE,
    GroupState.COMPLETING_REBALANCE,
    GroupState.STABLE,
    GroupState.DEAD,
)
PARKED = "parked"


class Situation:
    """A group in a state, with a leader, a follower and a handed-out id, each of which may be missing in that state."""

    def __init__(self, state: GroupState) -> None:
        self.world = World()
        self.leader, self.follower = "no leader", "no follower"
        if state in (PREPARING, COMPLETING, STABLE, DEAD):
            make = self.world.completing if state is COMPLETING else self.world.stable
            self.leader, self.follower = make("leads", "follows")
        self.pending = self.world.join(known=True).reply.member_id
        if state is PREPARING:
            self.world.join()
        if state is DEAD:
            self.world.apply(self.world.shard.on_unload(self.world.now_ms))
        assert self.world.state() is state
        self.generation = self.world.group.generation

    def answer(self, call: Call[object]) -> str:
        if call.waiting:
            return PARKED
        reply = call.reply
        if isinstance(reply, CommitReply):
            return NAMES[reply.errors[0]]
        if isinstance(reply, LeaveReply) and reply.members:
            return NAMES[reply.members[0][2]]
        if isinstance(reply, FetchReply):
            return NAMES[reply.error]
        error = getattr(reply, "error", None)
        assert isinstance(error, int)
        return NAMES[error]


CHANGED = (("range", b"changed"),)

REQUESTS: dict[str, Callable[[Situation], Call]] = {
    "join of a newcomer": lambda s: s.world.join(),
    "join of a newcomer that needs an id": lambda s: s.world.join(known=True),
    "join of the pending id": lambda s: s.world.join(s.pending),
    "join of a stranger": lambda s: s.world.join("stranger"),
    "join of the leader": lambda s: s.world.join(s.leader),
    "join of the follower": lambda s: s.world.join(s.follower),
    "join of the follower, changed": lambda s: s.world.join(s.follower, protocols=CHANGED),
    "join of the follower's new process": lambda s: s.world.join(instance="follows"),
    "sync of the leader": lambda s: s.world.sync(s.leader, s.generation),
    "sync of the follower": lambda s: s.world.sync(s.follower, s.generation),
    "sync of a stranger": lambda s: s.world.sync("stranger", s.generation),
    "sync of an old generation": lambda s: s.world.sync(s.leader, s.generation - 1),
    "heartbeat": lambda s: s.world.heartbeat(s.leader, s.generation),
    "heartbeat of a stranger": lambda s: s.world.heartbeat("stranger", s.generation),
    "heartbeat of an old generation": lambda s: s.world.heartbeat(s.leader, s.generation - 1),
    "leave of the leader": lambda s: s.world.leave(s.leader),
    "leave of the pending id": lambda s: s.world.leave(s.pending),
    "leave of a stranger": lambda s: s.world.leave("stranger"),
    "commit of a member": lambda s: s.world.commit(member_id=s.leader, generation=s.generation),
    "commit of nobody": lambda s: s.world.commit(),
    "delete": lambda s: s.world.delete(),
}

UNKNOWN, AWAY, AGAIN = "UNKNOWN_MEMBER_ID", "COORDINATOR_NOT_AVAILABLE", "REBALANCE_IN_PROGRESS"
ILLEGAL, NEED_ID, OK = "ILLEGAL_GENERATION", "MEMBER_ID_REQUIRED", "NONE"

# request: what is answered in, and where the group is after, Empty | PreparingRebalance | CompletingRebalance | Stable
TABLE: dict[str, tuple[tuple[str, GroupState], ...]] = {
    "join of a newcomer": ((PARKED, PREPARING), (PARKED, PREPARING), (PARKED, PREPARING), (PARKED, PREPARING)),
    "join of a newcomer that needs an id": (
        (NEED_ID, EMPTY),
        (NEED_ID, PREPARING),
        (NEED_ID, COMPLETING),
        (NEED_ID, STABLE),
    ),
    "join of the pending id": ((PARKED, PREPARING), (PARKED, PREPARING), (PARKED, PREPARING), (PARKED, PREPARING)),
    "join of a stranger": ((UNKNOWN, EMPTY), (UNKNOWN, PREPARING), (UNKNOWN, COMPLETING), (UNKNOWN, STABLE)),
    "join of the leader": ((UNKNOWN, EMPTY), (PARKED, PREPARING), (OK, COMPLETING), (PARKED, PREPARING)),
    "join of the follower": ((UNKNOWN, EMPTY), (PARKED, PREPARING), (OK, COMPLETING), (OK, STABLE)),
    "join of the follower, changed": ((UNKNOWN, EMPTY), (PARKED, PREPARING), (PARKED, PREPARING), (PARKED, PREPARING)),
    "join of the follower's new process": ((PARKED, PREPARING), (PARKED, PREPARING), (PARKED, PREPARING), (OK, STABLE)),
    "sync of the leader": ((UNKNOWN, EMPTY), (AGAIN, PREPARING), (OK, STABLE), (OK, STABLE)),
    "sync of the follower": ((UNKNOWN, EMPTY), (AGAIN, PREPARING), (PARKED, COMPLETING), (OK, STABLE)),
    "sync of a stranger": ((UNKNOWN, EMPTY), (UNKNOWN, PREPARING), (UNKNOWN, COMPLETING), (UNKNOWN, STABLE)),
    "sync of an old generation": ((UNKNOWN, EMPTY), (ILLEGAL, PREPARING), (ILLEGAL, COMPLETING), (ILLEGAL, STABLE)),
    "heartbeat": ((UNKNOWN, EMPTY), (AGAIN, PREPARING), (OK, COMPLETING), (OK, STABLE)),
    "heartbeat of a stranger": ((UNKNOWN, EMPTY), (UNKNOWN, PREPARING), (UNKNOWN, COMPLETING), (UNKNOWN, STABLE)),
    "heartbeat of an old generation": (
        (UNKNOWN, EMPTY),
        (ILLEGAL, PREPARING),
        (ILLEGAL, COMPLETING),
        (ILLEGAL, STABLE),
    ),
    "leave of the leader": ((UNKNOWN, EMPTY), (OK, PREPARING), (OK, PREPARING), (OK, PREPARING)),
    "leave of the pending id": ((OK, EMPTY), (OK, PREPARING), (OK, PREPARING), (OK, PREPARING)),
    "leave of a stranger": ((UNKNOWN, EMPTY), (UNKNOWN, PREPARING), (UNKNOWN, COMPLETING), (UNKNOWN, STABLE)),
    "commit of a member": ((UNKNOWN, EMPTY), (OK, PREPARING), (AGAIN, COMPLETING), (OK, STABLE)),
    "commit of nobody": ((OK, EMPTY), (UNKNOWN, PREPARING), (UNKNOWN, COMPLETING), (UNKNOWN, STABLE)),
}
LIVE = (EMPTY, PREPARING, COMPLETING, STABLE)
CASES = [
    (name, state, answer, after)
    for name, row in TABLE.items()
    for state, (answer, after) in zip(LIVE, row, strict=True)
]


@pytest.mark.parametrize(("name", "state", "answer", "after"), CASES)
def test_state_and_request(name: str, state: GroupState, answer: str, after: GroupState) -> None:
    """Spec 3.4, 3.10 to 3.12, 4.1."""
    situation = Situation(state)
    call = REQUESTS[name](situation)
    assert (situation.answer(call), situation.world.state()) == (answer, after)


@pytest.mark.parametrize("name", [name for name in REQUESTS if name != "delete"])
def test_dead_group_answers_nothing_but_not_available(name: str) -> None:
    """Spec 3.2: the race with an unload."""
    situation = Situation(DEAD)
    call = REQUESTS[name](situation)
    reply = call.reply
    assert AWAY in (situation.answer(call), NAMES.get(getattr(reply, "error", 0)))
    assert situation.world.state() is DEAD


@pytest.mark.parametrize(
    ("state", "answer"),
    [
        (EMPTY, OK),
        (PREPARING, "NON_EMPTY_GROUP"),
        (COMPLETING, "NON_EMPTY_GROUP"),
        (STABLE, "NON_EMPTY_GROUP"),
        (DEAD, "GROUP_ID_NOT_FOUND"),
    ],
)
def test_state_and_delete(state: GroupState, answer: str) -> None:
    """Spec 3.15."""
    situation = Situation(state)
    assert situation.answer(REQUESTS["delete"](situation)) == answer
    assert ("g" in situation.world.shard.groups) is (answer != OK)


def test_the_table_names_every_request() -> None:
    assert TABLE.keys() | {"delete"} == REQUESTS.keys()


@pytest.mark.parametrize("before", list(GroupState))
@pytest.mark.parametrize("after", list(GroupState))
def test_only_listed_moves_are_possible(before: GroupState, after: GroupState) -> None:
    """Spec 3.2: an absent key is a bug, and ends the shard (law 5)."""
    group = Group("g", 0, before)
    if (before, after) in TRANSITIONS:
        group.move(after, 5)
        assert (group.state, group.state_timestamp_ms) == (after, 5)
    else:
        with pytest.raises(AssertionError, match="cannot go from"):
            group.move(after, 5)


def test_legal_predecessors_are_those_of_kafka() -> None:
    """Spec 3.2."""
    predecessors = {state: {before for before, after in TRANSITIONS if after is state} for state in GroupState}
    assert predecessors == {
        EMPTY: {PREPARING},
        PREPARING: {STABLE, COMPLETING, EMPTY},
        COMPLETING: {PREPARING},
        STABLE: {COMPLETING},
        DEAD: set(GroupState),
    }
