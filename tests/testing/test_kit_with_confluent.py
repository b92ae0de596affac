"""The kit with confluent-kafka, which is librdkafka: a client that lives in real time and in threads of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from muster.testing import Broker
from tests.testing.confluent_members import PATIENCE_SECONDS, SESSION_SECONDS, consumer, consumer_process


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(topics={"orders": 4}) as running:
        yield running


def test_a_consumer_gets_what_was_produced(broker: Broker) -> None:
    with consumer(broker) as one:
        broker.group("g").wait("Stable", members=1)
        broker.produce("orders", "a", "b", partition=2)
        assert [one.next().value() for _ in range(2)] == [b"a", b"b"]


def test_moving_the_clock_past_the_session_expels_and_the_consumer_joins_again(broker: Broker) -> None:
    with consumer(broker):
        group = broker.group("g")
        before = group.wait("Stable", members=1)
        broker.clock.advance(seconds=SESSION_SECONDS + 1)
        after = group.wait("Stable", members=1, generation=before.generation + 2)
        assert after.members[0].member_id != before.members[0].member_id


def test_a_killed_consumer_expires_and_the_other_takes_its_partitions(broker: Broker) -> None:
    """The clock moves past its session at once; who is still connected keeps its own."""
    with consumer(broker, "stays"), consumer_process(broker, "dies") as process:
        group = broker.group("g")
        before = group.wait("Stable", members=2)
        process.kill()
        process.wait()
        broker.clock.advance(seconds=SESSION_SECONDS + 1, keep_connected=True)
        after = group.wait("Stable", members=1)
        assert after.members[0].member_id in {member.member_id for member in before.members}
        assert after.members[0].assignment == tuple(("orders", index) for index in range(4))
        assert "dies" in group.explain()


def test_a_forced_rebalance_gives_a_new_generation_to_the_same_members(broker: Broker) -> None:
    with consumer(broker, "one"), consumer(broker, "two"):
        group = broker.group("g")
        before = group.wait("Stable", members=2)
        group.force_rebalance()
        after = group.wait("Stable", members=2, generation=before.generation + 1)
        assert {m.member_id for m in after.members} == {m.member_id for m in before.members}


def test_a_commit_whose_reply_is_dropped_is_retried_and_not_lost(broker: Broker) -> None:
    with consumer(broker) as one:
        group = broker.group("g")
        group.wait("Stable", members=1)
        dropped = broker.faults.drop_reply("OffsetCommit", group="g")
        one.commit(1, 7).result(PATIENCE_SECONDS)
        assert dropped.uses == 1
        assert group.offsets() == {("orders", 1): 7}


def test_a_coordinator_that_was_away_is_found_again(broker: Broker) -> None:
    with consumer(broker) as one:
        group = broker.group("g")
        group.wait("Stable", members=1)
        away = broker.faults.coordinator_moved("g")
        commit = one.commit(1, 4)
        assert group.state() == "Dead"
        away.remove()
        commit.result(PATIENCE_SECONDS)
        group.wait("Stable", members=1, committed={("orders", 1): 4})


def test_a_coordinator_that_moved_in_one_go_keeps_members_and_offsets(broker: Broker) -> None:
    with consumer(broker) as one:
        group = broker.group("g")
        before = group.wait("Stable", members=1)
        one.commit(0, 3).result(PATIENCE_SECONDS)
        group.move_coordinator()
        after = group.view()
        assert (after.state, after.generation) == ("Stable", before.generation)
        assert after.members[0].member_id == before.members[0].member_id
        assert group.offsets() == {("orders", 0): 3}
        told = group.explain()
        assert "the coordinator let go of the group" in told
        assert f"Stable, generation {after.generation}: " in told
        assert "Dead" not in told


def test_errors_in_join_and_sync_are_overcome(broker: Broker) -> None:
    faults = [
        broker.faults.error("JoinGroup", "NOT_COORDINATOR"),
        broker.faults.error("SyncGroup", "REBALANCE_IN_PROGRESS"),
        broker.faults.error("FindCoordinator", "COORDINATOR_NOT_AVAILABLE"),
    ]
    with consumer(broker):
        broker.group("g").wait("Stable", members=1)
    assert [fault.uses for fault in faults] == [1, 1, 1]
