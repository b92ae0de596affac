"""OffsetDelete, and what goes with a group or a topic (spec 3.15, 3.16, 4.5, 11.10)."""

from __future__ import annotations

import pytest

from muster.core.classic.states import COMPLETING_REBALANCE, DEAD, PREPARING_REBALANCE, STABLE, GroupState
from muster.core.offsets.commit import commit_offsets
from muster.core.offsets.delete import erase_group
from muster.core.offsets.expire import erase_topics
from muster.core.records import GroupErased, OffsetErased
from muster.core.replies import OffsetDeleteReply
from muster.wire import errors
from tests.core.offsets.desk import NOW, TICKET, Desk, commit, empty_group, group_of, offset

SUBSCRIBED = errors.GROUP_SUBSCRIBED_TO_TOPIC


def desk_with_offsets() -> Desk:
    desk = Desk()
    desk.commit(commit(offset("foo", 0, 1), offset("foo", 1, 2), offset("bar", 0, 3)))
    desk.log.clear()
    return desk


@pytest.mark.parametrize("state", [STABLE, PREPARING_REBALANCE, COMPLETING_REBALANCE])
def test_topics_that_members_subscribe_to_are_refused_others_are_erased(state: GroupState) -> None:
    """T147; the subscriptions count in every state with members (observed on 4.3.1)."""
    desk = desk_with_offsets()
    desk.put(group_of("m1", state=state, topics={"foo"}))
    answer = desk.delete(("foo", 0), ("bar", 0), ("foo", 1))
    assert answer == OffsetDeleteReply(errors.NONE, (SUBSCRIBED, errors.NONE, SUBSCRIBED))
    assert desk.log == [OffsetErased("grp", "bar", 0)]
    assert [topic for topic, _ in desk.fetch(None)] == ["foo"]


@pytest.mark.parametrize("state", [STABLE, PREPARING_REBALANCE, COMPLETING_REBALANCE])
def test_a_group_of_another_type_with_members_is_refused_whole(state: GroupState) -> None:
    """T148."""
    desk = desk_with_offsets()
    desk.put(group_of("m1", state=state, protocol_type="connect", topics=None))
    assert desk.delete(("bar", 0)) == OffsetDeleteReply(errors.NON_EMPTY_GROUP)
    assert not desk.log


@pytest.mark.parametrize("protocol_type", ["consumer", "connect", None])
def test_everything_of_an_empty_group_can_be_erased(protocol_type: str | None) -> None:
    """T149: a partition without an offset is fine too, and writes nothing."""
    desk = desk_with_offsets()
    desk.put(empty_group(protocol_type=protocol_type))
    assert desk.delete(("foo", 0), ("foo", 9), ("baz", 0)) == OffsetDeleteReply(errors.NONE, (0, 0, 0))
    assert desk.log == [OffsetErased("grp", "foo", 0)]


def test_with_unknown_subscriptions_every_topic_counts_as_subscribed() -> None:
    """T150."""
    desk = desk_with_offsets()
    desk.put(group_of("m1", topics=None))
    assert desk.delete(("foo", 0), ("never-heard-of", 0)).errors == (SUBSCRIBED, SUBSCRIBED)


def test_unknown_and_dead_groups_are_not_found() -> None:
    """T151: at the top, so it replaces whatever the handler found out about single partitions."""
    desk = Desk()
    assert desk.delete(("foo", 0)) == OffsetDeleteReply(errors.GROUP_ID_NOT_FOUND)
    desk.put(group_of(state=DEAD))
    assert desk.delete() == OffsetDeleteReply(errors.GROUP_ID_NOT_FOUND)


def test_a_partition_asked_twice_is_answered_twice_and_has_two_tombstones() -> None:
    """Spec 3.16, observed on 4.3.1."""
    desk = desk_with_offsets()
    assert desk.delete(("foo", 0), ("foo", 0)).errors == (0, 0)
    assert desk.log == [OffsetErased("grp", "foo", 0)] * 2
    assert desk.offsets.count == 2


def test_a_simple_group_that_loses_its_last_offset_stays() -> None:
    """Spec 3.16, observed on 4.3.1: until the next expiration run."""
    desk = desk_with_offsets()
    desk.delete(("foo", 0), ("foo", 1), ("bar", 0))
    assert desk.offsets.count == 0
    assert "grp" in desk.groups


def test_a_group_goes_with_its_offsets_first_and_itself_last() -> None:
    """Spec 5.6; T207c: a simple group gets a tombstone too."""
    desk = desk_with_offsets()
    assert erase_group(desk, "grp") == [
        OffsetErased("grp", "foo", 0),
        OffsetErased("grp", "foo", 1),
        OffsetErased("grp", "bar", 0),
        GroupErased("grp"),
    ]
    desk.put(empty_group(group_id="bare"))
    assert erase_group(desk, "bare") == [GroupErased("bare")]


def test_a_deleted_topic_takes_the_offsets_of_all_groups_with_it() -> None:
    """Spec 4.5, T179: also of groups that subscribe to it; the groups stay."""
    desk = desk_with_offsets()
    desk.commit(commit(offset("bar", 2, 4), group="other"))
    desk.put(group_of("m1", topics={"foo", "bar"}))
    desk.log.clear()
    desk.carry_out(erase_topics(desk, ["bar", "unknown", "bar"], NOW), NOW)
    assert desk.log == [OffsetErased("grp", "bar", 0), OffsetErased("other", "bar", 2)]
    assert list(desk.groups) == ["grp", "other"]
    assert desk.fetch(None, "other") == []
    assert [topic for topic, _ in desk.fetch(None)] == ["foo"]


def test_commits_on_their_way_go_with_their_group_or_topic() -> None:
    """They are in the log before the tombstones; unseen they would come back with the group's next commit."""
    desk = desk_with_offsets()
    under_way = commit_offsets(desk, commit(offset("new", 5, 1), offset("foo", 0, 2)), TICKET, NOW)
    assert erase_topics(desk, ["new"], NOW).records == [OffsetErased("grp", "new", 5)]
    tombstones = erase_group(desk, "grp")
    assert tombstones[-2:] == [OffsetErased("grp", "new", 5), GroupErased("grp")]
    assert len(tombstones) == 5
    desk.carry_out(under_way, NOW)
    for record in tombstones:
        desk.replay(record)
    assert desk.offsets.count == 0
    assert not list(desk.offsets.on_the_way())
