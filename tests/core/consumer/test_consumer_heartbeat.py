"""Joining and staying in a consumer group: epochs, assignments, fencing (spec 7.4, 15.1)."""

from __future__ import annotations

import pytest

from muster.core.config import GroupConfig
from muster.core.consumer.replies import ConsumerHeartbeatReply
from muster.core.consumer.requests import ConsumerHeartbeat
from muster.core.consumer.states import ConsumerGroupState
from muster.core.shard import Shard
from muster.wire import errors
from tests.core.consumer.consumer_world import CONFIG, REBALANCE_MS, Consumers, Topics, shown
from tests.values import replaced


def test_T217_the_first_member_gets_everything_at_epoch_2() -> None:
    world = Consumers(foo=3)
    reply = world.consume("a", "foo")
    assert (reply.error, reply.member_id, reply.member_epoch, reply.interval_ms) == (0, "a", 2, 5_000)
    assert shown(reply) == {"foo": (0, 1, 2)}
    assert world.consumers.state() is ConsumerGroupState.STABLE
    assert world.remaining("session", "g", "a") == 45_000


def test_a_member_that_subscribes_to_nothing_is_at_epoch_1() -> None:
    """Spec 15.1, first epoch."""
    reply = Consumers(foo=3).consume("a")
    assert (reply.member_epoch, shown(reply)) == (1, {})


def test_T218_an_unknown_group_or_member_is_told_so() -> None:
    world = Consumers(foo=3)
    lost = world.beat("a", 5)
    assert lost == ConsumerHeartbeatReply(errors.GROUP_ID_NOT_FOUND, "Consumer group g not found.")
    world.consume("a", "foo")
    unknown = world.beat("b", 5)
    assert unknown == ConsumerHeartbeatReply(errors.UNKNOWN_MEMBER_ID, "Member b is not a member of group g.")


def test_an_unknown_instance_is_told_so() -> None:
    world = Consumers(foo=3)
    world.consume("a", "foo")
    unknown = world.beat("a", 2, instance="i")
    assert unknown == ConsumerHeartbeatReply(errors.UNKNOWN_MEMBER_ID, "Instance id i is unknown.")


def test_T219_another_epoch_is_fenced_unless_it_is_the_one_before_with_partitions_of_its_own() -> None:
    world = Consumers(foo=3)
    world.consume("a", "foo")
    world.beat("a", topics=("foo", "bar"))
    assert (world.member("a").current.epoch, world.member("a").current.previous_epoch) == (3, 2)
    for epoch, word in ((4, "greater"), (1, "smaller"), (2, "smaller")):
        fenced = world.beat("a", epoch)
        assert fenced.error == errors.FENCED_MEMBER_EPOCH
        assert f"{word} member epoch ({epoch}) than the one known by the group coordinator (3)" in (
            fenced.message or ""
        )
    assert world.beat("a", 2, {"foo": [0, 9]}).error == errors.FENCED_MEMBER_EPOCH
    assert world.beat("a", 2, {"foo": [0, 1]}).member_epoch == 3


def test_T221_an_assignment_is_sent_when_it_is_asked_for_in_full() -> None:
    world = Consumers(foo=2)
    world.consume("a", "foo")
    assert shown(world.beat("a")) is None
    assert shown(world.beat("a", owned={"foo": [0, 1]})) is None
    full = world.beat("a", owned={"foo": [0, 1]}, topics=("foo",), timeout_ms=REBALANCE_MS)
    assert shown(full) == {"foo": (0, 1)}
    assert full.member_epoch == 2


def test_T222_a_topic_that_comes_later_is_assigned_with_a_later_heartbeat() -> None:
    world = Consumers()
    reply = world.consume("a", "foo")
    assert (reply.member_epoch, shown(reply)) == (2, {})
    assert shown(world.beat("a")) is None
    world.topics.set("foo", 2)
    reply = world.beat("a")
    assert (reply.member_epoch, shown(reply)) == (3, {"foo": (0, 1)})


def test_more_partitions_of_a_subscribed_topic_raise_the_epoch_and_other_topics_do_not() -> None:
    world = Consumers(foo=1)
    world.consume("a", "foo")
    world.topics.set("other", 5)
    assert world.beat("a").member_epoch == 2
    world.topics.set("foo", 2)
    reply = world.beat("a")
    assert (reply.member_epoch, shown(reply)) == (3, {"foo": (0, 1)})


def test_a_deleted_topic_keeps_the_member_at_its_epoch_until_it_has_given_it_up() -> None:
    """Spec 15.1, deleted topic."""
    world = Consumers(foo=1, bar=1)
    world.consume("a", "foo", "bar")
    world.topics.delete("foo")
    reply = world.beat("a")
    assert (reply.member_epoch, shown(reply)) == (2, {"bar": (0,)})
    assert world.obey("a").member_epoch == 3


