"""Movement between two generations, as sets and without Spark."""

from __future__ import annotations

from muster.pipeline.tables.movement import movement


def owned(*numbers: int) -> frozenset[tuple[str, int]]:
    return frozenset(("t", number) for number in numbers)


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
