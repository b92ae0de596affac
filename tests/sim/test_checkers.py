"""Every checker catches what it is there for: a hand-made history, and a fault put into the server."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from muster.core.classic import rebalance, sync
from muster.core.classic.group import Group
from muster.core.contract import Outcome
from muster.core.offsets.topic_offsets import topic_offsets
from muster.core.replies import JoinReply
from muster.core.shard import Shard
from muster.runtime.group_commit import GroupCommit
from muster.server.connection import Connection
from muster.sim.checkers import CHECKERS, violations
from muster.sim.faults import FAULTS
from muster.sim.history import Acked, Expelled, Fetched, History, Joined, Synced
from muster.sim.run import shrink, simulate
from tests.forms import interpreted_only
from tests.values import replaced

SEEDS = 40
"""How many seeds a mutation may hide from."""


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


HISTORIES: dict[str, History] = {
    "no_acknowledged_commit_is_lost": History(acked=[Acked(10, "g", 0, 5)], fetched=[Fetched(20, "g", 0, 4)]),
    "no_commit_moves_back": History(stored_offsets=[("g", 0, 5), ("g", 0, 4)]),
    "generations_only_grow": History(stored_generations=[("g", 3), ("g", 2)]),
    "one_leader_and_protocol_a_generation": History(
        joined=[Joined(1, 1, "g", 1, "a", "a", "range"), Joined(1, 1, "g", 1, "b", "b", "range")]
    ),
    "one_reply_a_request": History(answers={1: 1, 2: 2}),
    "nobody_is_expelled_early": History(expelled=[Expelled("g", "a", 5_999, 6_000)]),
    "everybody_gets_the_leaders_plan": History(synced=[Synced(1, "g", 1, "a", b"\1", b"\2")]),
    "replay_equals_live": History(replay_differences=["g differs"]),
    "groups_become_stable_when_faults_end": History(unstable_groups=["g"]),
}


def test_there_is_a_history_for_every_checker() -> None:
    assert list(HISTORIES) == [checker.__name__ for checker in CHECKERS]


@pytest.mark.parametrize("name", HISTORIES)
def test_a_bad_history_is_found_by_its_checker_and_no_other(name: str) -> None:
    assert [found.split(":")[0] for found in violations(HISTORIES[name])] == [name]


def test_a_good_history_is_left_alone() -> None:
    history = History(
        acked=[Acked(10, "g", 0, 5), Acked(30, "g", 0, 6)],
        fetched=[Fetched(20, "g", 0, 5), Fetched(10, "g", 0, 4), Fetched(5, "g", 0, -1)],
        stored_offsets=[("g", 0, 5), ("g", 0, 5), ("g", 0, 6)],
        stored_generations=[("g", 1), ("g", 1), ("g", 2), ("g", -1), ("g", 0)],
        joined=[Joined(1, 1, "g", 4, "a", "a", "range"), Joined(9, 2, "g", 4, "b", "b", "sticky")],
        answers={1: 1},
        expelled=[Expelled("g", "a", 6_000, 6_000)],
        synced=[Synced(1, "g", 1, "a", b"\1", b"\1"), Synced(1, "g", 1, "a", b"\1", None)],
    )
    assert violations(history) == []


# -- faults put into the server


def answer_before_durable(patch: pytest.MonkeyPatch) -> None:
    def hasty(self: GroupCommit, log: Any, end_offset: int, callback: Callable[[None], None]) -> None:
        self._loop.call_later(3, self._begin)
        self._loop.call_soon(callback, None)

    patch.setattr(GroupCommit, "when_durable", hasty)


def store_older_values(patch: pytest.MonkeyPatch) -> None:
    handle = Shard.handle

    def forgetful(self: Shard, request: Any, ticket: Any, now_ms: int, member_checked: bool = False) -> Outcome:
        if type(request).__name__ == "OffsetCommit":
            request.topics = [
                topic_offsets(
                    each.topic, each.topic_id, [(p, 1 if o % 7 == 0 else o, *rest) for p, o, *rest in each.rows()]
                )
                for each in request.topics
            ]
        return handle(self, request, ticket, now_ms, member_checked)

    patch.setattr(Shard, "handle", forgetful)


def step_generations_back(patch: pytest.MonkeyPatch) -> None:
    begin = rebalance._begin_generation

    def back(group: Group, turn: Any, cause: Any) -> None:
        group.generation = max(1, group.generation - 2)
        begin(group, turn, cause)

    patch.setattr(rebalance, "_begin_generation", back)


def make_everybody_leader(patch: pytest.MonkeyPatch) -> None:
    reply = rebalance.joined_reply

    def flattering(group: Group, member: Any) -> JoinReply:
        answer = reply(group, member)
        answer.leader = member.member_id
        return answer

    patch.setattr(rebalance, "joined_reply", flattering)


def answer_twice(patch: pytest.MonkeyPatch) -> None:
    finish = Connection.finish

    def stammer(self: Connection, frame: bytes | None) -> None:
        finish(self, None if frame is None else frame + frame)

    patch.setattr(Connection, "finish", stammer)


def ignore_heartbeats(patch: pytest.MonkeyPatch) -> None:
    handle = Shard.handle

    def deaf(self: Shard, request: Any, ticket: Any, now_ms: int, member_checked: bool = False) -> Outcome:
        outcome = handle(self, request, ticket, now_ms, member_checked)
        if type(request).__name__ in ("Heartbeat", "OffsetCommit"):
            return replaced(outcome, timers=())
        return outcome

    patch.setattr(Shard, "handle", deaf)


def mix_up_assignments(patch: pytest.MonkeyPatch) -> None:
    assigned = sync._assigned

    def mixed_up(group: Group, member: Any) -> Any:
        return assigned(group, next(iter(group.members.values())))

    patch.setattr(sync, "_assigned", mixed_up)


def change_facts_outside_replay(patch: pytest.MonkeyPatch) -> None:
    on_durable = Shard.on_durable

    def meddle(self: Shard, step: Any, now_ms: int) -> Outcome:
        self.facts.pop(step.group_id, None)
        return on_durable(self, step, now_ms)

    patch.setattr(Shard, "on_durable", meddle)


def forget_the_join_timer(patch: pytest.MonkeyPatch) -> None:
    from muster.core import shard

    patch.setattr(shard, "on_join_timer", lambda group, turn: None)


MUTATIONS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "no_acknowledged_commit_is_lost": answer_before_durable,
    "no_commit_moves_back": store_older_values,
    "generations_only_grow": step_generations_back,
    "one_leader_and_protocol_a_generation": make_everybody_leader,
    "one_reply_a_request": answer_twice,
    "nobody_is_expelled_early": ignore_heartbeats,
    "everybody_gets_the_leaders_plan": mix_up_assignments,
    "replay_equals_live": change_facts_outside_replay,
    "groups_become_stable_when_faults_end": forget_the_join_timer,
}


def test_there_is_a_mutation_for_every_checker() -> None:
    assert list(MUTATIONS) == [checker.__name__ for checker in CHECKERS]


@interpreted_only
@pytest.mark.parametrize("name", MUTATIONS)
def test_a_fault_in_the_server_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    MUTATIONS[name](monkeypatch)
    for seed in range(SEEDS):
        if any(found.startswith(name) for found in simulate(seed).violations):
            return
    pytest.fail(f"{MUTATIONS[name].__name__} went unnoticed in {SEEDS} seeds")


@interpreted_only
def test_shrinking_leaves_the_faults_that_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer before the log has it does harm only if the server crashes or its disk refuses."""
    answer_before_durable(monkeypatch)
    seed = next(seed for seed in range(SEEDS) if simulate(seed).violations)
    needed = shrink(seed)
    assert simulate(seed, needed).violations
    assert needed & {"crash", "full_disk"}
    assert len(needed) < len(FAULTS)
