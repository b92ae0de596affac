"""Static members (KIP-345): a restart within the session is no rebalance."""

from __future__ import annotations

import pytest

from tests.interop.reading_rules import read_more_than_once
from tests.interop.stage import PARTITIONS, Stage

LIBRARIES = ("confluent-kafka", "aiokafka", "kafka-python")


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_static_member_that_restarts_within_its_session_causes_no_rebalance(stage: Stage, library: str) -> None:
    stage.produce()
    with stage.fleet() as fleet:
        fleet.add("anna", library, instance="a")
        fleet.add("boris", library, instance="b")
        stage.await_stable(fleet)
        stage.await_all_read(fleet)
        # As the assignment does not change, the returner gets back exactly what it had.
        generation, owned = fleet.members["boris"].generation, fleet.members["boris"].owned
        rebalances = stage.rebalances(stage.topic)
        said_by_anna = len(fleet.said("owns", "anna"))
        fleet.kill("boris")
        stage.produce()
        fleet.add("boris", library, instance="b")
        stage.await_stable(fleet)
        stage.await_all_read(fleet)
        assert fleet.members["boris"].owned == owned
        assert fleet.members["boris"].generation == generation
        assert len(fleet.said("owns", "anna")) == said_by_anna
        assert stage.rebalances(stage.topic) == rebalances
        replaced = [event for event in stage.journal(stage.topic) if event["kind"] == "static_replaced"]
        assert [event["instance"] for event in replaced] == ["b"]
        stage.judge(fleet)


def test_a_static_member_that_closes_stays_a_member_until_its_session_is_over(stage: Stage) -> None:
    """librdkafka sends no LeaveGroup for a static member."""
    stage.produce()
    with stage.fleet() as fleet:
        fleet.add("anna", "confluent-kafka", instance="a")
        fleet.add("boris", "confluent-kafka", instance="b", session_ms=2_000)
        stage.await_stable(fleet)
        stage.await_all_read(fleet)
        fleet.leave("boris")
        fleet.watch_until("anna to own everything", lambda: len(fleet.members["anna"].owned) == PARTITIONS)
        stage.judge(fleet)
    assert stage.rebalances(stage.topic)[-1] == "session_expired"


def test_a_second_member_with_the_same_instance_id_fences_the_first(stage: Stage) -> None:
    """The first is told FENCED_INSTANCE_ID, which is fatal for librdkafka's consumer: it reads no more."""
    stage.produce()
    with stage.fleet() as fleet:
        fleet.add("first", "confluent-kafka", instance="a")
        stage.await_stable(fleet)
        stage.await_all_read(fleet)
        fleet.add("second", "confluent-kafka", instance="a")
        fleet.watch_until("the second to own everything", lambda: len(fleet.members["second"].owned) == PARTITIONS)
        fleet.watch_until("the first to be fenced", lambda: bool(fleet.said("fatal", "first")))
        stage.produce()
        stage.await_all_read(fleet)
        # Both are the same member in the same generation, so the rule of one reader cannot tell them apart.
        assert read_more_than_once(fleet.history) == []
        assert "_FATAL" in fleet.said("fatal", "first")[0].details["error"]
        assert fleet.said("read", "first")[-1].at_ns < fleet.said("fatal", "first")[0].at_ns
        assert stage.committed(stage.topic) == stage.ends
