"""OffsetFetch: what is committed, in the request's own order (spec 4.4, 11.12)."""

from __future__ import annotations

import pytest

from muster.core.classic.states import COMPLETING_REBALANCE, DEAD, EMPTY, PREPARING_REBALANCE, STABLE, GroupState
from muster.core.records import GroupErased, OffsetCommitted
from tests.core.offsets.desk import NOW, Desk, commit, group_of, is_simple, offset

MISSING = (-1, -1, "", 0)


def two_topics() -> Desk:
    desk = Desk()
    desk.commit(commit(offset("b", 1, 11), offset("b", 0, 10, "note", epoch=3), offset("a", 0, 20)))
    return desk


def test_an_unknown_group_has_committed_nothing() -> None:
    """T171: never GROUP_ID_NOT_FOUND."""
    assert Desk().fetch([("foo", [0, 1])]) == [("foo", [(0, *MISSING), (1, *MISSING)])]
    assert Desk().fetch(None) == []


def test_partitions_without_an_offset_are_minus_one_in_a_known_group() -> None:
    assert two_topics().fetch([("b", [0, 7]), ("c", [0])]) == [
        ("b", [(0, 10, 3, "note", 0), (7, *MISSING)]),
        ("c", [(0, *MISSING)]),
    ]


def test_all_mode_lists_topics_in_the_order_of_first_commits_and_partitions_by_number() -> None:
    assert two_topics().fetch(None) == [
        ("b", [(0, 10, 3, "note", 0), (1, 11, -1, "", 0)]),
        ("a", [(0, 20, -1, "", 0)]),
    ]


def test_an_empty_topic_list_is_not_all() -> None:
    """T177a."""
    assert two_topics().fetch([]) == []


def test_explicit_mode_mirrors_the_request() -> None:
    """T177a: order, repeats, and topics without partitions."""
    answer = two_topics().fetch([("a", []), ("b", [1, 1]), ("a", [0]), ("b", [1])])
    assert answer == [
        ("a", []),
        ("b", [(1, 11, -1, "", 0), (1, 11, -1, "", 0)]),
        ("a", [(0, 20, -1, "", 0)]),
        ("b", [(1, 11, -1, "", 0)]),
    ]


@pytest.mark.parametrize("state", [EMPTY, PREPARING_REBALANCE, COMPLETING_REBALANCE, STABLE])
@pytest.mark.parametrize("stable", [False, True])
def test_every_state_of_the_group_answers(state: GroupState, stable: bool) -> None:
    desk = two_topics()
    desk.put(group_of("m1", state=state))
    assert desk.fetch([("a", [0])], stable=stable) == [("a", [(0, 20, -1, "", 0)])]


def test_a_dead_group_has_committed_nothing() -> None:
    desk = two_topics()
    desk.put(group_of(state=DEAD))
    assert desk.fetch([("a", [0])]) == [("a", [(0, *MISSING)])]
    assert desk.fetch(None) == []


def test_offsets_that_outlived_their_group_show_again_with_its_next_commit() -> None:
    """Spec 5.7, observed on 4.3.1: a group tombstone alone leaves the offsets."""
    desk = two_topics()
    desk.replay(GroupErased("grp"))
    assert desk.fetch(None) == []
    desk.commit(commit(offset("c", 0, 30)))
    assert [topic for topic, _ in desk.fetch(None)] == ["b", "a", "c"]


def test_offsets_before_any_group_record_make_a_simple_group() -> None:
    """T209, the classic half."""
    desk = Desk()
    desk.replay(OffsetCommitted("grp", "foo", 0, 5, -1, "", NOW))
    assert is_simple(desk.groups["grp"])
    assert desk.fetch(None) == [("foo", [(0, 5, -1, "", 0)])]
