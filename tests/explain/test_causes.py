"""Causes between two generations, as sets of participants."""

from __future__ import annotations

from itertools import product

import pytest

from muster.explain.causes import CONFIDENCE, Participant, inferred_cause


def member(
    name: str, *numbers: int, host: str = "/h", topics: tuple[str, ...] | None = ("t",), client: str = "app"
) -> Participant:
    read = None if topics is None else frozenset(topics)
    owned = frozenset(("t", number) for number in numbers)
    return Participant(name, f"{name}-id", client, host, 10_000, read, owned)


def members(*those: Participant) -> dict[str, Participant]:
    return {one.identity: one for one in those}


A, B = member("a", 0), member("b", 1)


@pytest.mark.parametrize(
    ("before", "after", "cause", "trigger"),
    [
        ((), (A,), "first_member", "a-id"),
        ((), (A, B), "first_member", None),
        ((A,), (A, B), "new_member", "b-id"),
        ((A,), (A, B, member("c")), "new_member", None),
        ((A, B), (A,), "left_or_expired", "b-id"),
        ((A, B), (), "left_or_expired", None),
        ((A, B), (A, member("c")), "restart", "c-id"),
        ((A, B), (member("c"), member("d")), "restart", None),
        ((A, B), (A, member("c", host="/other")), "members_changed", None),
        ((A, B), (A, member("c", client="other")), "members_changed", None),
        ((A, B), (member("c"),), "members_changed", None),
        ((A,), (member("a", 0, topics=("t", "u")),), "subscription_changed", "a-id"),
        ((A, B), (member("a", 0, topics=("u",)), member("b", 1, topics=("u",))), "subscription_changed", None),
        ((member("a", 0, 1),), (member("a", 0, 1, 2),), "partitions_grew", None),
        ((A,), (member("a", 0, 1, topics=("t", "u")),), "partitions_grew", None),
        ((A,), (A,), "leader_rejoined", None),
        ((A,), (member("a", 0, topics=None),), "leader_rejoined", None),
    ],
)
def test_cause_by_what_changed(
    before: tuple[Participant, ...], after: tuple[Participant, ...], cause: str, trigger: str | None
) -> None:
    found = inferred_cause(members(*before), members(*after))
    assert (found.cause, found.trigger and found.trigger.member_id) == (cause, trigger)
    assert found.confidence == CONFIDENCE[cause]


def test_empty_group_with_another_generation_had_members_that_nobody_saw() -> None:
    """A generation needs members; these were gone before they had an assignment."""
    assert inferred_cause({}, {}).cause == "members_changed"


def test_what_was_before_may_not_be_known() -> None:
    found = inferred_cause(None, members(A))
    assert (found.cause, found.trigger, found.confidence) == ("unknown", None, 0)


def test_partition_that_a_cooperative_round_held_back_is_no_growth() -> None:
    before, after = members(member("a", 0, 3), member("b")), members(member("a", 0, 3), member("b", 1, 2))
    assert inferred_cause(before, after).cause == "leader_rejoined"


def test_figures_say_what_grew_and_what_is_read_now() -> None:
    grown = inferred_cause(members(member("a", 0, 1)), members(member("a", 0, 1, 2, 3)))
    assert grown.figures == {"topics": {"t": [2, 4]}}
    after = members(member("a", 0, topics=("u",)), member("b", 1, topics=("t", "v")))
    assert inferred_cause(members(A, B), after).figures == {"added": ["u", "v"], "dropped": ["t"]}


def test_every_change_of_three_members_has_one_cause_with_confidence_below_one() -> None:
    names = ("a", "b", "c")
    for before, after in product(product((False, True), repeat=3), repeat=2):
        old = members(*(member(name, index) for index, name in enumerate(names) if before[index]))
        new = members(*(member(name, index) for index, name in enumerate(names) if after[index]))
        assert 0 < inferred_cause(old, new).confidence < 1
