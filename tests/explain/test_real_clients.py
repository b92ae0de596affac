"""What real clients did is explained as what it was: a join, a goodbye, a kill, a stall, a topic that grew, a static restart.

The broker's clock stands still unless the test moves it, so durations are exact.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from aiokafka.admin import AIOKafkaAdminClient, NewPartitions

from muster.testing import Broker
from muster.testing.group_views import GroupView
from tests.explain.scene import aiokafka_member, confluent_member, explained, killable, owned, told

SESSION_MS = 10_000


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(topics={"orders": 4}, frozen=True) as running:
        yield running


def waiting(view: GroupView) -> set[str]:
    """Clients whose JoinGroup waits for the others."""
    return {member.client_id for member in view.members if member.waits_for == "JoinGroup"}


def test_join_and_goodbye_of_aiokafka(broker: Broker) -> None:
    async def story() -> None:
        group = broker.group("g")
        async with aiokafka_member(broker, "anna"):
            await group.wait_async("Stable", members=1)
            async with aiokafka_member(broker, "boris"):
                await group.wait_async("Stable", members=2)
                broker.clock.advance(seconds=5)
            await group.wait_async("Stable", members=1)

    asyncio.run(asyncio.wait_for(story(), 60))
    explanation = explained(broker)
    first, join, goodbye = explanation.shown[:3]
    assert [each.why.cause for each in (first, join, goodbye)] == ["first_member", "new_member", "member_left"]
    assert told(explanation, join)["why"] == "boris on 127.0.0.1 joined."
    assert told(explanation, goodbye)["why"] == "boris on 127.0.0.1 left."
    assert goodbye.began_ms - join.began_ms == 5_000
    assert join.slowest is None  # the clock stood still: nobody was waited for
    assert len(owned(join)["boris"]) == 2
    assert owned(goodbye)["anna"] >= owned(join)["boris"]
    assert explanation.summary.unowned_ms == 0


def test_join_that_somebody_is_waited_for(broker: Broker) -> None:
    """anna does not poll until the clock has moved: she hears of it late."""
    group = broker.group("g")
    with confluent_member(broker, "anna") as anna:
        group.wait("Stable", members=1)
        anna.pause()
        with confluent_member(broker, "boris"):
            group.wait("PreparingRebalance", members=2)
            broker.clock.advance(seconds=7, keep_connected=True)
            anna.resume()
            group.wait("Stable", members=2)
            explanation = explained(broker)
    join = explanation.shown[1]
    assert (join.why.cause, join.join_ms, join.took_ms) == ("new_member", 7_000, 7_000)
    assert "All had joined after 7 s. The last to join was anna, after 7 s." in told(explanation, join)["waited"]
    assert all(gap.length_ms == 0 for gap in join.gaps)  # she read on until she joined


def test_kill(broker: Broker) -> None:
    """SIGKILL: the coordinator hears nothing more, and gives up when the session is over."""
    group = broker.group("g")
    with confluent_member(broker, "stays"):
        group.wait("Stable", members=1)
        with killable(broker, "dies") as process:
            group.wait("Stable", members=2)
            process.kill()
            process.wait()
            broker.clock.advance(ms=SESSION_MS + 500, keep_connected=True)
            group.wait("Stable", members=1)
            explanation = explained(broker)
    death = explanation.shown[-1]
    assert death.why.cause == "session_expired"
    assert told(explanation, death)["why"].startswith(
        "dies on 127.0.0.1 sent no heartbeat for 10 s, its session timeout"
    )
    assert death.join_ms == 500
    lost = {gap.partition[1]: gap.length_ms for gap in death.gaps}
    assert len(owned(death)["stays"]) == 2
    assert {lost[partition] for partition in owned(death)["stays"]} == {SESSION_MS + 500}
    assert {lost[partition[1]] for partition in death.stayed} == {0}


def test_stall(broker: Broker) -> None:
    """It keeps sending heartbeats but does not join again: everybody waits for the whole rebalance timeout."""
    group = broker.group("g")
    with ExitStack() as members:
        members.enter_context(confluent_member(broker, "anna"))
        group.wait("Stable", members=1)
        stan = members.enter_context(confluent_member(broker, "stan"))
        group.wait("Stable", members=2)
        stan.pause()
        members.enter_context(confluent_member(broker, "carla"))
        group.wait(where=lambda view: len(view.members) == 3 and waiting(view) == {"anna", "carla"})
        broker.clock.advance(seconds=300, keep_connected=True)
        group.wait("Stable", members=2)
        explanation = explained(broker)
        stan.resume()
    stall = next(each for each in explanation.shown if each.never_came)
    assert (stall.why.cause, stall.join_ms) == ("new_member", 300_000)
    assert [gone.who.client_id for gone in stall.never_came] == ["stan"]
    assert "Everybody waited 5 min for stan on 127.0.0.1" in told(explanation, stall)["waited"]
    (advice,) = (each for each in explanation.advice if each.rule == "shorter_rebalance_timeout")
    assert "up to 5 min, for members that never came: stan" in advice.evidence


def test_topic_that_grew(broker: Broker) -> None:
    async def story() -> None:
        broker.clock.thaw()  # a fetch that waits for the clock would keep the news of the topic behind it
        group = broker.group("g")
        async with aiokafka_member(broker, "anna", metadata_max_age_ms=200):
            await group.wait_async("Stable", members=1)
            admin = AIOKafkaAdminClient(bootstrap_servers=broker.bootstrap_servers)
            await admin.start()
            await admin.create_partitions({"orders": NewPartitions(6)})
            await admin.close()
            await group.wait_async("Stable", generation=2, where=lambda view: len(view.members[0].assignment) == 6)
            explanation = explained(broker)
            growth = explanation.shown[-1]
            assert (
                told(explanation, growth)["why"]
                == "Topic orders grew from 4 to 6 partitions; anna on 127.0.0.1 noticed."
            )
            assert owned(growth) == {"anna": {4, 5}}
            assert len(growth.stayed) == 4

    asyncio.run(asyncio.wait_for(story(), 60))


def test_static_restart(broker: Broker) -> None:
    """KIP-345: back within its session under the same instance id, it keeps its partitions and nobody else notices."""
    group = broker.group("g")
    with confluent_member(broker, "anna"):
        group.wait("Stable", members=1)
        with confluent_member(broker, "stella", group_instance_id="s1"):
            before = group.wait("Stable", members=2)
        broker.clock.advance(seconds=4, keep_connected=True)
        with confluent_member(broker, "stella", group_instance_id="s1"):
            old = {member.member_id for member in before.members}
            group.wait("Stable", where=lambda view: any(member.member_id not in old for member in view.members))
            explanation = explained(broker)
    assert [each.why.cause for each in explanation.shown] == ["first_member", "new_member"]
    (quiet,) = explanation.quiet
    assert (quiet.kind, quiet.at_ms - explanation.shown[-1].began_ms) == ("static_restart", 4_000)
    assert quiet.who is not None
    assert quiet.who.instance_id == "s1"
    assert explanation.advice == []


def test_cooperative_rebalance_takes_two_rounds_and_only_what_moves_stands_still(broker: Broker) -> None:
    """KIP-429."""
    group = broker.group("g")
    cooperative = {"partition_assignment_strategy": "cooperative-sticky"}
    with confluent_member(broker, "anna", **cooperative):
        group.wait("Stable", members=1)
        with confluent_member(broker, "boris", **cooperative):
            group.wait("Stable", where=lambda view: [len(m.assignment) for m in view.members] == [2, 2])
            explanation = explained(broker)
    taken, handed = explanation.shown[1:3]
    assert (taken.why.cause, handed.why.cause) == ("new_member", "cooperative_round")
    assert len([move for move in taken.moves or () if move.target is None]) == 2
    assert (len(owned(handed)["boris"]), len(handed.stayed)) == (2, 2)
    assert {gap.partition[1] for gap in handed.gaps} == owned(handed)["boris"]
    assert "second round of the cooperative rebalance" in told(explanation, handed)["why"].lower()
