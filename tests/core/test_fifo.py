"""A fifo does what a deque does."""

from __future__ import annotations

from collections import deque

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from muster.core.fifo import _KEPT_GAPS, Fifo


class Item:
    """Equal to every other one: only the object itself tells it from them."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Item)

    __hash__ = None  # type: ignore[assignment]


def same(ones: list[Item], others: list[Item]) -> bool:
    return [id(each) for each in ones] == [id(each) for each in others]


class FifoAndDeque(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.fifo: Fifo[Item] = Fifo()
        self.deque: deque[Item] = deque()

    @rule(count=st.sampled_from((1, 1, 2, _KEPT_GAPS, _KEPT_GAPS + 1)))
    def append(self, count: int) -> None:
        for _ in range(count):
            item = Item()
            self.fifo.append(item)
            self.deque.append(item)

    @precondition(lambda self: self.deque)
    @rule(share=st.sampled_from((0.0, 0.5, 1.0)))
    def pop(self, share: float) -> None:
        for _ in range(max(1, int(len(self.deque) * share))):
            assert self.fifo.pop() is self.deque.popleft()

    @rule()
    def put_back(self) -> None:
        item = Item()
        self.fifo.put_back(item)
        self.deque.appendleft(item)

    @precondition(lambda self: self.deque)
    @rule(data=st.data())
    def drop(self, data: st.DataObject) -> None:
        index = data.draw(st.integers(0, len(self.deque) - 1))
        self.fifo.drop(self.deque[index])
        del self.deque[index]

    @rule()
    def drop_what_is_not_there(self) -> None:
        self.fifo.drop(Item())

    @rule()
    def clear(self) -> None:
        self.fifo.clear()
        self.deque.clear()

    @invariant()
    def holds_the_same(self) -> None:
        assert len(self.fifo) == len(self.deque)
        assert same(list(self.fifo), list(self.deque))
        if self.deque:
            assert self.fifo.oldest() is self.deque[0]
            assert self.fifo.newest() is self.deque[-1]


FifoAndDeque.TestCase.settings = settings(max_examples=40, stateful_step_count=30)
TestFifoAndDeque = FifoAndDeque.TestCase


@pytest.mark.parametrize("emptied", ["new", "taken out", "dropped", "cleared"])
def test_an_empty_one_has_no_oldest_and_no_newest(emptied: str) -> None:
    fifo: Fifo[str] = Fifo()
    if emptied != "new":
        fifo.append("first")
        fifo.append("second")
        assert fifo.pop() == "first"
    if emptied == "taken out":
        fifo.pop()
    elif emptied == "dropped":
        fifo.drop(fifo.newest())
    elif emptied == "cleared":
        fifo.clear()
    assert not fifo
    for ask in (fifo.oldest, fifo.newest, fifo.pop):
        with pytest.raises(IndexError):
            ask()


def test_what_comes_and_goes_while_looking_through_it_is_not_seen() -> None:
    fifo: Fifo[int] = Fifo()
    for number in range(5):
        fifo.append(number)
    seen = []
    for number in fifo:
        seen.append(number)
        fifo.pop()
        fifo.append(number + 100)
    assert seen == [0, 1, 2, 3, 4]
    assert list(fifo) == [100, 101, 102, 103, 104]


def test_what_was_taken_out_is_not_held_any_more() -> None:
    fifo: Fifo[list[int]] = Fifo()
    for _ in range(3 * _KEPT_GAPS):
        fifo.append([])
    for _ in range(3 * _KEPT_GAPS - 1):
        fifo.pop()
        assert sum(item is None for item in fifo._items) < _KEPT_GAPS
    assert len(fifo) == 1
