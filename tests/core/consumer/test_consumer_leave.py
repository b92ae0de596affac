"""Leaving, expiring, and static members that come back (spec 7.7, 15.1)."""

from __future__ import annotations

from muster.core.config import GroupConfig
from muster.core.consumer.replies import ConsumerHeartbeatReply
from muster.core.consumer.requests import ConsumerHeartbeat
from muster.core.consumer.states import UNREVOKED, ConsumerGroupState
from muster.wire import errors
from tests.core.consumer.consumer_world import Consumers, Named, by_id, shown


def pair() -> Consumers:
    """Members `a` and `b` with one partition each."""
    world = Consumers(foo=2)
    world.consume("a", "foo")
    world.consume("b", "foo")
    world.settle_down("a", "b")
    return world


def test_T224_a_member_leaves_and_the_others_get_its_partitions_with_their_next_heartbeat() -> None:
    world = pair()
    epoch, _ = world.epochs()
    assert world.quit("a") == ConsumerHeartbeatReply(0, None, "a", -1, 0)
    assert world.epochs() == (epoch + 1, epoch)
    assert world.consumers.state() is ConsumerGroupState.ASSIGNING
    assert world.consumers.targets.keys() == {"b"}
    reply = world.beat("b")
    assert (reply.member_epoch, shown(reply)) == (epoch + 1, {"foo": (0, 1)})


def test_leaving_twice_is_an_unknown_member() -> None:
    world = pair()
    world.quit("a")
    gone = world.quit("a")
    assert gone == ConsumerHeartbeatReply(errors.UNKNOWN_MEMBER_ID, "Member a is not a member of group g.")


def test_leaving_an_unknown_or_a_classic_group_is_told_so() -> None:
    world = Consumers()
    assert world.quit("a") == ConsumerHeartbeatReply(errors.GROUP_ID_NOT_FOUND, "Group g not found.")
    world.stable(None)
    assert world.quit("a") == ConsumerHeartbeatReply(errors.GROUP_ID_NOT_FOUND, "Group g is not a consumer group.")


def test_the_last_member_leaves_an_empty_group_behind() -> None:
    world = Consumers(foo=1)
    world.consume("a", "foo")
    world.quit("a")
    assert world.epochs() == (3, 2)
    assert world.consumers.state() is ConsumerGroupState.EMPTY
    assert (world.consumers.owners, world.consumers.targets, world.consumers.metadata_hash) == ({}, {}, 0)
    assert world.timers.keys() == {("expire",)}


def test_a_silent_member_is_taken_out_when_its_session_ends() -> None:
    world = pair()
    world.advance(44_999)
    world.beat("b")
    world.advance(1)
    assert list(world.consumers.members) == ["b"]
    assert world.shard.counters.expired_members == 1
    assert shown(world.beat("b")) == {"foo": (0, 1)}


def test_T225_a_static_member_returns_under_a_new_id_to_the_same_partitions() -> None:
    world = Consumers(foo=2)
    world.consume("a", "foo", instance="i")
    world.consume("b", "foo")
    world.settle_down("a", "b")
    epochs = world.epochs()
    assert world.quit("a", instance="i", for_good=False) == ConsumerHeartbeatReply(0, None, "a", -2, 0)
    assert world.consumers.state() is ConsumerGroupState.RECONCILING
    assert world.told().members[0].member_epoch == -2
    assert shown(world.obey("b")) is None, "nobody gets what it has"
    reply = world.consume("a2", "foo", instance="i")
    assert (reply.error, reply.member_id, shown(reply)) == (0, "a2", {"foo": (0,)})
    assert world.epochs() == epochs
    assert world.beat("a", 2, instance="i").error == errors.FENCED_INSTANCE_ID
    assert ("session", "g", "a") not in world.timers


def test_a_static_member_may_return_under_its_own_id() -> None:
    world = Consumers(foo=1)
    world.consume("a", "foo", instance="i")
    world.quit("a", instance="i", for_good=False)
    assert shown(world.consume("a", "foo", instance="i")) == {"foo": (0,)}
    assert world.consumers.static_members == {"i": "a"}


def test_a_static_member_that_does_not_return_is_fenced() -> None:
    world = Consumers(foo=1)
    world.consume("a", "foo", instance="i")
    world.quit("a", instance="i", for_good=False)
    world.advance(45_000)
    assert world.consumers.members == {}
    assert world.consumers.static_members == {}


