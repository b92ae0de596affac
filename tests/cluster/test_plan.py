"""The plan of who leads what: even, few moves, the same answer to the same question."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from muster.cluster.plan import Slot, plan_leaders

OFFSETS = "__consumer_offsets"


def slots(topic: str, count: int, owner: int | None = None) -> dict[Slot, int | None]:
    return {Slot(topic, index): owner for index in range(count)}


def after(owners: dict[Slot, int | None], moves: dict[Slot, int]) -> dict[Slot, int | None]:
    return {**owners, **moves}


def test_a_fresh_topic_is_spread_over_all_nodes() -> None:
    moves = plan_leaders(slots("t", 6), [1, 2, 3])
    assert Counter(moves.values()) == {1: 2, 2: 2, 3: 2}
    assert [moves[Slot("t", index)] for index in range(3)] == [1, 2, 3]


def test_nothing_moves_when_nothing_changed() -> None:
    owners = after(slots("t", 7), plan_leaders(slots("t", 7), [1, 2, 3]))
    assert plan_leaders(owners, [3, 2, 1]) == {}


def test_a_dead_node_s_partitions_go_to_the_others_and_no_others_move() -> None:
    owners = after(slots("t", 9), plan_leaders(slots("t", 9), [1, 2, 3]))
    moves = plan_leaders(owners, [1, 3])
    assert set(moves) == {slot for slot, owner in owners.items() if owner == 2}
    assert sorted(Counter(after(owners, moves).values()).values()) == [4, 5]


def test_a_newcomer_gets_its_share_and_nobody_else_gets_anything() -> None:
    owners = after(slots("t", 9), plan_leaders(slots("t", 9), [1, 2]))
    moves = plan_leaders(owners, [1, 2, 3])
    assert set(moves.values()) == {3}
    assert len(moves) == 3


def test_the_coordinator_s_partitions_are_spread_for_themselves() -> None:
    """Two nodes: one leads all of a user's topic; the groups are still shared."""
    owners = {**slots("t", 4, owner=1), **slots(OFFSETS, 4)}
    moves = plan_leaders(owners, [1, 2])
    coordinators = Counter(moves[Slot(OFFSETS, index)] for index in range(4))
    assert coordinators == {1: 2, 2: 2}


def test_the_journal_of_a_group_is_led_by_its_coordinator() -> None:
    owners = {**slots(OFFSETS, 4), **slots("__group_journal", 5, owner=1)}
    planned = after(owners, plan_leaders(owners, [1, 2]))
    assert all(planned[Slot("__group_journal", index)] == planned[Slot(OFFSETS, index)] for index in range(4))
    assert planned[Slot("__group_journal", 4)] == 1, "one that follows nobody is spread like any other"


def test_without_nodes_nobody_leads() -> None:
    assert plan_leaders(slots("t", 3), []) == {}


@given(
    st.dictionaries(
        st.builds(Slot, st.sampled_from(["a", "b", OFFSETS]), st.integers(0, 40)),
        st.none() | st.integers(0, 8),
        max_size=80,
    ),
    st.sets(st.integers(0, 8), min_size=1, max_size=6),
)
def test_every_plan_is_even_complete_and_as_small_as_it_can_be(owners: dict[Slot, int | None], nodes: set[int]) -> None:
    moves = plan_leaders(owners, nodes)
    planned = after(owners, moves)
    for internal in (True, False):
        of_class = [slot for slot in owners if (slot.topic == OFFSETS) == internal]
        loads = Counter(dict.fromkeys(nodes, 0))
        loads.update(owner for slot in of_class if (owner := planned[slot]) is not None)
        assert set(loads) == nodes, "whoever leads is alive"
        assert sum(loads.values()) == len(of_class), "every partition is led"
        assert max(loads.values()) - min(loads.values()) <= 1
        before = Counter(owner for slot in of_class if (owner := owners[slot]) in nodes)
        share, extra = divmod(len(of_class), len(nodes))
        largest_first = sorted((before[node] for node in nodes), reverse=True)
        may_stay = sum(min(led, share + (rank < extra)) for rank, led in enumerate(largest_first))
        assert len([slot for slot in of_class if slot in moves]) == len(of_class) - may_stay
    assert all(owners[slot] != owner for slot, owner in moves.items()), "a move is to somebody else"
