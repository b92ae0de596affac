"""What readers see of consumer groups, and what classic requests to them are answered (spec 3.13, 7.9, 7.10)."""

from __future__ import annotations

import pytest

from muster.core.assignors.member_spec import MemberSpec
from muster.core.assignors.server_range import assign_ranges
from muster.core.consumer.records import Subscription
from muster.core.consumer.replies import ConsumerDescribeReply
from muster.core.consumer.target import preferred_assignor
from muster.core.replies import ListedGroup
from muster.wire import errors
from tests.core.consumer.consumer_world import Consumers, named, shown


def test_a_description_shows_epochs_and_assignments() -> None:
    world = Consumers(foo=2)
    world.consume("a", "foo")
    world.consume("b", "foo", assignor="range")
    told = world.told()
    assert (told.error, told.state, told.group_epoch, told.target_epoch, told.assignor) == (
        0,
        "Reconciling",
        3,
        3,
        "range",
    )
    assert [(each.member_id, each.member_epoch) for each in told.members] == [("a", 2), ("b", 3)]
    assert [(named(each.assigned), named(each.target)) for each in told.members] == [
        ({"foo": (0, 1)}, {"foo": (0,)}),
        ({}, {"foo": (1,)}),
    ]
    assert list(told.topic_names.values()) == ["foo"]


def test_a_description_shows_what_a_member_has_yet_to_give_up_as_its_own() -> None:
    """Spec 15.1, seen on 4.3.1."""
    world = Consumers(foo=2)
    world.consume("a", "foo")
    world.consume("b", "foo")
    assert shown(world.beat("a")) == {"foo": (0,)}
    assert named(world.told().members[0].assigned) == {"foo": (0, 1)}
    world.obey("a")
    assert named(world.told().members[0].assigned) == {"foo": (0,)}


def test_only_what_is_durable_is_shown() -> None:
    world = Consumers(foo=2)
    world.hold()
    world.joining("a", "foo")
    assert world.told() == ConsumerDescribeReply(errors.GROUP_ID_NOT_FOUND, "g", "Group g not found.")
    world.release()
    assert world.told().state == "Stable"


def test_topics_that_are_gone_are_not_named() -> None:
    world = Consumers(foo=1, bar=1)
    world.consume("a", "foo", "bar")
    world.topics.delete("foo")
    assert list(world.told().topic_names.values()) == ["bar"]


def test_T237_a_classic_group_is_no_consumer_group_and_the_other_way_round() -> None:
    world = Consumers(foo=1)
    world.stable(None)
    assert world.told() == ConsumerDescribeReply(errors.GROUP_ID_NOT_FOUND, "g", "Group g is not a consumer group.")
    world.joining("a", "foo", group="h")
    described = world.describe("h")
    assert (described.error, described.state, described.is_of_other_type) == (errors.GROUP_ID_NOT_FOUND, "Dead", True)


@pytest.mark.parametrize(
    ("states", "types", "listed"),
    [
        ((), (), ["h", "g"]),
        ((), ("Consumer",), ["h"]),
        ((), ("classic",), ["g"]),
        (("STABLE",), (), ["h", "g"]),
        (("assigning",), (), []),
    ],
)
def test_lists_show_both_kinds(states: tuple[str, ...], types: tuple[str, ...], listed: list[str]) -> None:
    world = Consumers(foo=1)
    world.stable(None)
    world.joining("a", "foo", group="h")
    groups = world.list_groups(states, types).groups
    assert [group.group_id for group in groups] == listed
    if "h" in listed:
        assert groups[0] == ListedGroup("h", "consumer", "Stable", "consumer")


def test_a_join_to_a_classic_group_with_members_finds_no_group() -> None:
    world = Consumers(foo=1)
    world.stable(None)
    refused = world.consume("a", "foo")
    problem = "Cannot upgrade classic group g to consumer group because the embedded consumer protocol is malformed."
    assert (refused.error, refused.message) == (errors.GROUP_ID_NOT_FOUND, problem)


def test_classic_requests_to_a_group_with_consumers_are_refused() -> None:
    world = Consumers(foo=1)
    world.consume("a", "foo")
    assert world.join().reply.error == errors.INCONSISTENT_GROUP_PROTOCOL
    assert world.heartbeat("a", 2).reply.error == errors.UNKNOWN_MEMBER_ID
    assert world.sync("a", 2).reply.error == errors.UNKNOWN_MEMBER_ID
    assert world.consumers.members.keys() == {"a"}


@pytest.mark.parametrize(
    ("votes", "winner"),
    [
        (["uniform", "uniform", "range"], "uniform"),
        (["range", "range", "uniform"], "range"),
        (["range", "uniform"], "uniform"),
        ([None, "range"], "range"),
        ([None], "uniform"),
        (["gone", "gone", "range"], "range"),
        ([], "uniform"),
    ],
)
def test_T227_the_assignor_with_the_most_votes_is_used(votes: list[str | None], winner: str) -> None:
    members = {str(index): Subscription(server_assignor=vote) for index, vote in enumerate(votes)}
    assert preferred_assignor(members, ("uniform", "range")) == winner


def test_T229_static_members_keep_their_ranges_under_new_ids() -> None:
    topic = bytes(16)
    wants = frozenset({topic})
    before = assign_ranges([MemberSpec("x", "I0", None, wants, {}), MemberSpec("b", "I1", None, wants, {})], {topic: 3})
    after = assign_ranges([MemberSpec("a", "I1", None, wants, {}), MemberSpec("z", "I0", None, wants, {})], {topic: 3})
    assert (before["x"], before["b"]) == (after["z"], after["a"]) == ({topic: (0, 1)}, {topic: (2,)})


def test_the_members_own_choice_of_assignor_decides_who_gets_what() -> None:
    world = Consumers(foo=2, bar=2)
    world.consume("b", "foo", "bar", assignor="range")
    reply = world.consume("a", "foo", "bar", assignor="range")
    assert shown(reply) == {}
    world.settle_down("a", "b")
    assert world.assigned("a") == {"bar": (0,), "foo": (0,)}
