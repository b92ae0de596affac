"""Offsets of consumer groups: member epochs in commits and fetches, OffsetDelete, expiry (spec 4.1, 4.4, 4.6, 4.7, 15.1)."""

from __future__ import annotations

from typing import cast

import pytest

from muster.core.config import GroupConfig
from muster.core.replies import FetchReply, OffsetDeleteReply
from muster.core.requests import OffsetCommit, OffsetDelete, OffsetFetch
from muster.wire import errors
from tests.core.commit_entries import by_topic
from tests.core.consumer.consumer_world import Consumers
from tests.core.world import World

STALE, UNKNOWN = errors.STALE_MEMBER_EPOCH, errors.UNKNOWN_MEMBER_ID


def group_of_two() -> Consumers:
    """`a` has foo-0 since epoch 2, `b` has foo-1 since epoch 3, and both are at epoch 3."""
    world = Consumers(foo=2)
    world.consume("a", "foo")
    world.consume("b", "foo")
    world.settle_down("a", "b")
    assert (world.assigned("a"), world.assigned("b")) == ({"foo": (0,)}, {"foo": (1,)})
    return world


def commit(world: World, member_id: str, epoch: int, *partitions: int, knows_epochs: bool = True) -> list[int]:
    entries = by_topic([("foo", partition, 5, -1, "", None) for partition in partitions])
    request = OffsetCommit("g", epoch, member_id, None, None, entries, knows_epochs)
    return world.ask(request).reply.errors  # type: ignore[attr-defined,no-any-return]


@pytest.mark.parametrize(
    ("member_id", "epoch", "partitions", "codes"),
    [
        ("a", 3, (0,), [0]),
        ("a", 3, (0, 1), [0, 0]),
        ("a", 2, (0,), [0]),
        ("a", 2, (0, 1), [STALE, STALE]),
        ("b", 2, (1,), [STALE]),
        ("a", 4, (0,), [STALE]),
        ("a", 1, (0,), [STALE]),
        ("a", -1, (0,), [STALE]),
        ("x", 3, (0,), [UNKNOWN]),
        ("", -1, (0,), [UNKNOWN]),
    ],
)
def test_a_commit_counts_at_the_epoch_of_its_member_or_since_its_partitions_were_given(
    member_id: str, epoch: int, partitions: tuple[int, ...], codes: list[int]
) -> None:
    assert commit(group_of_two(), member_id, epoch, *partitions) == codes


def test_a_member_may_commit_for_what_it_has_yet_to_give_up() -> None:
    world = Consumers(foo=2)
    world.consume("a", "foo")
    world.consume("b", "foo")
    world.beat("a")
    assert commit(world, "a", 2, 0, 1) == [0, 0]


def test_a_member_needs_version_9_to_commit() -> None:
    assert commit(group_of_two(), "a", 3, 0, knows_epochs=False) == [errors.UNSUPPORTED_VERSION]


def test_a_static_member_that_is_away_commits_with_its_epoch() -> None:
    world = Consumers(foo=1)
    world.consume("a", "foo", instance="i")
    world.quit("a", instance="i", for_good=False)
    assert commit(world, "a", -2, 0) == [0]


def test_a_commit_of_nobody_is_taken_by_an_empty_group() -> None:
    world = Consumers(foo=1)
    world.consume("a", "foo")
    world.quit("a")
    assert commit(world, "", -1, 0) == [0]
    assert commit(world, "x", 3, 0) == [UNKNOWN]


def test_a_commit_does_not_keep_a_session_alive() -> None:
    world = group_of_two()
    world.advance(10_000)
    commit(world, "a", 3, 0)
    assert world.remaining("session", "g", "a") == 35_000


@pytest.mark.parametrize(
    ("member_id", "epoch", "code"),
    [("a", 3, 0), ("", -1, 0), ("a", 1, errors.ILLEGAL_GENERATION), ("x", 3, UNKNOWN)],
)
def test_a_transactional_commit_at_a_wrong_epoch_is_an_illegal_generation(
    member_id: str, epoch: int, code: int
) -> None:
    world = group_of_two()
    assert world.txn_commit(1, member_id=member_id, generation=epoch, topic="foo").reply.errors == [code]


@pytest.mark.parametrize(
    ("member_id", "epoch", "code"),
    [
        (None, -1, 0),
        ("a", 3, 0),
        ("a", 2, STALE),
        ("x", 3, UNKNOWN),
        ("", -1, UNKNOWN),
        (None, 0, errors.UNKNOWN_SERVER_ERROR),
    ],
)
def test_a_fetch_of_a_member_needs_its_exact_epoch(member_id: str | None, epoch: int, code: int) -> None:
    """Spec 4.4."""
    world = group_of_two()
    commit(world, "a", 3, 0)
    reply = cast(FetchReply, world.ask(OffsetFetch("g", None, False, member_id=member_id, member_epoch=epoch)).reply)
    assert reply.error == code
    assert len(reply.listed()) == (code == 0)


def test_offsets_of_subscribed_topics_are_not_deleted() -> None:
    world = group_of_two()
    commit(world, "a", 3, 0)
    deleted = cast(OffsetDeleteReply, world.ask(OffsetDelete("g", [("foo", 0), ("other", 0)])).reply)
    assert deleted.errors == (errors.GROUP_SUBSCRIBED_TO_TOPIC, 0)
    world.quit("a")
    world.quit("b")
    deleted = cast(OffsetDeleteReply, world.ask(OffsetDelete("g", [("foo", 0)])).reply)
    assert deleted.errors == (0,)
    assert world.fetched(topic="foo") == (-1, 0)


def test_offsets_age_from_their_commit_and_subscribed_topics_are_kept() -> None:
    """Spec 4.7."""
    config = GroupConfig(
        offsets_retention_ms=100_000, offsets_retention_check_interval_ms=10_000, consumer_session_timeout_ms=1_000_000
    )
    world = Consumers(config, foo=1)
    world.consume("a", "foo")
    commit(world, "a", 2, 0)
    world.commit(1, member_id="a", generation=2, topic="other")
    world.advance(100_000)
    assert world.fetched(topic="foo") == (5, 0)
    assert world.fetched(topic="other") == (-1, 0)
    world.quit("a")
    world.advance(10_000)
    assert world.shard.consumer_groups == {}
    assert world.fetched(topic="foo") == (-1, 0)


def test_a_group_that_a_member_is_joining_does_not_expire_under_it() -> None:
    world = Consumers(GroupConfig(offsets_retention_check_interval_ms=10_000), foo=1)
    world.consume("a", "foo")
    world.quit("a")
    world.hold()
    call = world.joining("b", "foo")
    world.advance(10_000)
    world.release()
    assert call.reply.error == 0
    assert list(world.consumers.members) == ["b"]
