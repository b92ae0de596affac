"""Which records are written, in which order, and what a shard is that was loaded from them (spec 5.4 to 5.7, 15.2)."""

from __future__ import annotations

import pytest

from muster.core.consumer.records import (
    CurrentAssignment,
    CurrentErased,
    CurrentStored,
    EpochErased,
    EpochStored,
    MemberErased,
    MemberStored,
    RegexErased,
    RegexStored,
    Subscription,
    TargetEpochErased,
    TargetEpochStored,
    TargetErased,
    TargetStored,
    TopicsErased,
    TopicsStored,
)
from muster.core.consumer.states import ConsumerGroupState
from muster.core.records import GroupErased, GroupStored, OffsetErased, Record
from tests.core.consumer.consumer_world import Consumers, by_id, held, shown, topic_id

JOIN = [MemberStored, EpochStored, TargetStored, TargetEpochStored, CurrentStored]
LEAVE = [CurrentErased, TargetErased, MemberErased]


def kinds(batch: list[Record]) -> list[type[Record]]:
    return [type(record) for record in batch]


def test_the_records_of_a_first_join_say_who_came_and_what_it_got() -> None:
    world = Consumers(foo=1)
    world.consume("a", "foo")
    (batch,) = world.appended
    assert kinds(batch) == JOIN
    subscription, epoch, target, target_epoch, current = batch
    assert isinstance(epoch, EpochStored)
    assert subscription == MemberStored(
        "g", "a", Subscription(None, None, "client", "/127.0.0.1", ("foo",), "", 60_000, None)
    )
    assert (epoch.epoch, epoch.metadata_hash != 0) == (2, True)
    assert target == TargetStored("g", "a", by_id({"foo": [0]}))
    assert target_epoch == TargetEpochStored("g", 2, world.now_ms)
    assert current == CurrentStored("g", "a", CurrentAssignment(2, 0, assigned=held(2, foo=[0])))


def test_an_acknowledgement_that_changes_nothing_writes_nothing() -> None:
    world = Consumers(foo=1)
    world.consume("a", "foo")
    world.appended.clear()
    world.obey("a")
    world.beat("a")
    assert world.appended == []


def test_a_second_member_writes_targets_of_all_whose_target_changed() -> None:
    world = Consumers(foo=2)
    world.consume("a", "foo")
    world.appended.clear()
    world.consume("b", "foo")
    assert kinds(world.appended[0]) == [
        MemberStored,
        EpochStored,
        TargetStored,
        TargetStored,
        TargetEpochStored,
        CurrentStored,
    ]


def test_a_leave_writes_the_members_tombstones_and_the_next_epoch() -> None:
    world = Consumers(foo=1)
    world.consume("a", "foo")
    world.appended.clear()
    world.quit("a")
    assert kinds(world.appended[0]) == [*LEAVE, EpochStored]
    assert world.appended[0][-1] == EpochStored("g", 3, 0)


def test_a_static_leave_and_return_write_the_records_of_a_replacement() -> None:
    world = Consumers(foo=1)
    world.consume("a", "foo", instance="i")
    world.appended.clear()
    world.quit("a", instance="i", for_good=False)
    away = CurrentAssignment(-2, 0, assigned=held(0, foo=[0]))
    assert world.appended == [[CurrentStored("g", "a", away)]]
    world.consume("b", "foo", instance="i")
    returned = world.appended[1]
    assert kinds(returned) == [*LEAVE, MemberStored, TargetStored, CurrentStored, CurrentStored]
    assert returned[5:] == [
        CurrentStored("g", "b", CurrentAssignment(0, 0, assigned=held(0, foo=[0]))),
        CurrentStored("g", "b", CurrentAssignment(2, 0, assigned=held(0, foo=[0]))),
    ]


def test_a_deleted_group_writes_three_tombstones_after_those_of_its_offsets() -> None:
    world = Consumers(foo=1)
    world.consume("a", "foo")
    world.commit(7, member_id="a", generation=2, topic="foo")
    assert world.delete().reply.error == 68, "it has a member"
    world.quit("a")
    world.appended.clear()
    assert world.delete().reply.error == 0
    assert kinds(world.appended[0]) == [OffsetErased, TargetEpochErased, TopicsErased, EpochErased]
    assert world.list_groups().groups == ()


def test_T232_an_empty_classic_group_makes_place_and_leaves_its_offsets() -> None:
    world = Consumers(foo=1)
    world.commit(7, topic="foo")
    assert shown(world.consume("a", "foo")) == {"foo": (0,)}
    assert kinds(world.appended[-1]) == [GroupErased, *JOIN]
    assert world.fetched(topic="foo") == (7, 0)
    assert [group.group_type for group in world.list_groups().groups] == ["consumer"]


