"""Reconciliation: the steps from what members have to what they shall have (spec 7.5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muster.core.consumer.reconcile import reconcile, without_epochs
from muster.core.consumer.records import (
    ConsumerGroupRecord,
    CurrentAssignment,
    CurrentStored,
    EpochStored,
    MemberStored,
    Subscription,
    Target,
    TargetEpochStored,
    TargetStored,
)
from muster.core.consumer.states import STABLE, UNKNOWN, UNRELEASED, UNREVOKED, ConsumerGroupState
from tests.core.consumer.consumer_world import Consumers, Named, by_id, held, shown

OWN = Subscription(
    topic_names=("bar", "foo"), rebalance_timeout_ms=60_000, client_id="client", client_host="/127.0.0.1"
)
TARGETS: dict[str, Named] = {
    "1": {"foo": (0, 1), "bar": (0,)},
    "2": {"foo": (2, 3), "bar": (2,)},
    "3": {"foo": (4, 5), "bar": (1,)},
}


def worked_example() -> Consumers:
    """Members 1 and 2 at epoch 10, then a target of epoch 11 in which there is a third."""
    world = Consumers(foo=6, bar=3)
    group = "g"
    facts: dict[str, Named] = {"1": {"foo": (0, 1, 2), "bar": (0, 1)}, "2": {"foo": (3, 4, 5), "bar": (2,)}}
    records: list[ConsumerGroupRecord] = []
    for member_id, has in facts.items():
        current = CurrentAssignment(10, 9, STABLE, held(10, **has))
        records += [MemberStored(group, member_id, OWN), TargetStored(group, member_id, by_id(has))]
        records += [CurrentStored(group, member_id, current)]
    records += [EpochStored(group, 10, 0), TargetEpochStored(group, 10)]
    records += [MemberStored(group, "3", OWN), EpochStored(group, 11, 0), TargetEpochStored(group, 11)]
    records += [TargetStored(group, member_id, by_id(target)) for member_id, target in TARGETS.items()]
    for record in records:
        world.shard.replay(record, 0)
    world.consumers.topics_version = world.topics.version()
    return world


def test_T220_the_worked_example_goes_step_by_step_as_it_is_written() -> None:
    world = worked_example()
    steps = [
        ("3", {}, 11, {}, UNRELEASED),
        ("1", None, 10, {"foo": (0, 1), "bar": (0,)}, UNREVOKED),
        ("1", {"foo": (0, 1), "bar": (0,)}, 11, None, STABLE),
        ("3", None, 11, {"bar": (1,)}, UNRELEASED),
        ("2", None, 10, {"foo": (3,), "bar": (2,)}, UNREVOKED),
        ("2", {"foo": (3,), "bar": (2,)}, 11, {"foo": (2, 3), "bar": (2,)}, STABLE),
        ("3", None, 11, {"foo": (4, 5), "bar": (1,)}, STABLE),
    ]
    for member_id, owned, epoch, assignment, state in steps:
        reply = world.beat(member_id, owned=owned)
        assert (reply.error, reply.member_epoch, shown(reply)) == (0, epoch, assignment), member_id
        assert world.member(member_id).current.state is state
    assert world.consumers.state() is ConsumerGroupState.STABLE


def test_T223_who_does_not_give_up_in_time_is_fenced_and_who_waits_is_not() -> None:
    world = Consumers(foo=2)
    world.consume("a", "foo")
    world.consume("b", "foo")
    assert world.remaining("revoke", "g", "a") is None, "the time runs from when the member is told"
    world.beat("a")
    assert world.remaining("revoke", "g", "a") == 60_000
    for _ in range(2):
        world.advance(29_000)
        world.beat("a")
        world.beat("b")
    assert world.member("b").current.state is UNRELEASED
    world.advance(2_000)
    assert list(world.consumers.members) == ["b"]
    assert shown(world.beat("b")) == {"foo": (0, 1)}


def test_who_has_given_up_in_time_is_not_fenced() -> None:
    world = Consumers(foo=2)
    world.consume("a", "foo")
    world.consume("b", "foo")
    world.beat("a")
    world.obey("a")
    assert world.remaining("revoke", "g", "a") is None


def test_T239_after_a_failover_the_time_to_give_up_begins_anew() -> None:
    world = Consumers(foo=2)
    world.consume("a", "foo")
    world.consume("b", "foo")
    world.beat("a")
    world.advance(30_000)
    heir = world.restart()
    assert heir.remaining("revoke", "g", "a") == 60_000
    assert heir.remaining("session", "g", "b") == 45_000


def test_a_newer_target_waits_for_the_acknowledgement_of_the_one_before() -> None:
    """Spec 15.1, revocation: the member is told once."""
    world = Consumers(foo=3)
    world.consume("a", "foo")
    world.consume("b", "foo")
    world.beat("a")
    before = world.assigned("a")
    world.consume("c", "foo")
    assert shown(world.beat("a")) is None
    assert world.assigned("a") == before
    world.settle_down("a", "b", "c")
    assert sorted(len(world.assigned(each)["foo"]) for each in "abc") == [1, 1, 1]


@pytest.mark.parametrize(("owned", "fenced"), [(None, True), ({"foo": [0]}, True), ({}, False)])
def test_a_state_of_a_later_version_is_left_only_by_somebody_who_has_nothing(owned: Named | None, fenced: bool) -> None:
    current = CurrentAssignment(5, 4, UNKNOWN, held(5, foo=[0]))
    following = reconcile(current, by_id({"foo": [0]}), 7, None if owned is None else by_id(owned), {})
    assert (following is None) is fenced
    if following is not None:
        assert (following.epoch, following.state) == (7, STABLE)


def test_the_epoch_before_follows_even_if_the_epoch_stays() -> None:
    """Spec 7.5: that alone causes one more record, and no third."""
    waiting = CurrentAssignment(11, 0, UNRELEASED)
    owners = {by: {0: "other"} for by in by_id({"foo": [0]})}
    once = reconcile(waiting, by_id({"foo": [0]}), 11, None, owners)
    assert once == CurrentAssignment(11, 11, UNRELEASED)
    assert reconcile(once, by_id({"foo": [0]}), 11, None, owners) is once


MEMBERS = ("a", "b", "c", "d")
PARTITIONS = range(6)
SPLIT = st.lists(st.sampled_from([*MEMBERS, None]), min_size=len(PARTITIONS), max_size=len(PARTITIONS))
STEP = st.tuples(st.sampled_from(MEMBERS), st.sampled_from(["silent", "obeys", "still has all"]))


def as_targets(split: list[str | None]) -> dict[str, Target]:
    return {
        member_id: by_id({"foo": mine} if (mine := [p for p in PARTITIONS if split[p] == member_id]) else {})
        for member_id in MEMBERS
    }


class Pool:
    """Members that reconcile with one another and nothing else."""

    def __init__(self) -> None:
        self.current = {member_id: CurrentAssignment() for member_id in MEMBERS}
        self.really_reads: dict[str, Target] = {member_id: {} for member_id in MEMBERS}
        """What each client reads: it reads on until it has said that it does not."""

    def owners(self) -> dict[bytes, dict[int, str]]:
        found: dict[bytes, dict[int, str]] = {}
        for member_id, current in self.current.items():
            for held_by in (current.assigned, current.revoking):
                for key, partitions in held_by.items():
                    for partition in partitions:
                        assert partition not in found.setdefault(key, {}), "two members own one partition"
                        found[key][partition] = member_id
        return found

    def step(self, member_id: str, manner: str, targets: dict[str, Target], epoch: int) -> None:
        current = self.current[member_id]
        if manner == "obeys":
            self.really_reads[member_id] = without_epochs(current.assigned)
        owned = None if manner == "silent" else self.really_reads[member_id]
        following = reconcile(current, targets[member_id], epoch, owned, self.owners())
        assert following is not None
        assert following.epoch >= current.epoch
        self.current[member_id] = following
        for key, partitions in without_epochs(following.assigned).items():
            reads = self.really_reads[member_id].get(key, ())
            self.really_reads[member_id] = {**self.really_reads[member_id], key: tuple(sorted({*reads, *partitions}))}
        readers = [(key, p) for reads in self.really_reads.values() for key, ps in reads.items() for p in ps]
        assert len(readers) == len(set(readers)), "two clients read one partition"


@given(st.lists(st.tuples(SPLIT, st.lists(STEP, max_size=12)), min_size=1, max_size=6))
def test_no_partition_has_two_owners_and_who_obeys_reaches_its_target(
    rounds: list[tuple[list[str | None], list[tuple[str, str]]]],
) -> None:
    pool = Pool()
    for epoch, (split, steps) in enumerate(rounds, start=2):
        targets = as_targets(split)
        for member_id, manner in steps:
            pool.step(member_id, manner, targets, epoch)
    for _ in range(3):
        for member_id in MEMBERS:
            pool.step(member_id, "obeys", targets, epoch)
    for member_id, current in pool.current.items():
        assert (current.state, current.epoch) == (STABLE, epoch)
        assert without_epochs(current.assigned) == targets[member_id]
