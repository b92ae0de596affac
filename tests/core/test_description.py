"""A kept description knows by itself when it is no longer true, also where nobody thought of throwing it away."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from muster.core.classic.describe import describe_group
from muster.core.classic.group import Group
from muster.core.classic.member import Member
from muster.core.classic.states import COMPLETING_REBALANCE, STABLE
from muster.core.replies import DescribeReply
from muster.core.requests import DescribeGroup


def member(member_id: str) -> Member:
    made = Member(
        "g", member_id, None, "client", "/127.0.0.1", 10_000, 10_000, (("range", b"says"), ("other", b"else"))
    )
    made.assignment = b"has"
    return made


def formed() -> Group:
    group = Group("g", 0, STABLE)
    group.protocol_type, group.protocol_name = "consumer", "range"
    group.members = {"a": member("a"), "b": member("b")}
    return group


def describe(group: Group) -> DescribeReply:
    return describe_group({"g": group}, DescribeGroup("g"))


def assign(group: Group) -> None:
    group.members["b"].assignment = b"has more"


def subscribe(group: Group) -> None:
    group.members["b"].protocols = (("range", b"says more"),)


def replace(group: Group) -> None:
    """Somebody else under the same id."""
    newcomer = member("b")
    newcomer.client_id = "another"
    newcomer.protocols, newcomer.assignment = group.members["b"].protocols, group.members["b"].assignment
    group.members["b"] = newcomer


def swap_order(group: Group) -> None:
    group.members = dict(reversed(group.members.items()))


def add(group: Group) -> None:
    group.members["c"] = member("c")


def remove(group: Group) -> None:
    del group.members["b"]


def choose(group: Group) -> None:
    group.protocol_name = "other"


def change_type(group: Group) -> None:
    group.protocol_type = "connect"


def change_state(group: Group) -> None:
    group.state = COMPLETING_REBALANCE


CHANGES = [assign, subscribe, replace, swap_order, add, remove, choose, change_type, change_state]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_change_is_seen_by_the_next_reader_and_not_by_those_before(change: Callable[[Group], None]) -> None:
    group = formed()
    before = describe(group)
    shown = repr(before)
    assert describe(group) is before
    change(group)
    after = describe(group)
    group.described = None
    assert after == describe(group)
    assert after != before
    assert repr(before) == shown
