"""`muster groups describe | members | watch | explain` of consumer groups (KIP-848): epochs, targets, who holds a group back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from muster.client.groups import GroupDescription, GroupMember
from muster.client.partitions import TopicPartition
from muster.explain.holding_back import holding_back, tell_holding
from muster.testing import Broker
from muster.testing.group_views import GroupView
from tests.cli.command import Told, muster
from tests.explain.scene import new_member

Muster = Callable[..., Told]


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(topics={"orders": 4}, frozen=True) as running:
        yield running


@pytest.fixture
def tell(broker: Broker) -> Muster:
    return lambda *arguments: muster(*arguments, bootstrap=broker.bootstrap_servers)


def gives_up(view: GroupView) -> bool:
    return any(member.revoking for member in view.members)


def test_describe_shows_epochs_and_the_target_of_every_member(broker: Broker, tell: Muster) -> None:
    with new_member(broker, "anna"):
        broker.group("g").wait("Stable", members=1)
        printed = tell("groups", "describe", "g", "--state").done()
        assert printed.table[0][:8] == ["group", "state", "type", "assignor", "members", "epoch", "target", "epoch"]
        assert printed.table[1][:7] == ["g", "Stable", "consumer", "uniform", "1", "2", "2"]
        assert "held back" not in printed.out
        (state,) = tell("groups", "describe", "g", "--json").done().rows
        assert (state["epoch"], state["target_epoch"], state["holding_back"]) == (2, 2, [])
        (member,) = state["members"]
        assert (member["epoch"], member["target"], member["gives_up"]) == (2, {"orders": [0, 1, 2, 3]}, {})
        members = tell("groups", "members", "g").done().table
        assert " ".join(members[0]).endswith("epoch target to give up to get")


def test_member_that_holds_the_group_back_is_named_by_describe_watch_and_explain(broker: Broker, tell: Muster) -> None:
    group = broker.group("g")
    with new_member(broker, "anna"):
        group.wait("Stable", members=1)
        with broker.faults.hold_revocation("g", "anna"), new_member(broker, "boris"):
            view = group.wait("Reconciling", members=2, where=gives_up)
            (held,) = [member.revoking for member in view.members if member.revoking]
            said = f"orders {', '.join(str(number) for _, number in held)}"
            described = tell("groups", "describe", "g").done().out
            assert f"held back: anna on 127.0.0.1 has not given up {said} for boris, since " in described
            assert "until it is expelled" in described
            (state,) = tell("groups", "describe", "g", "--json").done().rows
            first = state["holding_back"][0]
            assert (first["name"], first["keeps"]) == ("anna", {"orders": [number for _, number in held]})
            assert first["until_ms"] - first["since_ms"] == 300_000
            assert first["since_ms"] == broker.clock.now_ms()
            watched = tell("groups", "watch", "g", "--times", "1").done().out
            assert "g: Reconciling, 2 members, epoch 3, target epoch 3" in watched
            assert f"held back: anna on 127.0.0.1 has not given up {said}" in watched
            seen = json.loads(tell("groups", "watch", "g", "--times", "1", "--json").done().out)
            assert (seen["target_epoch"], seen["held_by"][0]["name"]) == (3, "anna")
            explained = tell("groups", "explain", "g").done().out
            assert f"held by   anna on 127.0.0.1 has not given up {said}, since" in explained
            assert "Epoch 3: began" in explained
        group.wait("Stable", members=1)


def described(state: str, *members: GroupMember, target_epoch: int = 5) -> GroupDescription:
    return GroupDescription("g", state, "consumer", "consumer", "uniform", 0, members, 5, target_epoch)


def has(name: str, epoch: int, assigned: tuple[int, ...], target: tuple[int, ...]) -> GroupMember:
    places = [tuple(TopicPartition("t", number) for number in each) for each in (assigned, target)]
    return GroupMember(name, name, "/h", None, ("t",), places[0], places[1], epoch)


def test_description_alone_shows_who_keeps_what_and_who_has_not_heard() -> None:
    """As on any Kafka: no times."""
    group = described("Reconciling", has("a", 4, (0, 1), (0,)), has("b", 5, (), (1,)), has("c", 4, (2,), (2,)))
    keeping, behind = holding_back(group)
    assert tell_holding(keeping, 0) == "a on h has not given up t 1 for b"
    assert tell_holding(behind, 0) == "c on h is at epoch 4 and has not heard of the target yet"


@pytest.mark.parametrize("state", ["Stable", "Empty", "Dead"])
def test_nobody_holds_back_a_group_that_is_not_on_its_way(state: str) -> None:
    assert holding_back(described(state, has("a", 4, (0, 1), (0,)))) == []


def test_classic_group_has_nobody_who_holds_it_back() -> None:
    assert holding_back(GroupDescription("g", "Reconciling", "classic", "consumer", "range", 0)) == []