def test_T226_an_instance_that_is_present_keeps_others_out_until_its_session_ends() -> None:
    world = Consumers(foo=1)
    world.consume("a", "foo", instance="i")
    for member_id in ("b", "a"):
        refused = world.consume(member_id, "foo", instance="i")
        assert refused.error == errors.UNRELEASED_INSTANCE_ID
    world.advance(45_000)
    assert world.consume("b", "foo", instance="i").error == 0


def test_a_static_member_may_do_without_its_instance_id() -> None:
    """Spec 15.1, static members."""
    world = Consumers(foo=1)
    world.consume("a", "foo", instance="i")
    assert world.beat("a").error == 0
    assert world.consumers.static_members == {"i": "a"}
    assert world.quit("a").error == 0
    assert world.consumers.static_members == {}


def test_a_replacement_finds_no_room_in_a_full_group() -> None:
    """Spec 15.1, group size."""
    world = Consumers(GroupConfig(consumer_max_size=1), foo=1)
    world.consume("a", "foo", instance="i")
    world.quit("a", instance="i", for_good=False)
    assert world.consume("b", "foo", instance="i").error == errors.GROUP_MAX_SIZE_REACHED


def test_an_administrator_takes_members_out_by_id_and_by_instance() -> None:
    """Spec 7.9, LeaveGroup: one new epoch for all of them."""
    world = Consumers(foo=2)
    world.consume("a", "foo", instance="i")
    world.consume("b", "foo")
    epoch, _ = world.epochs()
    leave = world.leave(("", "i"), ("b", None), ("c", None), ("", "other"), ("x", "i")).reply
    unknown, fenced = errors.UNKNOWN_MEMBER_ID, errors.FENCED_INSTANCE_ID
    assert leave.error == 0
    assert [error for _, _, error in leave.members] == [0, 0, unknown, unknown, fenced]
    assert world.consumers.epoch == epoch + 1
    assert world.consumers.members == {}
    assert world.beat("b", 3).error == errors.UNKNOWN_MEMBER_ID


def test_a_member_whose_removal_could_not_be_stored_is_removed_when_its_next_session_is_over() -> None:
    """Found by `muster sim --consumers --seed 3`: its timer had ended, so it stayed for ever with what it had."""
    world = Consumers(foo=2)
    world.consume("a", "foo")
    world.consume("b", "foo")
    world.hold()
    world.advance(45_000)
    world.fail(errors.NOT_ENOUGH_REPLICAS)
    world.release()
    assert list(world.consumers.members) == ["a", "b"]
    world.advance(45_000)
    assert list(world.consumers.members) == []


def test_a_leave_that_could_not_be_stored_leaves_the_member_its_session() -> None:
    world = Consumers(foo=2)
    world.consume("a", "foo")
    world.hold()
    leaving = world.send(leave_of("a"))
    world.fail(errors.NOT_ENOUGH_REPLICAS)
    world.release()
    assert leaving.reply.error != errors.NONE
    assert list(world.consumers.members) == ["a"]
    world.advance(45_000)
    assert list(world.consumers.members) == []


def test_a_member_whose_acknowledgement_could_not_be_stored_has_its_time_again_to_give_partitions_up() -> None:
    """The timer of the revocation was ended when the acknowledgement came; the member is still in UNREVOKED_PARTITIONS."""
    world = Consumers(foo=2)
    world.consume("a", "foo")
    world.consume("b", "foo")
    world.beat("a")
    assert world.member("a").current.state is UNREVOKED
    kept = world.assigned("a")
    world.hold()
    world.send(heartbeat_of("a", world.member("a").current.epoch, kept))
    world.fail(errors.NOT_ENOUGH_REPLICAS)
    world.release()
    assert world.member("a").current.state is UNREVOKED
    for _ in range(4):
        world.advance(15_000)
        for member_id in ("a", "b"):
            if member_id in world.consumers.members:
                world.beat(member_id)
    assert list(world.consumers.members) == ["b"]


def leave_of(member_id: str) -> ConsumerHeartbeat:
    return heartbeat_of(member_id, -1, None)


def heartbeat_of(member_id: str, epoch: int, owned: Named | None) -> ConsumerHeartbeat:
    has = None if owned is None else by_id(owned)
    return ConsumerHeartbeat("g", member_id, epoch, None, None, -1, None, None, None, has, "client", "/127.0.0.1", True)