@pytest.mark.parametrize(
    ("details", "epoch"),
    [
        ({"topics": ("bar", "foo")}, 2),
        ({"topics": ("foo",)}, 3),
        ({"timeout_ms": 1}, 2),
        ({"rack": "r"}, 2),
        ({"assignor": "range"}, 2),
    ],
)
def test_only_another_subscription_raises_the_epoch(details: dict[str, object], epoch: int) -> None:
    """Spec 15.1: not timeout, rack, assignor or the order of names."""
    world = Consumers(foo=1, bar=1)
    world.consume("a", "foo", "bar")
    world.beat("a", **details)  # type: ignore[arg-type]
    assert world.consumers.epoch == epoch


def test_a_changed_assignor_shows_at_once() -> None:
    world = Consumers(foo=1)
    world.consume("a", "foo")
    assert world.told().assignor == "uniform"
    world.beat("a", assignor="range")
    assert world.told().assignor == "range"


def test_T230_a_full_group_serves_those_that_it_has() -> None:
    world = Consumers(GroupConfig(consumer_max_size=1, consumer_assignment_interval_ms=0), foo=1)
    world.consume("a", "foo")
    full = world.consume("b", "foo")
    assert (full.error, full.message) == (
        errors.GROUP_MAX_SIZE_REACHED,
        "The consumer group has reached its maximum capacity of 1 members.",
    )
    assert world.beat("b", 5).error == errors.GROUP_MAX_SIZE_REACHED
    assert world.beat("a").error == 0
    assert world.consume("a", "foo").error == 0


def test_joining_again_is_answered_with_the_same_epoch_and_assignment() -> None:
    world = Consumers(foo=2)
    world.consume("a", "foo")
    reply = world.consume("a", "foo")
    assert (reply.member_epoch, shown(reply)) == (2, {"foo": (0, 1)})


def test_joining_again_while_revoking_gives_up_all_that_was_pending() -> None:
    """Spec 15.1, epoch 0 again."""
    world = Consumers(foo=2)
    world.consume("a", "foo")
    world.consume("b", "foo")
    world.beat("a")
    reply = world.consume("a", "foo")
    assert (reply.member_epoch, shown(reply)) == (3, {"foo": (0,)})
    assert shown(world.beat("b")) == {"foo": (1,)}


def test_a_client_of_version_0_gets_an_id_of_22_characters() -> None:
    shard = Shard(CONFIG, lambda: "0aaf1d83-4b53-4f9f-8a3b-2c5c6b6a1d2e", Topics(foo=1))
    request = ConsumerHeartbeat("g", "", 0, None, None, 1_000, ("foo",), None, None, {}, "c", "/h", False)
    ((_, reply),) = list(shard.handle(request, object(), 0).replies)
    assert isinstance(reply, ConsumerHeartbeatReply)
    assert reply.member_id == "Cq8dg0tTT5-KOyxca2odLg"


def test_a_new_assignment_is_put_off_while_the_last_one_is_fresh() -> None:
    """Spec 15.1, assignment interval above 0: a new member gets the old epoch, and the group is Assigning."""
    world = Consumers(GroupConfig(consumer_assignment_interval_ms=1_000), foo=2)
    world.consume("a", "foo")
    world.advance(999)
    reply = world.consume("b", "foo")
    assert (reply.member_epoch, shown(reply)) == (2, {})
    assert world.epochs() == (3, 2)
    assert world.consumers.state() is ConsumerGroupState.ASSIGNING
    world.advance(1)
    assert world.beat("b").member_epoch == 3
    assert world.epochs() == (3, 3)


@pytest.mark.parametrize("interval_ms", [0, 1_000])
def test_a_clock_that_was_set_back_puts_no_assignment_off(interval_ms: int) -> None:
    """The last one is stamped with a time that is half an hour away, and partitions without an owner would wait for it."""
    world = Consumers(GroupConfig(consumer_assignment_interval_ms=interval_ms), foo=2)
    world.consume("a", "foo")
    world.now_ms -= 1_800_000
    world.quit("a")
    assert shown(world.consume("b", "foo")) == {"foo": (0, 1)}


def test_T240_a_heartbeat_whose_records_are_lost_has_changed_nothing() -> None:
    world = Consumers(foo=2)
    world.consume("a", "foo")
    world.hold()
    request = ConsumerHeartbeat("g", "a", 2, None, None, -1, ("bar",), None, None, None, "client", "/127.0.0.1", True)
    call = world.send(request)
    assert call.waiting
    world.fail(errors.NOT_ENOUGH_REPLICAS)
    assert call.reply == ConsumerHeartbeatReply(errors.COORDINATOR_NOT_AVAILABLE)
    assert world.epochs() == (2, 2)
    assert world.send(replaced(request, topic_names=None)).reply.member_epoch == 2


def test_a_join_whose_records_are_lost_leaves_no_group() -> None:
    world = Consumers(foo=2)
    world.hold()
    call = world.joining("a", "foo")
    world.fail(errors.NOT_LEADER_OR_FOLLOWER)
    assert call.reply == ConsumerHeartbeatReply(errors.NOT_COORDINATOR)
    assert world.list_groups().groups == ()
    assert world.consume("a", "foo").member_epoch == 2
