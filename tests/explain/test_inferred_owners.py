"""What moved between the epochs of a consumer group, from the records of a Kafka that keeps no journal."""

from __future__ import annotations

from muster.core.consumer.records import (
    ConsumerGroupRecord,
    CurrentAssignment,
    CurrentErased,
    CurrentStored,
    EpochStored,
    MemberErased,
    MemberStored,
    Subscription,
)
from muster.core.consumer.states import MemberState
from muster.explain.facts import Move, Rebalance, Who
from muster.explain.inferred import StoredAt, infer

GROUP = "billing"
ORDERS = b"o" * 16
NAMES = {ORDERS: "orders"}


def _member(name: str, instance_id: str | None = None) -> MemberStored:
    return MemberStored(GROUP, name, Subscription(instance_id, client_id=instance_id or name))


def _has(name: str, epoch: int, given: dict[int, int], revoking: dict[int, int] | None = None) -> CurrentStored:
    """`given`: partition -> the epoch at which it was given."""
    state = MemberState.UNREVOKED_PARTITIONS if revoking else MemberState.STABLE
    held = {ORDERS: given} if given else {}
    return CurrentStored(
        GROUP, name, CurrentAssignment(epoch, epoch - 1, state, held, {ORDERS: revoking} if revoking else None)
    )


def _rebalances(*records: ConsumerGroupRecord, names: dict[bytes, str] | None = NAMES) -> list[Rebalance]:
    return infer([StoredAt(1_000 * at, each) for at, each in enumerate(records)], GROUP, names).rebalances


def _told(moves: list[Move] | None) -> list[tuple[int, str | None, str | None]]:
    assert moves is not None
    return [(move.partition[1], _id(move.source), _id(move.target)) for move in moves]


def _id(who: Who | None) -> str | None:
    return None if who is None else who.member_id


FIRST = (_member("ada"), EpochStored(GROUP, 1), _has("ada", 1, {0: 1, 1: 1}))


def test_the_first_member_is_given_what_nobody_had() -> None:
    (first,) = _rebalances(*FIRST)
    assert _told(first.moves) == [(0, None, "ada"), (1, None, "ada")]


def test_a_partition_goes_from_who_gives_it_up_to_the_newcomer() -> None:
    second = _rebalances(
        *FIRST,
        _member("bob"),
        EpochStored(GROUP, 2),
        _has("bob", 2, {}),
        _has("ada", 1, {0: 1}, revoking={1: 1}),
        _has("ada", 2, {0: 1}),
        _has("bob", 2, {1: 2}),
    )[-1]
    assert _told(second.moves) == [(1, "ada", "bob")]
    assert second.stayed == [("orders", 0)]


def test_what_a_member_leaves_behind_counts_for_the_epoch_after_it() -> None:
    last = _rebalances(
        *FIRST,
        _member("bob"),
        EpochStored(GROUP, 2),
        _has("ada", 2, {0: 1}),
        _has("bob", 2, {1: 2}),
        CurrentErased(GROUP, "bob"),
        MemberErased(GROUP, "bob"),
        EpochStored(GROUP, 3),
        _has("ada", 3, {0: 1, 1: 3}),
    )[-1]
    assert _told(last.moves) == [(1, "bob", "ada")]


def test_a_static_member_that_comes_back_moves_nothing() -> None:
    first, second = _rebalances(
        _member("m1", "static-1"),
        EpochStored(GROUP, 1),
        _has("m1", 1, {0: 1}),
        CurrentErased(GROUP, "m1"),
        MemberErased(GROUP, "m1"),
        _member("m2", "static-1"),
        _has("m2", 1, {0: 1}),
        _member("bob"),
        EpochStored(GROUP, 2),
        _has("m2", 2, {0: 1}),
        _has("bob", 2, {1: 2}),
    )
    assert _told(first.moves) == [(0, None, "m2")]
    assert _told(second.moves) == [(1, None, "bob")]
    assert second.stayed == [("orders", 0)]


def test_what_was_owned_before_the_log_begins_is_no_move() -> None:
    (only,) = _rebalances(EpochStored(GROUP, 7), _has("ada", 7, {0: 3, 1: 7}))
    assert [(number, source) for number, source, _ in _told(only.moves)] == [(1, None)]


def test_without_names_of_topics_nothing_is_said_about_moves() -> None:
    (only,) = _rebalances(*FIRST, names=None)
    assert only.moves is None
