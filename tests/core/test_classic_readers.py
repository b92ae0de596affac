"""DescribeGroups, ListGroups and DeleteGroups (spec 3.13 to 3.15; scenarios 11.9)."""

from __future__ import annotations

import pytest

from muster.core.classic.counters import Counters
from muster.core.classic.membership import remove_member
from muster.core.classic.outcome_builder import OutcomeBuilder
from muster.core.config import GroupConfig
from muster.core.records import GroupErased, OffsetErased
from muster.core.replies import DescribedMember, DescribeReply, FetchReply, ListedGroup
from muster.wire import errors
from tests.core.world import World

METADATA = b"range metadata"
HOST = "/127.0.0.1"


def test_unknown_group_is_described_as_dead() -> None:
    """T133: the handler makes NONE of the error below v6."""
    assert World().describe() == DescribeReply(errors.GROUP_ID_NOT_FOUND, "g", "Dead")


def test_group_is_not_there_before_its_first_record_is_durable() -> None:
    """Spec 3.13: readers see committed groups."""
    world = World()
    world.hold()
    world.join()
    assert world.describe().state == "Dead"
    assert world.list_groups().groups == ()
    world.release()
    assert world.describe().state == "PreparingRebalance"
    assert len(world.list_groups().groups) == 1


def test_stable_group_is_described_with_all_it_has() -> None:
    """T134, T137."""
    world = World()
    a, b = world.stable(None, "two")
    assert world.describe() == DescribeReply(
        errors.NONE,
        "g",
        "Stable",
        "consumer",
        "range",
        (
            DescribedMember(a, None, "client", HOST, METADATA, b"\0"),
            DescribedMember(b, "two", "client", HOST, METADATA, b"\1"),
        ),
    )


def test_the_same_description_is_given_again_as_long_as_nothing_changes() -> None:
    world = World()
    a, _ = world.stable(None, "two")
    first = world.describe()
    world.heartbeat(a, 1)
    world.commit(5)
    assert world.describe() is first


def test_a_description_goes_when_a_member_goes_or_is_put_under_another_id() -> None:
    """What readers were shown is not kept longer than the members it shows."""
    world = World()
    a, b = world.stable(None, "two")
    before = world.describe()
    heir = world.join("", instance="two").reply.member_id
    assert [member.member_id for member in world.describe().members] == [a, heir]
    assert [member.member_id for member in before.members] == [a, b], "it is not changed in place"
    group = world.shard.groups["g"]
    assert group.described is not None
    remove_member(group, group.members[a], OutcomeBuilder(GroupConfig(), Counters(), str, world.now_ms))
    assert group.described is None


def test_rebalancing_group_hides_metadata_but_shows_old_assignments() -> None:
    """T134 and spec 13.7: in both phases; a newcomer has none, pending ids are not shown."""
    world = World()
    (a,) = world.stable(None)
    newcomer = world.join()
    world.join(known=True)
    described = world.describe()
    assert (described.state, described.protocol_name) == ("PreparingRebalance", "")
    assert [(member.metadata, member.assignment) for member in described.members] == [(b"", b"\0"), (b"", b"")]
    world.join(a)
    world.advance(10_000)
    assert newcomer.reply.generation == 2
    described = world.describe()
    assert (described.state, described.protocol_name) == ("CompletingRebalance", "")
    assert [member.assignment for member in described.members] == [b"\0", b""]


def test_interrupted_sync_phase_forgets_old_assignments() -> None:
    """Spec 3.5 step 1."""
    world = World()
    (a,) = world.stable(None)
    world.join(a)
    world.join()
    assert [member.assignment for member in world.describe().members] == [b"", b""]


def test_empty_group_keeps_its_protocol_type() -> None:
    """Spec 3.1."""
    world = World()
    (a,) = world.stable(None)
    world.leave(a)
    assert world.describe() == DescribeReply(errors.NONE, "g", "Empty", "consumer")


def several_groups() -> World:
    world = World()
    world.join(group="stable")
    world.advance(3_000)
    (member_id,) = world.shard.groups["stable"].members
    world.sync(member_id, 1, group="stable")
    world.commit(group="simple")
    world.join(group="joining")
    world.join(group="pending", known=True)
    return world