def test_an_empty_consumer_group_makes_place_for_a_classic_member() -> None:
    world = Consumers(foo=1)
    world.consume("a", "foo")
    world.quit("a")
    world.appended.clear()
    world.join()
    assert kinds(world.appended[0]) == [TargetEpochErased, TopicsErased, EpochErased, GroupStored]
    assert [group.group_type for group in world.list_groups().groups] == ["classic"]
    assert world.shard.consumer_groups == {}


@pytest.mark.parametrize("with_error", [True, False])
def test_a_classic_group_that_cannot_be_stored_leaves_the_consumer_group_as_it_was(with_error: bool) -> None:
    world = Consumers(foo=1)
    world.consume("a", "foo")
    world.quit("a")
    world.hold()
    world.join()
    assert [group.group_type for group in world.list_groups().groups] == ["consumer"]
    if with_error:
        world.fail(-1)
        assert [group.group_type for group in world.list_groups().groups] == ["consumer"]
        assert world.consume("b", "foo").error == 0


def test_a_record_of_a_member_alone_makes_a_group_at_epoch_1() -> None:
    """Spec 5.7, seen on 4.3.1."""
    world = Consumers(foo=1)
    world.shard.replay(MemberStored("g", "a", Subscription(topic_names=("foo",))), 0)
    assert world.epochs() == (1, 1)
    assert list(world.consumers.members) == ["a"]


@pytest.mark.parametrize(
    "record",
    [
        MemberErased("g", "a"),
        CurrentErased("g", "a"),
        TargetErased("g", "a"),
        TargetEpochErased("g"),
        TopicsErased("g"),
        EpochErased("g"),
        RegexErased("g", "x"),
    ],
)
def test_a_tombstone_of_what_is_not_there_is_ignored(record: Record) -> None:
    """Compaction may have taken out what it was for."""
    world = Consumers()
    world.shard.replay(record, 0)
    assert world.shard.consumer_groups == {}


def test_metadata_of_topics_from_an_older_broker_are_passed_over() -> None:
    world = Consumers(foo=1)
    world.consume("a", "foo")
    world.shard.replay(TopicsStored("g"), 0)
    world.shard.replay(TopicsErased("g"), 0)
    assert world.consumers.state() is ConsumerGroupState.STABLE


def test_a_partition_that_two_members_own_is_a_fault() -> None:
    world = Consumers(foo=1)
    world.consume("a", "foo")
    with pytest.raises(AssertionError, match="both own"):
        world.shard.replay(CurrentStored("g", "b", CurrentAssignment(2, 0, assigned=held(2, foo=[0]))), 0)


def test_a_classic_record_takes_the_place_of_a_consumer_group() -> None:
    """Spec 5.7."""
    world = Consumers(foo=1)
    world.consume("a", "foo")
    world.shard.replay(GroupStored("g", "consumer", 1, None, None, 1, ()), 0)
    assert world.shard.consumer_groups == {}


def test_a_loaded_group_is_the_one_that_was_live() -> None:
    world = Consumers(foo=3, bar=2)
    world.consume("a", "foo", instance="i")
    world.consume("b", "bar", "foo")
    world.obey("a")
    world.quit("a", instance="i", for_good=False)
    heir = world.restart()
    live, loaded = world.consumers, heir.shard.consumer_groups["g"]
    for fact in (
        "epoch",
        "target_epoch",
        "target_ms",
        "metadata_hash",
        "targets",
        "static_members",
        "owners",
        "resolved",
    ):
        assert getattr(loaded, fact) == getattr(live, fact), fact
    assert {m.member_id: (m.subscription, m.current) for m in loaded.members.values()} == {
        m.member_id: (m.subscription, m.current) for m in live.members.values()
    }


def test_a_regex_writes_its_member_first_and_its_topics_later() -> None:
    """Spec 15.2: types 5, 8, later 16, 3, then 7, 6, 8."""
    world = Consumers(foo=1)
    world.consume("a", regex="f.*")
    world.advance(0)
    world.beat("a")
    assert [kinds(batch) for batch in world.appended] == [
        [MemberStored, CurrentStored],
        [RegexStored, EpochStored],
        [TargetStored, TargetEpochStored, CurrentStored],
    ]
    world.quit("a")
    assert kinds(world.appended[-1]) == [*LEAVE, RegexErased, EpochStored]
    assert topic_id("foo") not in world.consumers.owners
