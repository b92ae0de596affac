"""Groups of real consumers: they share, grow, shrink, and go on where they were. Every member is a process of its own.

Judged throughout: no partition is read by two members in one generation, no record is skipped, and what was committed is
not read again (`reading_rules.py`).
"""

from __future__ import annotations

from tests.interop.reading_rules import read_more_than_once
from tests.interop.stage import Stage


def test_members_share_the_partitions_and_share_anew_when_one_comes_or_goes(
    stage: Stage, style: dict[str, str]
) -> None:
    stage.produce()
    with stage.fleet() as fleet:
        fleet.add("anna", **style)
        fleet.add("boris", **style)
        stage.await_stable(fleet)
        stage.await_all_read(fleet)
        fleet.add("clara", **style)
        stage.await_stable(fleet)
        stage.produce()
        stage.await_all_read(fleet)
        fleet.leave("anna")
        stage.await_stable(fleet)
        stage.produce()
        stage.await_all_read(fleet)
        fleet.leave("boris")
        fleet.leave("clara")
        stage.judge(fleet)
        assert read_more_than_once(fleet.history) == []


def test_a_group_resumes_at_its_committed_offsets_after_all_its_members_restart(
    stage: Stage, style: dict[str, str]
) -> None:
    stage.produce()
    with stage.fleet() as fleet:
        fleet.add("before", **style)
        stage.await_all_read(fleet)
        fleet.leave("before")
        stage.produce()
        fleet.add("after", **style)
        stage.await_all_read(fleet)
        fleet.leave("after")
        stage.judge(fleet)
        assert read_more_than_once(fleet.history) == []
        assert len(fleet.said("read", "after")) == len(fleet.said("read", "before"))


def test_two_groups_on_one_topic_each_read_everything(stage: Stage, style: dict[str, str]) -> None:
    stage.produce()
    with stage.fleet() as first, stage.fleet(f"{stage.topic}.second") as second:
        first.add("anna", **style)
        second.add("boris", **style)
        stage.await_all_read(first)
        stage.await_all_read(second)
        stage.judge(first)
        stage.judge(second)
        assert read_more_than_once(first.history) == []
        assert stage.committed(f"{stage.topic}.second") == stage.ends


def test_members_of_different_libraries_share_one_group(stage: Stage) -> None:
    """All of them speak `range`: any may lead and must understand the others' subscriptions."""
    stage.produce()
    with stage.fleet() as fleet:
        fleet.add("rdkafka", "confluent-kafka")
        fleet.add("aio", "aiokafka")
        fleet.add("python", "kafka-python")
        stage.await_stable(fleet)
        stage.await_all_read(fleet)
        for leaver, returner in (("rdkafka", "confluent-kafka"), ("aio", "aiokafka"), ("python", "kafka-python")):
            fleet.leave(leaver)
            stage.await_stable(fleet)
            stage.produce(5)
            stage.await_all_read(fleet)
            fleet.add(f"{leaver}-again", returner)
            stage.await_stable(fleet)
        stage.judge(fleet)
        assert read_more_than_once(fleet.history) == []


def test_libraries_that_move_partitions_cooperatively_share_one_group(stage: Stage) -> None:
    """KIP-429: partitions that do not move are read all the while; each move takes two rebalances."""
    stage.produce()
    with stage.fleet() as fleet:
        fleet.add("rdkafka", "confluent-kafka", assignor="cooperative-sticky")
        stage.await_stable(fleet)
        fleet.add("python", "kafka-python", assignor="cooperative-sticky")
        stage.await_stable(fleet)
        stage.produce()
        stage.await_all_read(fleet)
        fleet.leave("rdkafka")
        stage.await_stable(fleet)
        stage.produce()
        stage.await_all_read(fleet)
        stage.judge(fleet)
        assert read_more_than_once(fleet.history) == []