@pytest.mark.parametrize(
    ("states", "types", "listed"),
    [
        ((), (), ["stable", "simple", "joining", "pending"]),
        (("stable", " EMPTY "), (), ["stable", "simple", "pending"]),
        (("PreparingRebalance",), (), ["joining"]),
        (("foo",), (), []),
        (("",), (), []),
        ((), ("Classic",), ["stable", "simple", "joining", "pending"]),
        ((), ("Consumer",), []),
        ((), ("x",), []),
        ((), ("",), []),
        ((), (" classic ",), []),
        (("stable",), ("classic", "x"), ["stable"]),
        (("stable",), ("consumer",), []),
    ],
)
def test_filters_match_as_in_kafka(states: tuple[str, ...], types: tuple[str, ...], listed: list[str]) -> None:
    """T138, T139: states are trimmed, types are not; a list of unknown names is not "no filter"."""
    reply = several_groups().list_groups(states, types)
    assert reply.error == errors.NONE
    assert [group.group_id for group in reply.groups] == listed


def test_groups_are_listed_with_type_and_state() -> None:
    """T141 and spec 3.14: simple groups, and those with nothing but a pending id, have no protocol type."""
    listed = {group.group_id: group for group in several_groups().list_groups().groups}
    assert listed["stable"] == ListedGroup("stable", "consumer", "Stable", "classic")
    assert listed["simple"] == ListedGroup("simple", "", "Empty", "classic")
    assert listed["pending"] == ListedGroup("pending", "", "Empty", "classic")
    assert listed["joining"] == ListedGroup("joining", "consumer", "PreparingRebalance", "classic")


def test_only_empty_groups_can_be_deleted() -> None:
    """T143: repeats are the handler's business."""
    world = several_groups()
    errors_ = [world.delete(group).reply.error for group in ("stable", "simple", "unknown", "joining")]
    assert errors_ == [errors.NON_EMPTY_GROUP, errors.NONE, errors.GROUP_ID_NOT_FOUND, errors.NON_EMPTY_GROUP]


def test_deleted_group_is_gone_with_its_offsets() -> None:
    """T145 and spec 5.6: offset tombstones first, the group's own last, one batch; gone when they are durable."""
    world = World()
    world.commit(5)
    world.commit(6, topic="u")
    world.hold()
    call = world.delete()
    assert call.waiting
    world.release()
    assert call.reply.error == errors.NONE
    assert world.appended[-1] == [OffsetErased("g", "t", 0), OffsetErased("g", "u", 0), GroupErased("g")]
    assert world.heartbeat("m", 0).reply.error == errors.UNKNOWN_MEMBER_ID
    assert world.fetch() == FetchReply(errors.NONE, [])
    assert world.describe().state == "Dead"
    assert world.delete().reply.error == errors.GROUP_ID_NOT_FOUND
    assert world.journal[-1].kind == "group_removed"


def test_delete_that_cannot_be_stored_leaves_the_group() -> None:
    """Spec 4.3."""
    world = World()
    world.commit(5)
    world.hold()
    call = world.delete()
    world.fail(errors.KAFKA_STORAGE_ERROR)
    assert call.reply.error == errors.NOT_COORDINATOR
    assert world.describe().state == "Empty"
    assert world.fetch().listed() == [("t", [(0, 5, -1, "", errors.NONE)])]


def test_pending_id_does_not_keep_a_group_from_being_deleted() -> None:
    """T146."""
    world = World()
    pending = world.join(known=True).reply.member_id
    assert world.delete().reply.error == errors.NONE
    assert world.join(pending).reply.error == errors.UNKNOWN_MEMBER_ID
    world.advance(20_000)
    assert not world.shard.groups


def test_empty_group_id_can_be_deleted() -> None:
    """Spec 3.15, seen on a running 4.3.1."""
    world = World()
    world.commit(group="")
    assert world.delete("").reply.error == errors.NONE


def test_dead_group_cannot_be_deleted() -> None:
    """Spec 3.15."""
    world = World()
    world.commit()
    world.apply(world.shard.on_unload(world.now_ms))
    assert world.delete().reply.error == errors.GROUP_ID_NOT_FOUND
