"""What real members of a consumer group (KIP-848) did is explained as what it was: a join, a goodbye, a kill, a stall, a fence.

confluent-kafka with `group.protocol=consumer`. The broker's clock stands still unless the test moves it, so durations are exact.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from muster.testing import Broker
from muster.testing.group_views import GroupView
from tests.explain.scene import explained, killable_new_member, new_member, owned, told

SESSION_MS = 45_000


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(topics={"orders": 4}, frozen=True) as running:
        yield running


def revoking(view: GroupView) -> set[str]:
    return {member.client_id for member in view.members if member.revoking}


def test_join_and_goodbye(broker: Broker) -> None:
    group = broker.group("g")
    with new_member(broker, "anna"):
        group.wait("Stable", members=1)
        with new_member(broker, "boris"):
            view = group.wait("Stable", members=2, where=lambda view: view.generation == view.target_epoch)
            assert {len(member.assignment) for member in view.members} == {2}
            assert all(member.assignment == member.target and not member.revoking for member in view.members)
            assert {member.epoch for member in view.members} == {view.generation}
            broker.clock.advance(seconds=5, keep_connected=True)
        group.wait("Stable", members=1)
        explanation = explained(broker)
    first, join, goodbye = explanation.shown[:3]
    assert [each.why.cause for each in (first, join, goodbye)] == ["first_member", "new_member", "member_left"]
    assert told(explanation, join)["why"] == "boris on 127.0.0.1 joined."
    assert told(explanation, goodbye)["why"] == "boris on 127.0.0.1 left."
    assert goodbye.began_ms - join.began_ms == 5_000
    assert len(owned(join)["boris"]) == 2
    assert owned(goodbye)["anna"] == owned(join)["boris"]
    assert [each.who.client_id for each in join.revocations] == ["anna"]


def test_kill(broker: Broker) -> None:
    group = broker.group("g")
    with new_member(broker, "stays"):
        group.wait("Stable", members=1)
        with killable_new_member(broker, "dies") as process:
            group.wait("Stable", members=2)
            process.kill()
            process.wait()
            broker.clock.advance(ms=SESSION_MS, keep_connected=True)
            group.wait("Stable", members=1)
            explanation = explained(broker)
    death = explanation.shown[-1]
    assert death.why.cause == "session_expired"
    assert told(explanation, death)["why"].startswith(
        "dies on 127.0.0.1 sent no heartbeat for 45 s, its session timeout"
    )
    assert len(owned(death)["stays"]) == 2
    assert {gap.length_ms for gap in death.gaps} == {SESSION_MS}


def test_stall(broker: Broker) -> None:
    """Its heartbeats go on but its application does not poll, so it gives nothing up and is expelled in the end."""
    group = broker.group("g")
    with new_member(broker, "stan", max_poll_interval_ms=300_000) as stan:
        group.wait("Stable", members=1)
        stan.pause()
        with new_member(broker, "carla"):
            view = group.wait("Reconciling", members=2, where=lambda view: revoking(view) == {"stan"})
            (held,) = [member.revoking for member in view.members if member.revoking]
            assert len(held) == 2
            broker.clock.advance(seconds=60, keep_connected=True)
            running = explained(broker).shown[-1]
            assert [(each.who.client_id, set(each.partitions)) for each in running.pending] == [("stan", set(held))]
            broker.clock.advance(seconds=240, keep_connected=True)
            group.wait("Stable", members=1)
            explanation = explained(broker)
            stan.resume()
    stall = next(each for each in explanation.shown if each.revocations)
    (missed,) = stall.revocations
    assert (missed.is_missed, missed.waited_ms(0), missed.rebalance_timeout_ms) == (True, 300_000, 300_000)
    assert "The others waited 5 min for stan on 127.0.0.1: it did not give up" in told(explanation, stall)["waited"]
    (advice,) = (each for each in explanation.advice if each.rule == "give_up_sooner")
    assert "stan kept others waiting once, for up to 5 min and was expelled for it once" in advice.evidence


def test_slow_revocation_is_named_with_its_length(broker: Broker) -> None:
    group = broker.group("g")
    with new_member(broker, "anna") as anna:
        group.wait("Stable", members=1)
        anna.pause()
        with new_member(broker, "boris"):
            group.wait(where=lambda view: revoking(view) == {"anna"})
            broker.clock.advance(seconds=12, keep_connected=True)
            anna.resume()
            group.wait("Stable", members=2)
            explanation = explained(broker)
    join = explanation.shown[1]
    assert "anna took 12 s to give up orders" in told(explanation, join)["waited"]
    assert "anna kept others waiting once, for up to 12 s" in next(
        each.evidence for each in explanation.advice if each.rule == "give_up_sooner"
    )


def test_expression_without_a_topic_is_explained(broker: Broker) -> None:
    group = broker.group("g")
    with new_member(broker, "anna", "^nothing.*"):
        group.wait(members=1, where=lambda view: any(e.kind == "regex_resolved" for e in broker.kit.journal("g")))
        explanation = explained(broker)
    assert "(^nothing.*) matches no topic." in next(
        each.evidence for each in explanation.advice if each.rule == "empty_expression"
    )
