"""The long form has to make everything happen, whatever the seed."""

from __future__ import annotations

from random import Random

from tests.cluster.chaos import Bag

KINDS = ["kill", "freeze", "cut", "stop"]


def test_each_kind_is_drawn_once_before_any_comes_again() -> None:
    bag = Bag(Random(3))
    for _ in range(5):
        assert sorted(bag.draw(KINDS) for _ in KINDS) == sorted(KINDS)
    assert bag.drawn == dict.fromkeys(KINDS, 5)


def test_what_makes_no_sense_at_the_moment_is_drawn_later() -> None:
    bag = Bag(Random(3))
    bag.draw(KINDS)
    later = bag.draw(KINDS)
    bag = Bag(Random(3))
    bag.draw(KINDS)
    now = bag.draw([name for name in KINDS if name != later])
    assert now != later
    assert bag.draw(KINDS) == later
