"""Movement and causes between two generations, as sets and without Spark."""

from __future__ import annotations

from itertools import product

import pytest

from muster.pipeline.tables.movement import movement
from muster.pipeline.tables.rebalance_causes import Participant, inferred_cause


def owned(*numbers: int) -> frozenset[tuple[str, int]]:
    return frozenset(("t", number) for number in numbers)


def member(name: str, *numbers: int, host: str = "/h", topics: tuple[str, ...] = ("t",)) -> Participant:
    return Participant(name, f"{name}-id", "app", host, 10_000, frozenset(topics), owned(*numbers))


def members(*those: Participant) -> dict[str, Participant]:
    return {one.identity: one for one in those}


def test_swap_of_everything_is_all_excess() -> None:
    before = {"a": owned(0, 1), "b": owned(2, 3)}
    after = {"a": owned(2, 3), "b": owned(0, 1)}
    assert movement(before, after) == (4, 4, 0.0)


def test_partitions_of_a_member_that_went_have_to_move() -> None:
    assert movement({"a": owned(0, 1), "b": owned(2, 3)}, {"a": owned(0, 1, 2, 3)}) == (2, 0, 0.5)


def test_newcomer_takes_its_share_and_no_more() -> None:
    assert movement({"a": owned(0, 1, 2, 3)}, {"a": owned(0, 1), "b": owned(2, 3)}) == (2, 0, 0.5)
    assert movement({"a": owned(0, 1, 2, 3)}, {"a": owned(0), "b": owned(1, 2, 3)}) == (3, 1, 0.25)


def test_nothing_in_common_has_no_stickiness() -> None:
    assert movement({}, {"a": owned(0)}) == (0, 0, None)


def test_partitions_that_are_unassigned_for_a_round_do_not_count() -> None:
    """Cooperative: what moves is unowned in the first generation."""
    assert movement({"a": owned(0, 1)}, {"a": owned(0), "b": owned()}) == (0, 0, 1.0)


@pytest.mark.parametrize(
    ("before", "after", "cause", "trigger"),
    [
        ((member("a"),), (member("a"), member("b")), "new_member", "b-id"),
        ((member("a"),), (member("a"), member("b"), member("c")), "new_member", None),
        ((member("a"), member("b")), (member("a"),), "left_or_expired", "b-id"),
        ((member("a"), member("b")), (member("a"), member("c")), "restart", "c-id"),
        ((member("a"), member("b")), (member("a"), member("c", host="/other")), "members_changed", None),
        ((member("a", 0),), (member("a", 0, topics=("t", "u")),), "metadata_changed", "a-id"),
        ((member("a", 0, 1),), (member("a", 0, 1, 2),), "partitions_grew", None),
        ((member("a", 0),), (member("a", 0),), "leader_rejoined", None),
    ],
)
def test_cause_by_what_changed(
    before: tuple[Participant, ...], after: tuple[Participant, ...], cause: str, trigger: str | None
) -> None:
    found, by, confidence = inferred_cause(members(*before), members(*after))
    assert (found, by) == (cause, trigger)
    assert 0 < confidence < 1


def test_every_change_of_two_members_has_exactly_one_cause_with_confidence_below_one() -> None:
    names = ("a", "b", "c")
    for before, after in product(product((False, True), repeat=3), repeat=2):
        old = members(*(member(name, index) for index, name in enumerate(names) if before[index]))
        new = members(*(member(name, index) for index, name in enumerate(names) if after[index]))
        cause, _, confidence = inferred_cause(old, new)
        assert cause
        assert 0 < confidence < 1
