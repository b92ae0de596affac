"""Every checker of consumer groups catches what it is there for: a hand-made history, and a fault put into the server."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from muster.core.consumer import heartbeat, member_epoch, update, upgrade
from muster.core.consumer.finding import find_member
from muster.core.consumer.group import ConsumerGroup, ConsumerMember
from muster.core.consumer.reconcile import reconcile
from muster.core.consumer.records import CurrentAssignment
from muster.core.consumer.replies import ConsumerHeartbeatReply
from muster.core.shard import Shard
from muster.sim.checkers import CHECKERS, violations
from muster.sim.consumers.checkers import CONSUMER_CHECKERS
from muster.sim.consumers.history import ConsumerHistory, Migration, StaleCommit, Told, TwoOwners
from muster.sim.history import History
from muster.sim.run import kinds_of_faults, shrink, simulate
from muster.topics.catalog_topics import CatalogTopics
from muster.wire import errors
from tests.forms import interpreted_only, seeds_of_this_form

SEEDS = 40
"""How many seeds a mutation may hide from."""
CLEAN_SEEDS, CLEAN_CLUSTER_SEEDS = seeds_of_this_form(60), seeds_of_this_form(15)
CHUNK = 15
NODES = 3


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


# -- hand-made histories

UPGRADE = Migration("g", True, frozenset(), False, 5, 6, 0)
DOWNGRADE = Migration("g", False, frozenset({"c"}), False, 6, 6, 0)

BAD: dict[str, list[ConsumerHistory]] = {
    "no_partition_has_two_owners": [ConsumerHistory(two_owners=[TwoOwners(1, "g", 0, "a", "b")])],
    "epochs_never_go_back": [
        ConsumerHistory(stored_epochs=[("g", "group", 3), ("g", "group", 2)]),
        ConsumerHistory(told=[Told(1, "g", "a", 3, True), Told(2, "g", "a", 2, False)]),
    ],
    "stale_commits_are_refused": [ConsumerHistory(stale_commits=[StaleCommit(1, "g", "a", 3, 0, errors.NONE)])],
    "migrations_lose_no_member_and_no_offset": [
        ConsumerHistory(migrations=[replace(UPGRADE, lost=frozenset({"c"}))], dropped={("g", "c")}),
        ConsumerHistory(migrations=[replace(UPGRADE, number_after=4)]),
        ConsumerHistory(migrations=[replace(UPGRADE, lost_offsets=1)]),
        ConsumerHistory(migrations=[replace(DOWNGRADE, had_consumers=True)]),
        ConsumerHistory(migrations=[replace(DOWNGRADE, lost=frozenset({"c", "d"}))]),
    ],
    "consumers_reach_their_target_when_faults_end": [ConsumerHistory(unsettled=["g"])],
    "every_partition_is_read_when_faults_end": [ConsumerHistory(unassigned=["g"])],
    "consumers_get_answers_that_they_expect": [ConsumerHistory(surprises=["INVALID_REQUEST"])],
}


def test_there_are_histories_for_every_checker_of_consumer_groups() -> None:
    assert list(BAD) == [checker.__name__ for checker in CONSUMER_CHECKERS]


@pytest.mark.parametrize("name", BAD)
def test_a_bad_history_is_found_by_its_checker_and_no_other(name: str) -> None:
    for bad in BAD[name]:
        found = violations(History(consumers=bad), (*CHECKERS, *CONSUMER_CHECKERS))
        assert {each.split(":")[0] for each in found} == {name}


def test_a_good_history_is_left_alone() -> None:
    """Also with a group that was erased and begins anew, a member that joins again, and one that left a classic group."""
    history = ConsumerHistory(
        told=[Told(1, "g", "a", 3, True), Told(2, "g", "a", 4, False), Told(3, "g", "a", 2, True)],
        stale_commits=[StaleCommit(1, "g", "a", 3, 0, errors.STALE_MEMBER_EPOCH)],
        stored_epochs=[("g", "group", 3), ("g", "a", 3), ("g", "group", -1), ("g", "group", 2), ("g", "b", 2)],
        migrations=[UPGRADE, DOWNGRADE, replace(UPGRADE, lost=frozenset({"c"}))],
    )
    assert violations(History(consumers=history), CONSUMER_CHECKERS) == []


# -- no seed violates anything


@pytest.mark.parametrize("first", CLEAN_SEEDS[::CHUNK])
def test_no_seed_with_consumer_groups_violates_anything(first: int) -> None:
    for seed in range(first, first + CHUNK):
        verdict = simulate(seed, consumers=True)
        assert not verdict.violations, f"muster sim --consumers --seed {seed} --log\n" + "\n".join(verdict.violations)


def test_no_seed_with_consumer_groups_violates_anything_in_a_cluster() -> None:
    for seed in CLEAN_CLUSTER_SEEDS:
        verdict = simulate(seed, nodes=NODES, consumers=True)
        assert not verdict.violations, f"muster sim --nodes {NODES} --consumers --seed {seed} --log\n" + "\n".join(
            verdict.violations
        )


def test_consumer_groups_and_transactions_get_on_together() -> None:
    verdict = simulate(1, transactions=True, consumers=True)
    assert (verdict.violations, verdict.transactions > 40) == ((), True)


def test_groups_are_moved_from_one_protocol_to_the_other() -> None:
    assert sum(simulate(seed, consumers=True).migrations for seed in range(10)) > 5


@pytest.mark.parametrize("nodes", [1, NODES])
def test_a_seed_with_consumer_groups_has_the_same_digest_whatever_the_hash_seed(nodes: int) -> None:
    """Law 7: behaviour never depends on the order of a set."""
    digests = set()
    for hash_seed in ("1", "2"):
        output = subprocess.run(
            [sys.executable, "-m", "muster", "sim", "--consumers", "--nodes", str(nodes), "--seed", "7"],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        digests.add(output.splitlines()[-1])
    assert digests == {f"digest {simulate(7, nodes=nodes, consumers=True).digest}"}


# -- faults put into the server


def take_silence_for_consent(patch: pytest.MonkeyPatch) -> None:
    """Whoever is told to give something up is believed to have done it."""

    def hasty(current: Any, target: Any, target_epoch: int, owned: Any, owners: Any) -> CurrentAssignment | None:
        return reconcile(current, target, target_epoch, {}, owners)

    patch.setattr(update, "reconcile", hasty)


def step_epochs_back(patch: pytest.MonkeyPatch) -> None:
    """Every third group epoch is lower than the one before."""
    bump = update.MemberUpdate._bump_epoch

    def back(self: update.MemberUpdate, subscription: Any, is_called_for: bool) -> int:
        epoch = bump(self, subscription, is_called_for)
        if epoch > self._group.epoch and epoch % 3 == 0:
            self._builder.records[-1].epoch = epoch - 2  # type: ignore[union-attr]
        return epoch

    patch.setattr(update.MemberUpdate, "_bump_epoch", back)


def tell_older_epochs(patch: pytest.MonkeyPatch) -> None:
    """A member that waits for others is told the epoch that it came from."""
    accept = heartbeat._accept

    def modest(shard: Any, group: Any, member: Any, request: Any, builder: Any) -> ConsumerHeartbeatReply:
        reply = accept(shard, group, member, request, builder)
        if member is not None and reply.member_epoch == request.member_epoch > 2 and builder.now_ms % 5 == 0:
            reply.member_epoch -= 1
        return reply

    patch.setattr(heartbeat, "_accept", modest)


def accept_every_epoch(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(member_epoch, "_has_held_all_since", lambda *_: True)


def move_all_but_one(patch: pytest.MonkeyPatch) -> None:
    """An upgrade forgets the last member of the classic group."""
    records = upgrade._records

    def forgetful(shard: Any, classic: Any) -> list[Any]:
        last = list(classic.members)[-1]
        return [each for each in records(shard, classic) if getattr(each, "member_id", None) != last]

    patch.setattr(upgrade, "_records", forgetful)


def never_assign_again(patch: pytest.MonkeyPatch) -> None:
    """The target of a group stays what it was first."""
    assign = update.MemberUpdate._assign

    def lazy(self: update.MemberUpdate, subscription: Any, epoch: int) -> int:
        return self._group.target_epoch if self._group.target_epoch > 1 else assign(self, subscription, epoch)

    patch.setattr(update.MemberUpdate, "_assign", lazy)


def refuse_in_other_words(patch: pytest.MonkeyPatch) -> None:
    """A member that was dropped is told that its request is bad."""

    def suspicious(group: ConsumerGroup, request: Any, max_size: int) -> ConsumerMember | ConsumerHeartbeatReply | None:
        found = find_member(group, request, max_size)
        if isinstance(found, ConsumerHeartbeatReply) and found.error == errors.UNKNOWN_MEMBER_ID:
            found.error = errors.INVALID_REQUEST
        return found

    patch.setattr(heartbeat, "find_member", suspicious)


def change_members_outside_replay(patch: pytest.MonkeyPatch) -> None:
    handle = Shard.handle

    def meddle(self: Shard, request: Any, ticket: Any, now_ms: int, member_checked: bool = False) -> Any:
        group = self.consumer_groups.get(request.group_id) if type(request).__name__ == "ConsumerHeartbeat" else None
        if group is not None:
            group.target_ms += 1
        return handle(self, request, ticket, now_ms, member_checked)

    patch.setattr(Shard, "handle", meddle)


def lose_offsets_of_moved_groups(patch: pytest.MonkeyPatch) -> None:
    carry_out = upgrade.Upgrade.carry_out

    def careless(self: upgrade.Upgrade, builder: Any) -> None:
        from muster.core.records import OffsetErased

        carry_out(self, builder)
        builder.records.extend(OffsetErased(self.group.group_id, "work", index) for index in range(6))

    patch.setattr(upgrade.Upgrade, "carry_out", careless)


def overlook_new_partitions(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(CatalogTopics, "version", lambda self: self._catalog.changes)


MUTATIONS: dict[str, tuple[Callable[[pytest.MonkeyPatch], None], ...]] = {
    "no_partition_has_two_owners": (take_silence_for_consent,),
    "epochs_never_go_back": (step_epochs_back, tell_older_epochs),
    "stale_commits_are_refused": (accept_every_epoch,),
    "migrations_lose_no_member_and_no_offset": (move_all_but_one, lose_offsets_of_moved_groups),
    "consumers_reach_their_target_when_faults_end": (never_assign_again,),
    "every_partition_is_read_when_faults_end": (overlook_new_partitions,),
    "consumers_get_answers_that_they_expect": (refuse_in_other_words,),
    "replay_equals_live": (change_members_outside_replay,),
}


def test_there_is_a_mutation_for_every_checker() -> None:
    assert list(MUTATIONS) == [*(checker.__name__ for checker in CONSUMER_CHECKERS), "replay_equals_live"]


@interpreted_only
@pytest.mark.parametrize(
    ("name", "mutate"),
    [(name, mutate) for name, mutations in MUTATIONS.items() for mutate in mutations],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_a_fault_in_the_server_is_found(
    name: str, mutate: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    mutate(monkeypatch)
    for seed in range(SEEDS):
        if any(found.startswith(name) for found in simulate(seed, consumers=True).violations):
            return
    pytest.fail(f"{mutate.__name__} went unnoticed in {SEEDS} seeds")


@interpreted_only
def test_shrinking_leaves_the_faults_that_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    never_assign_again(monkeypatch)
    seed = next(seed for seed in range(SEEDS) if simulate(seed, consumers=True).violations)
    needed = shrink(seed, consumers=True)
    assert simulate(seed, needed, consumers=True).violations
    assert len(needed) < len(kinds_of_faults(consumers=True))
