"""The test kit and consumer groups (KIP-848), with confluent-kafka's `group.protocol=consumer`: what a test can see and do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from muster.testing import Broker
from muster.testing.group_views import GroupView, MemberView
from tests.explain.scene import new_member
from tests.testing.confluent_members import consumer


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(topics={"orders": 4}, frozen=True) as running:
        yield running


def member(view: GroupView, name: str) -> MemberView:
    return next(each for each in view.members if each.client_id == name)


def settled(view: GroupView) -> bool:
    return all(each.assignment == each.target for each in view.members)


def gives_up(view: GroupView) -> bool:
    return any(each.revoking for each in view.members)


def test_view_shows_epochs_targets_and_what_each_member_has(broker: Broker) -> None:
    with new_member(broker, "anna"):
        view = broker.group("g").wait("Stable", members=1)
        assert (view.type, view.protocol_type, view.protocol) == ("consumer", "consumer", "uniform")
        assert view.generation == view.target_epoch == 2
        assert str(view) == "g is Stable, epoch 2, target epoch 2, 1 member: anna"
        (anna,) = view.members
        everything = tuple(("orders", number) for number in range(4))
        assert (anna.epoch, anna.assignment, anna.target, anna.revoking) == (2, everything, everything, ())
        assert (anna.is_connected, anna.session_timeout_ms) == (True, 45_000)
        assert [each.group_id for each in broker.groups()] == ["g"]
        assert view.to_json()["target_epoch"] == 2


def test_expired_member_is_gone_and_the_others_get_its_partitions(broker: Broker) -> None:
    group = broker.group("g")
    with new_member(broker, "anna"), new_member(broker, "boris") as boris:
        group.wait("Stable", members=2, where=settled)
        boris.pause()
        gone = group.expire("boris")
        group.wait(where=lambda view: gone not in [each.member_id for each in view.members])
        assert "boris" in group.explain()
        assert "was expelled (no heartbeat within the session timeout)" in group.explain()
        boris.resume()


def test_fenced_member_gives_all_up_and_joins_anew(broker: Broker) -> None:
    group = broker.group("g")
    with new_member(broker, "anna"):
        group.wait("Stable", members=1)
        before = broker.clock.now_ms()
        fault = group.fence("anna")
        assert "is answered FENCED_MEMBER_EPOCH" in str(fault)
        group.wait("Stable", members=1, where=lambda _: fault.uses == 1)
        events = [event for event in group.journal() if event.kind == "member_fenced"]
        assert [(event.cause, event.client_id, event.at_ms) for event in events] == [("forced", "anna", before)]
        assert "anna" in group.explain()


def test_revocation_that_is_held_back_keeps_the_others_waiting_until_the_fault_is_removed(broker: Broker) -> None:
    group = broker.group("g")
    with new_member(broker, "anna"):
        group.wait("Stable", members=1)
        with broker.faults.hold_revocation("g", "anna") as fault, new_member(broker, "boris"):
            view = group.wait("Reconciling", members=2, where=gives_up)
            anna, boris = member(view, "anna"), member(view, "boris")
            assert anna.revoking == boris.target
            assert anna.revoking_since_ms == broker.clock.now_ms()
            assert boris.assignment == ()
            broker.clock.advance(seconds=20, keep_connected=True)
            assert member(group.wait(where=lambda _: fault.uses > 0), "boris").assignment == ()
            fault.remove()
            view = group.wait("Stable", members=2)
            assert member(view, "boris").assignment == boris.target
    done = next(event for event in group.journal() if event.kind == "revocation_completed")
    assert done.detail["waited_ms"] == 20_000
    assert "gave up orders" in group.explain()
    assert "after 20000 ms" in group.explain()


def test_revocation_that_is_held_back_for_the_whole_rebalance_timeout_gets_the_member_expelled(broker: Broker) -> None:
    group = broker.group("g")
    with new_member(broker, "anna"):
        group.wait("Stable", members=1)
        with broker.faults.hold_revocation("g"), new_member(broker, "boris"):
            group.wait("Reconciling", members=2, where=gives_up)
            broker.clock.advance(seconds=300, keep_connected=True)
            causes = [event.cause for event in group.journal() if event.kind == "member_expelled"]
            assert causes == ["revocation_missed"]


def test_dead_member_expires_when_the_clock_moves_and_the_connected_stay(broker: Broker) -> None:
    group = broker.group("g")
    with new_member(broker, "anna"):
        group.wait("Stable", members=1)
        broker.clock.advance(minutes=10, keep_connected=True)
        assert [each.client_id for each in group.members()] == ["anna"]
        assert "member_expelled" not in [event.kind for event in group.journal()]


def test_coordinator_that_moves_keeps_the_members(broker: Broker) -> None:
    group = broker.group("g")
    with new_member(broker, "anna"):
        epoch = group.wait("Stable", members=1).generation
        before = group.explain()
        group.move_coordinator()
        view = group.wait("Stable", members=1)
        assert (view.generation, view.type) == (epoch, "consumer")
        assert now_line(group.explain()) == now_line(before) == f"Stable, epoch {epoch}: anna"
        assert "Dead" not in group.explain()


def now_line(told: str) -> str:
    (line,) = (line for line in told.splitlines() if line.strip().startswith("now "))
    return line.strip().removeprefix("now").strip()


def test_what_makes_no_sense_is_refused_with_a_reason(broker: Broker) -> None:
    group = broker.group("g")
    with pytest.raises(ValueError, match="'g' is no consumer group"):
        broker.faults.hold_revocation("g")
    with pytest.raises(ValueError, match="'g' is no consumer group"):
        group.fence("anna")
    with new_member(broker, "anna"):
        group.wait("Stable", members=1)
        with pytest.raises(ValueError, match=r"no member of group 'g' called 'nobody'; there are: .*client id anna"):
            group.expire("nobody")
        with pytest.raises(ValueError, match="it has no join phase; expire or fence a member"):
            group.force_rebalance()
        with pytest.raises(ValueError, match="no member of group 'g' called 'nobody'"):
            broker.faults.hold_revocation("g", "nobody")


def test_classic_group_is_shown_as_before(broker: Broker) -> None:
    with consumer(broker, "one"):
        view = broker.group("g").wait("Stable", members=1)
        assert (view.type, view.target_epoch, view.members[0].epoch) == ("classic", None, None)
