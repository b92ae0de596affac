"""Groups of the consumer protocol (KIP-848) with unmodified librdkafka members, each a process: they join, share anew, leave, are
killed, stall, are restarted one by one, return as static members, and subscribe by regular expression.

Judged by the same rules as classic groups (`reading_rules.py`): no partition has two readers in one epoch, no record is skipped,
and what was committed is not read again.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import ConsumerGroupState, ConsumerGroupType

from tests.interop.broker_process import QUICK_GROUPS, BrokerProcess
from tests.interop.reading_rules import read_more_than_once
from tests.interop.stage import PARTITIONS, Stage, staged
from tests.interop.waiting import PATIENCE_SECONDS

SETTINGS = {
    **QUICK_GROUPS,
    "group.consumer.min.heartbeat.interval.ms": "200",
    "group.consumer.heartbeat.interval.ms": "200",
    "group.consumer.min.session.timeout.ms": "4000",
    "group.consumer.session.timeout.ms": "4000",
    "group.consumer.assignment.interval.ms": "0",
}
SHORT_POLL_MS = 1_500
NEW = {"library": "confluent-kafka", "protocol": "consumer"}


@pytest.fixture(scope="module")
def quick_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    """Its members heartbeat often and expire soon."""
    with BrokerProcess(tmp_path_factory.mktemp("consumers"), SETTINGS) as running:
        yield running


@pytest.fixture
def scene(quick_server: BrokerProcess, tmp_path: Path, topic: str) -> Iterator[Stage]:
    with staged(quick_server, tmp_path, topic) as ready:
        yield ready


def test_members_share_the_partitions_and_share_anew_when_one_comes_or_goes(scene: Stage) -> None:
    scene.produce()
    with scene.fleet() as fleet:
        fleet.add("anna", **NEW)
        scene.await_stable(fleet)
        fleet.add("boris", **NEW)
        scene.await_stable(fleet)
        scene.await_all_read(fleet)
        assert [len(member.owned) for member in fleet.members.values()] == [2, 2]
        fleet.leave("anna")
        scene.await_stable(fleet)
        scene.produce()
        scene.await_all_read(fleet)
        fleet.leave("boris")
        scene.judge(fleet)
        assert read_more_than_once(fleet.history) == []


def test_a_killed_member_is_fenced_after_its_session_and_the_others_read_on(scene: Stage) -> None:
    scene.produce()
    with scene.fleet() as fleet:
        fleet.add("anna", **NEW)
        fleet.add("victim", **NEW)
        scene.await_stable(fleet)
        fleet.kill("victim")
        scene.produce()
        fleet.watch_until("anna to own everything", lambda: len(fleet.members["anna"].owned) == PARTITIONS)
        scene.await_all_read(fleet)
        scene.judge(fleet)


def test_a_static_member_that_restarts_gets_back_what_it_had(scene: Stage) -> None:
    """librdkafka leaves with epoch -2: its partitions wait for it."""
    scene.produce()
    with scene.fleet() as fleet:
        fleet.add("anna", **NEW, instance="a")
        fleet.add("boris", **NEW, instance="b")
        scene.await_stable(fleet)
        scene.await_all_read(fleet)
        owned, said_by_anna = fleet.members["boris"].owned, len(fleet.said("owns", "anna"))
        fleet.leave("boris")
        scene.produce()
        fleet.add("boris", **NEW, instance="b")
        scene.await_stable(fleet)
        scene.await_all_read(fleet)
        assert fleet.members["boris"].owned == owned
        assert len(fleet.said("owns", "anna")) == said_by_anna
        scene.judge(fleet)


def test_a_member_that_subscribes_by_a_regular_expression_reads_what_it_matches(scene: Stage) -> None:
    scene.produce()
    with scene.fleet() as fleet:
        fleet.add("anna", **NEW, regex=f"^{scene.topic[:-1]}.$")
        scene.await_stable(fleet)
        scene.await_all_read(fleet)
        scene.judge(fleet)


def test_a_member_that_stalls_past_its_poll_interval_loses_its_partitions_and_comes_back(scene: Stage) -> None:
    """Its heartbeats go on, so the client itself must leave: max.poll.interval.ms."""
    scene.produce()
    with scene.fleet() as fleet:
        fleet.add("anna", **NEW)
        fleet.add("staller", **NEW, max_poll_ms=SHORT_POLL_MS)
        scene.await_stable(fleet)
        scene.await_all_read(fleet)
        fleet.members["staller"].wish("stall")
        fleet.watch_until("the other to own everything", lambda: len(fleet.members["anna"].owned) == PARTITIONS)
        scene.produce()
        scene.await_all_read(fleet)
        fleet.members["staller"].wish("resume")
        fleet.watch_until("the staller to share again", lambda: len(fleet.members["anna"].owned) < PARTITIONS)
        scene.await_stable(fleet)
        scene.produce()
        scene.await_all_read(fleet)
        scene.judge(fleet)


def test_members_that_are_restarted_one_by_one_read_everything_once(scene: Stage) -> None:
    scene.produce()
    with scene.fleet() as fleet:
        names = ["anna", "boris", "carla"]
        for name in names:
            fleet.add(name, **NEW)
        scene.await_stable(fleet)
        scene.await_all_read(fleet)
        for name in names:
            fleet.leave(name)
            scene.produce(5)
            fleet.add(name, **NEW)
            scene.await_stable(fleet)
            scene.await_all_read(fleet)
        scene.judge(fleet)
        assert read_more_than_once(fleet.history) == []


def test_a_group_goes_on_where_it_was_when_its_server_was_killed(tmp_path: Path, topic: str) -> None:
    with BrokerProcess(tmp_path, SETTINGS) as server, staged(server, tmp_path, topic) as scene:
        scene.produce()
        with scene.fleet() as fleet:
            fleet.add("anna", **NEW)
            fleet.add("boris", **NEW)
            scene.await_stable(fleet)
            scene.await_all_read(fleet)
            server.kill()
            server.start()
            scene.produce()
            scene.await_all_read(fleet)
            scene.judge(fleet)


def test_a_running_group_is_moved_to_the_new_protocol_and_back_without_a_record_lost_or_read_twice(
    scene: Stage,
) -> None:
    """T231, T234, T236: members are exchanged one by one, as in a rolling restart."""
    classic = {"library": "confluent-kafka"}
    scene.produce()
    with scene.fleet() as fleet:
        fleet.add("anna", **classic)
        fleet.add("boris", **classic)
        scene.await_stable(fleet)
        scene.await_all_read(fleet)
        for leaver, comer, style in (
            ("anna", "anna-new", NEW),
            ("boris", "boris-new", NEW),
            ("anna-new", "anna-again", classic),
            ("boris-new", "boris-again", classic),
        ):
            fleet.add(comer, **style)
            scene.await_stable(fleet)
            fleet.leave(leaver)
            scene.await_stable(fleet)
            scene.produce(5)
            scene.await_all_read(fleet)
        scene.judge(fleet)
        assert read_more_than_once(fleet.history) == []
        described = scene.client.admin.describe_consumer_groups([scene.topic])[scene.topic].result(PATIENCE_SECONDS)
        assert described.type == ConsumerGroupType.CLASSIC


def test_an_admin_client_lists_describes_and_deletes_it(scene: Stage) -> None:
    scene.produce()
    admin = scene.client.admin
    with scene.fleet() as fleet:
        fleet.add("anna", **NEW, client="anna")
        scene.await_stable(fleet)
        scene.await_all_read(fleet)
        listed = admin.list_consumer_groups().result(PATIENCE_SECONDS).valid
        assert {each.group_id: each.type for each in listed}[scene.topic] == ConsumerGroupType.CONSUMER
        described = admin.describe_consumer_groups([scene.topic])[scene.topic].result(PATIENCE_SECONDS)
        (member,) = described.members
        assert (described.state, described.type) == (ConsumerGroupState.STABLE, ConsumerGroupType.CONSUMER)
        assert (member.client_id, member.host) == ("anna", "/127.0.0.1")
        assert sorted(each.partition for each in member.assignment.topic_partitions) == list(range(PARTITIONS))
        fleet.leave("anna")
    admin.delete_consumer_groups([scene.topic])[scene.topic].result(PATIENCE_SECONDS)
    assert scene.committed(scene.topic) == {}
