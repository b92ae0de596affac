"""Online migration: a classic group becomes a consumer group and back, with both protocols in one group (spec 7.8, 7.9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from muster.core.classic.states import PREPARING_REBALANCE, GroupState
from muster.core.config import GroupConfig
from muster.core.consumer.records import (
    CurrentErased,
    CurrentStored,
    EpochErased,
    EpochStored,
    MemberErased,
    MemberStored,
    TargetEpochErased,
    TargetEpochStored,
    TargetErased,
    TargetStored,
    TopicsErased,
)
from muster.core.consumer.states import ConsumerGroupState
from muster.core.records import GroupErased, GroupStored
from muster.wire import errors
from muster.wire.consumer_protocol import (
    Assignment,
    Subscription,
    decode_assignment,
    encode_assignment,
    encode_subscription,
)
from tests.core.consumer.consumer_world import Consumers, shown

Owned = Mapping[str, Sequence[int]]

REBALANCING = errors.REBALANCE_IN_PROGRESS
JOIN = [MemberStored, EpochStored, TargetStored, TargetEpochStored, CurrentStored]


def policy(name: str, max_size: int = 100) -> GroupConfig:
    return GroupConfig(
        consumer_assignment_interval_ms=0,
        consumer_migration_policy=name,
        consumer_max_size=max_size,
        initial_rebalance_delay_ms=0,
    )


def wants(*topics: str, owned: Owned | None = None) -> tuple[tuple[str, bytes], ...]:
    """The protocols of a classic member: eager ones own nothing when they join."""
    metadata = encode_subscription(Subscription(list(topics), None, list((owned or {}).items())))
    return (("range", metadata),)


def classic_group(world: Consumers, *plans: Owned) -> list[str]:
    """A Stable classic group whose members have these partitions; their ids."""
    joins = [world.join(protocols=wants("foo")) for _ in plans]
    world.advance(0)
    if any(join.waiting for join in joins):
        world.advance(world.timers["join", "g"] - world.now_ms)
    ids = [join.reply.member_id for join in joins]
    plan = {each: encode_assignment(Assignment(list(had.items()))) for each, had in zip(ids, plans, strict=True)}
    generation = world.group.generation
    assert [world.sync(each, generation, plan).reply.error for each in ids] == [0] * len(ids)
    return ids


def synced(world: Consumers, member_id: str, generation: int) -> dict[str, tuple[int, ...]]:
    reply = world.sync(member_id, generation, {}, name="range").reply
    assert reply.error == 0
    return {topic: tuple(numbers) for topic, numbers in decode_assignment(reply.assignment).partitions}


def rejoin(world: Consumers, member_id: str, owned: Owned | None = None) -> int:
    reply = world.join(member_id, protocols=wants("foo", owned=owned)).reply
    assert (reply.error, reply.member_id, reply.leader, reply.members) == (0, member_id, "", ())
    return reply.generation


def test_T231_a_stable_classic_group_becomes_a_consumer_group() -> None:
    world = Consumers(policy("bidirectional"), foo=2)
    (old,) = classic_group(world, {"foo": (0, 1)})
    world.appended.clear()
    reply = world.consume("new", "foo")
    assert (reply.error, reply.member_epoch, shown(reply)) == (0, 2, {})
    assert [type(record) for record in world.appended[0]] == [
        GroupErased,
        *JOIN,
        *JOIN[:2],
        *[TargetStored] * 2,
        *JOIN[3:],
    ]
    assert world.epochs() == (2, 2)
    assert world.shard.groups == {}
    assert world.heartbeat(old, 1).reply.error == REBALANCING
    assert world.told().members[0].subscription.classic is not None


def test_both_protocols_share_the_partitions_of_one_group() -> None:
    world = Consumers(policy("bidirectional"), foo=2)
    (old,) = classic_group(world, {"foo": (0, 1)})
    world.consume("new", "foo")
    world.heartbeat(old, 1)
    epoch = rejoin(world, old)
    assert epoch == 2
    (kept,) = synced(world, old, epoch)["foo"]
    assert world.heartbeat(old, epoch).reply.error == 0
    assert shown(world.beat("new")) == {"foo": (1 - kept,)}
    assert world.consumers.state() is ConsumerGroupState.STABLE


def test_a_cooperative_member_keeps_what_stays_its_own() -> None:
    world = Consumers(policy("bidirectional"), foo=2)
    (old,) = classic_group(world, {"foo": (0, 1)})
    world.consume("new", "foo")
    epoch = rejoin(world, old, {"foo": (0, 1)})
    assert epoch == 1, "it has to give something up first"
    kept = synced(world, old, epoch)
    assert len(kept["foo"]) == 1
    assert world.heartbeat(old, epoch).reply.error == REBALANCING
    assert rejoin(world, old, kept) == 2
    assert synced(world, old, 2) == kept


@pytest.mark.parametrize("name", ["disabled", "downgrade"])
def test_T232_without_the_policy_a_classic_group_is_no_consumer_group(name: str) -> None:
    world = Consumers(policy(name), foo=2)
    (old,) = classic_group(world, {"foo": (0, 1)})
    assert world.consume("new", "foo").error == errors.GROUP_ID_NOT_FOUND
    assert world.heartbeat(old, 1).reply.error == 0
    world.leave(old)
    assert world.consume("new", "foo").error == 0, "an Empty one makes place under any policy"


def test_a_group_that_cannot_be_read_stays_classic() -> None:
    """Spec 13.12: before anything else happens."""
    world = Consumers(policy("bidirectional"), foo=2)
    waiting = world.join()
    assert world.consume("new", "foo").error == errors.GROUP_ID_NOT_FOUND
    assert waiting.waiting


def test_a_group_that_is_too_large_stays_classic() -> None:
    world = Consumers(policy("bidirectional", max_size=1), foo=2)
    classic_group(world, {"foo": (0,)}, {"foo": (1,)})
    assert world.consume("new", "foo").error == errors.GROUP_ID_NOT_FOUND


def test_T233_whoever_waits_in_the_classic_group_is_told_to_join_again() -> None:
    world = Consumers(policy("bidirectional"), foo=2)
    first, _ = classic_group(world, {"foo": (0,)}, {"foo": (1,)})
    parked = world.join(first, protocols=wants("foo", "bar"))
    assert world.state() is PREPARING_REBALANCE
    assert world.consume("new", "foo").error == 0
    assert parked.reply.error == REBALANCING


def test_T233_a_parked_sync_is_told_to_join_again() -> None:
    world = Consumers(policy("bidirectional"), foo=2)
    joins = [world.join(protocols=wants("foo")) for _ in range(2)]
    world.advance(world.timers["join", "g"] - world.now_ms)
    follower = joins[1].reply.member_id
    parked = world.sync(follower, 1)
    assert world.state() is GroupState.COMPLETING_REBALANCE
    world.consume("new", "foo")
    assert parked.reply.error == REBALANCING


def test_T234_a_new_classic_member_is_answered_without_waiting() -> None:
    world = Consumers(policy("bidirectional"), foo=2)
    world.consume("new", "foo")
    given = world.join(protocols=wants("foo"), known=True).reply
    assert (given.error, len(given.member_id)) == (errors.MEMBER_ID_REQUIRED, 22)
    joined = world.join(given.member_id, protocols=wants("foo"), known=True).reply
    assert (joined.error, joined.generation, joined.protocol_type, joined.protocol_name) == (0, 3, "consumer", "range")
    assert (joined.leader, joined.members) == ("", ())
    assert synced(world, given.member_id, 3) == {}
    world.obey("new")
    world.obey("new")
    assert world.heartbeat(given.member_id, 3).reply.error == REBALANCING, "what it waits for is free now"
    assert rejoin(world, given.member_id) == 3
    assert len(synced(world, given.member_id, 3)["foo"]) == 1


def test_a_protocol_that_the_classic_members_do_not_share_is_refused() -> None:
    world = Consumers(policy("bidirectional"), foo=2)
    world.consume("new", "foo")
    world.join("m", protocols=wants("foo"))
    sticky = (("sticky", wants("foo")[0][1]),)
    assert world.join("n", protocols=sticky).reply.error == errors.INCONSISTENT_GROUP_PROTOCOL
    assert world.join("n", protocols=wants("foo"), type_="connect").reply.error == errors.INCONSISTENT_GROUP_PROTOCOL


def test_T235_a_classic_member_that_does_not_join_in_time_is_fenced() -> None:
    world = Consumers(policy("upgrade"), foo=2)
    world.consume("new", "foo")
    world.join("m", protocols=wants("foo"), rebalance=5_000, session=60_000)
    synced(world, "m", 3)
    world.consume("other", "foo")
    assert world.heartbeat("m", 3).reply.error == REBALANCING
    world.advance(3_000)
    assert world.heartbeat("m", 3).reply.error == REBALANCING
    assert world.remaining("join", "g", "m") == 2_000, "the time runs from when it is told first"
    world.advance(2_000)
    assert "m" not in world.consumers.members


def test_T235_a_classic_member_that_does_not_sync_in_time_is_fenced() -> None:
    world = Consumers(policy("upgrade"), foo=2)
    world.consume("new", "foo")
    world.join("m", protocols=wants("foo"), rebalance=5_000, session=60_000)
    world.advance(5_000)
    assert list(world.consumers.members) == ["new"]


def test_T236_the_last_consumer_leaves_a_classic_group_behind() -> None:
    world = Consumers(policy("bidirectional"), foo=2)
    world.consume("new", "foo")
    world.join("m", protocols=wants("foo"))
    world.obey("new")
    epoch, _ = world.epochs()
    world.appended.clear()
    assert world.quit("new").member_epoch == -1
    assert [type(record) for record in world.appended[0]] == [
        *[CurrentErased] * 2,
        *[TargetErased] * 2,
        TargetEpochErased,
        *[MemberErased] * 2,
        TopicsErased,
        EpochErased,
        GroupStored,
    ]
    assert world.shard.consumer_groups == {}
    assert (world.state(), world.group.generation, world.group.leader) == (PREPARING_REBALANCE, epoch, "m")
    assert world.heartbeat("m", epoch).reply.error == REBALANCING
    joined = world.join("m", protocols=wants("foo")).reply
    assert (joined.error, joined.leader, joined.generation) == (0, "m", epoch + 1)


def test_T236_without_the_policy_it_stays_a_consumer_group() -> None:
    world = Consumers(policy("upgrade"), foo=2)
    world.consume("new", "foo")
    world.join("m", protocols=wants("foo"))
    world.quit("new")
    assert world.consumers.state() is ConsumerGroupState.ASSIGNING
    assert list(world.consumers.members) == ["m"]


def test_without_migration_no_classic_member_may_join() -> None:
    """Spec 7.9, policy `disabled`."""
    world = Consumers(policy("disabled"), foo=2)
    world.consume("new", "foo")
    refused = world.join("m", protocols=wants("foo")).reply
    assert (refused.error, refused.member_id) == (errors.INCONSISTENT_GROUP_PROTOCOL, "")
    assert list(world.consumers.members) == ["new"]


def test_a_classic_member_in_the_place_of_the_last_consumer_leaves_a_classic_group_at_once() -> None:
    """Spec 7.8: nobody has to rebalance, the newcomer has the partitions of the one before."""
    world = Consumers(policy("bidirectional"), foo=2)
    world.consume("new", "foo", instance="i")
    joined = world.join("", instance="i", protocols=wants("foo")).reply
    assert (joined.error, joined.generation, joined.leader) == (0, 2, "")
    assert world.shard.consumer_groups == {}
    assert (world.state(), world.group.generation, list(world.group.members)) == (
        GroupState.STABLE,
        2,
        [joined.member_id],
    )
    assert synced(world, joined.member_id, 2) == {"foo": (0, 1)}
    assert world.heartbeat(joined.member_id, 2).reply.error == 0
    heir = world.restart()
    assert list(heir.group.members) == [joined.member_id]


def test_it_rebalances_at_once_if_it_wants_other_topics() -> None:
    world = Consumers(policy("bidirectional"), foo=2, bar=1)
    world.consume("new", "foo", instance="i")
    joined = world.join("", instance="i", protocols=wants("bar")).reply
    assert (joined.error, joined.generation) == (0, 0)
    assert (world.state(), world.group.generation) == (PREPARING_REBALANCE, 2)


def test_without_the_policy_it_joins_the_consumer_group() -> None:
    world = Consumers(policy("upgrade"), foo=2)
    world.consume("new", "foo", instance="i")
    joined = world.join("", instance="i", protocols=wants("foo")).reply
    assert list(world.consumers.members) == [joined.member_id]


def test_an_expired_consumer_leaves_a_classic_group_behind_too() -> None:
    world = Consumers(policy("bidirectional"), foo=2)
    world.consume("new", "foo")
    world.join("m", protocols=wants("foo"), session=100_000)
    synced(world, "m", 3)
    world.advance(45_000)
    assert world.shard.consumer_groups == {}
    assert list(world.group.members) == ["m"]
    heir = world.restart()
    assert list(heir.group.members) == ["m"]


def test_a_downgrade_that_is_lost_has_changed_nothing() -> None:
    world = Consumers(policy("bidirectional"), foo=2)
    world.consume("new", "foo")
    world.join("m", protocols=wants("foo"))
    world.hold()
    world.leave("new")
    world.fail(errors.NOT_ENOUGH_REPLICAS)
    assert list(world.consumers.members) == ["new", "m"]
    assert world.shard.groups == {}


def test_an_upgrade_that_is_lost_leaves_the_classic_group() -> None:
    world = Consumers(policy("bidirectional"), foo=2)
    (old,) = classic_group(world, {"foo": (0, 1)})
    world.hold()
    world.joining("new", "foo")
    world.fail(errors.NOT_ENOUGH_REPLICAS)
    assert world.heartbeat(old, 1).reply.error == 0
    assert world.shard.consumer_groups == {}


def test_a_static_classic_member_is_replaced_by_one_of_the_new_protocol() -> None:
    world = Consumers(policy("bidirectional"), foo=2)
    world.consume("new", "foo")
    world.join(instance="i", protocols=wants("foo"))
    old = world.consumers.static_members["i"]
    reply = world.consume("fresh", "foo", instance="i")
    assert (reply.error, world.consumers.static_members) == (0, {"i": "fresh"})
    assert world.heartbeat(old, 3, instance="i").reply.error == errors.FENCED_INSTANCE_ID
    assert world.member("fresh").subscription.classic is None


def test_commits_of_classic_members_go_by_their_generation() -> None:
    world = Consumers(policy("bidirectional"), foo=2)
    world.consume("new", "foo")
    world.join("m", protocols=wants("foo"))
    assert world.commit(1, member_id="m", generation=3, topic="foo").reply.errors == [0]
    assert world.commit(1, member_id="m", generation=2, topic="foo").reply.errors == [errors.ILLEGAL_GENERATION]


@pytest.mark.parametrize(
    ("member_id", "instance", "generation", "code"),
    [
        ("m", None, 3, 0),
        ("m", None, 2, errors.ILLEGAL_GENERATION),
        ("x", None, 3, errors.UNKNOWN_MEMBER_ID),
        ("new", None, 3, errors.UNKNOWN_MEMBER_ID),
        ("m", "i", 3, errors.UNKNOWN_MEMBER_ID),
    ],
)
def test_a_classic_heartbeat_is_of_a_classic_member_at_its_epoch(
    member_id: str, instance: str | None, generation: int, code: int
) -> None:
    world = Consumers(policy("bidirectional"), foo=2)
    world.consume("new", "foo")
    world.join("m", protocols=wants("foo"))
    assert world.heartbeat(member_id, generation, instance=instance).reply.error == code
    assert world.sync(member_id, generation, {}, instance=instance, name="range").reply.error == code
