"""Groups of the consumer protocol (KIP-848) whose coordinator dies, freezes, stops or is drained, and topics that change at other
nodes: over PostgreSQL and with workers on one machine.

What every group needs in a takeover is in `test_failover.py`, which runs with members of both protocols. Here is what only these
groups have: epochs, assignments and targets of several members in the middle of a reconciliation, and topics that the
coordinator has to look at by itself.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from muster.wire.errors import NONE, NOT_COORDINATOR
from muster.wire.generated.create_partitions import CreatePartitionsRequest, CreatePartitionsRequestTopic
from muster.wire.generated.create_topics import CreateTopicsRequest, CreateTopicsRequestTopic
from muster.wire.generated.delete_topics import DeleteTopicsRequest
from tests.cluster.lone_consumer import LoneConsumer
from tests.cluster.stage import ClusterStage, muster
from tests.cluster.workers_process import SETTINGS, WorkersProcess
from tests.interop.fleet import Fleet
from tests.interop.reading_rules import read_more_than_once
from tests.interop.stage import PARTITIONS, Stage
from tests.interop.waiting import eventually
from tests.log.postgres_server import empty_database
from tests.server.raw_client import RawClient, request_frame

pytestmark = pytest.mark.xdist_group("cluster")

TIMEOUT_MS = 10_000
NEW = {"library": "confluent-kafka", "protocol": "consumer"}
_TELLING = "topic,metadata,cgrp,broker,fetch"
"""What is needed of librdkafka's log to see why it does not read from a partition any more."""


@pytest.fixture
def topic(request: pytest.FixtureRequest) -> str:
    return re.sub(r"[^a-z]+", "-", request.node.name)[-60:].strip("-")


def create(port: int, topic: str, partitions: int) -> int:
    wanted = CreateTopicsRequestTopic(name=topic, num_partitions=partitions, replication_factor=1)
    with RawClient(port) as client:
        answer = client.ask("CreateTopics", 4, CreateTopicsRequest(topics=[wanted], timeout_ms=TIMEOUT_MS))
    return int(answer.topics[0].error_code)


def grow(port: int, topic: str, partitions: int) -> int:
    wanted = CreatePartitionsRequestTopic(topic, partitions, assignments=None)
    with RawClient(port) as client:
        answer = client.ask("CreatePartitions", 1, CreatePartitionsRequest([wanted], TIMEOUT_MS))
    return int(answer.results[0].error_code)


def delete(port: int, topic: str) -> int:
    with RawClient(port) as client:
        answer = client.ask("DeleteTopics", 3, DeleteTopicsRequest(topic_names=[topic], timeout_ms=TIMEOUT_MS))
    return int(answer.responses[0].error_code)


def ports(cluster: ClusterStage, *without: int) -> list[int]:
    return [cluster.nodes[node_id].port for node_id in cluster.running if node_id not in without]


class Pair:
    """Two members in the middle of it: anna has all partitions and must give some up, boris waits for these."""

    def __init__(self, topic: str) -> None:
        self.anna = LoneConsumer(topic, "anna", topic)
        self.boris = LoneConsumer(topic, "boris", topic)

    def meet(self, ports: Sequence[int]) -> Any:
        """Returns their group as it is described then."""
        eventually("anna to have all", lambda: self.anna.joins_somewhere(ports) and self.anna.count == PARTITIONS)
        eventually("boris to be a member", lambda: self.boris.joins_somewhere(ports))
        assert self.boris.count == 0
        found = self.described(ports)
        epochs = {member.member_id: member.member_epoch for member in found.members}
        assert epochs["anna"] < epochs["boris"] == found.group_epoch == found.assignment_epoch
        return found

    def described(self, ports: Sequence[int]) -> Any:
        return eventually(
            "a description", lambda: self.anna.described_somewhere(ports), lambda found: found is not None
        )

    def finish(self, ports: Sequence[int]) -> None:
        """With the epochs that they have: nobody joins again."""
        for member in (self.anna, self.boris):
            eventually(
                f"{member.member_id} to have half",
                lambda member=member: member.obeys_somewhere(ports) and member.count == PARTITIONS // 2,  # type: ignore[misc]
            )
            if member is self.anna:
                eventually("anna to say so", lambda: self.anna.obeys_somewhere(ports))
        epochs = {member.generation for member in (self.anna, self.boris)}
        assert len(epochs) == 1

        def is_stable(found: Any) -> bool:
            return found is not None and (found.group_state, found.group_epoch) == ("Stable", *epochs)

        eventually("a stable group", lambda: self.anna.described_somewhere(ports), is_stable)

    def close(self) -> None:
        self.anna.close()
        self.boris.close()


@pytest.fixture
def pair(topic: str) -> Iterator[Pair]:
    with closing(Pair(topic)) as pair:
        yield pair


# -- over PostgreSQL


def kill(cluster: ClusterStage, node_id: int) -> None:
    cluster.nodes[node_id].kill()


def stop(cluster: ClusterStage, node_id: int) -> None:
    cluster.nodes[node_id].stop()


def drain(cluster: ClusterStage, node_id: int) -> None:
    muster("cluster", "drain", str(node_id), cluster.database.url)


@pytest.mark.parametrize("remove", [kill, stop, drain])
def test_epochs_assignments_and_targets_are_the_same_at_the_next_coordinator(
    cluster: ClusterStage, pair: Pair, topic: str, remove: Callable[[ClusterStage, int], None]
) -> None:
    assert create(ports(cluster)[0], topic, PARTITIONS) == NONE
    before = pair.meet(ports(cluster))
    old = cluster.coordinator_of(topic)
    remove(cluster, old)
    others = ports(cluster, old)
    assert pair.described(others) == before
    pair.finish(others)
    if cluster.nodes[old].is_running:
        cluster.nodes[old].stop()  # a node that was drained leads again when it is started


def test_a_frozen_coordinator_carries_out_nothing_that_it_was_asked_meanwhile(
    cluster: ClusterStage, pair: Pair, topic: str
) -> None:
    """The goodbye of a member waits in its socket: the next coordinator has never heard of it."""
    assert create(ports(cluster)[0], topic, PARTITIONS) == NONE
    before = pair.meet(ports(cluster))
    old = cluster.coordinator_of(topic)
    goodbye = pair.boris.goodbye()
    with RawClient(cluster.nodes[old].port) as leaving:
        cluster.nodes[old].freeze()
        leaving.send(request_frame(*goodbye))
        assert pair.described(ports(cluster, old)) == before
        cluster.nodes[old].thaw()
        assert leaving.read(goodbye.api, goodbye.version).error_code == NOT_COORDINATOR
    cluster.wait_for_owners(1, 2, 3)
    pair.finish(ports(cluster))


def test_members_of_librdkafka_keep_what_they_own_when_their_coordinator_is_killed_and_when_it_stops(
    cluster: ClusterStage, topic: str, tmp_path: Path
) -> None:
    scene = Stage(cluster, tmp_path, topic)
    scene.produce()
    with scene.fleet() as fleet:
        fleet.add("anna", **NEW, debug=_TELLING)
        fleet.add("boris", **NEW, debug=_TELLING)
        scene.await_stable(fleet)
        scene.await_all_read(fleet)
        said = len(fleet.said("owns"))
        for remove in (kill, stop):
            removed = cluster.coordinator_of(topic)
            remove(cluster, removed)
            scene.produce()
            scene.await_all_read(fleet)
            cluster.add(removed)
            cluster.wait_for_owners(1, 2, 3)
        assert len(fleet.said("owns")) == said, "nobody was given anything, nor lost anything"
        for name in ("anna", "boris"):
            fleet.leave(name)
        scene.judge(fleet)
        assert read_more_than_once(fleet.history) == []
    scene.client.close()


def test_topics_that_change_at_another_node_are_seen_by_the_coordinator(cluster: ClusterStage, topic: str) -> None:
    """The member asks its coordinator for nothing but heartbeats."""
    elsewhere = ports(cluster, cluster.coordinator_of(topic))[0]
    follows_topics(topic, ports(cluster), elsewhere)


def follows_topics(topic: str, ports: Sequence[int], elsewhere: int) -> None:
    later = f"{topic}-later"
    with closing(LoneConsumer(topic, "anna", topic, later)) as anna:

        def gets(partitions: int) -> None:
            eventually(f"{partitions} partitions", lambda: anna.obeys_somewhere(ports) and anna.count == partitions)

        eventually("anna to be a member", lambda: anna.joins_somewhere(ports))
        assert anna.count == 0
        assert create(elsewhere, topic, 2) == NONE
        gets(2)
        assert create(elsewhere, later, 3) == NONE
        gets(5)
        assert grow(elsewhere, topic, 4) == NONE
        gets(7)
        assert delete(elsewhere, later) == NONE
        gets(4)


# -- workers on one machine


@pytest.fixture(params=["files", "postgres"])
def workers(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[WorkersProcess]:
    on_database = request.param == "postgres"
    settings = {**SETTINGS, "muster.lease.ms": "1000"} if on_database else SETTINGS
    flags = ["--store", empty_database()] if on_database else []
    with WorkersProcess(tmp_path, 3, settings=settings, flags=flags) as running:
        yield running


def number_of_coordinator(workers: WorkersProcess, member: LoneConsumer) -> int:
    port = eventually("a coordinator", lambda: member.coordinator_port(workers.ports))
    assert port is not None
    return workers.ports.index(port)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "stopped"])
def test_a_worker_that_is_started_again_leaves_epochs_assignments_and_targets_as_they_were(
    workers: WorkersProcess, pair: Pair, topic: str, how: signal.Signals
) -> None:
    assert create(workers.ports[0], topic, PARTITIONS) == NONE
    before = pair.meet(workers.ports)
    number = number_of_coordinator(workers, pair.anna)
    workers.wait_until_back(number, workers.kill_worker(number, how))
    assert pair.described(workers.ports) == before
    pair.finish(workers.ports)


def test_topics_that_change_at_another_worker_are_seen_by_the_coordinator(workers: WorkersProcess, topic: str) -> None:
    with closing(LoneConsumer(topic)) as asking:
        number = number_of_coordinator(workers, asking)
    follows_topics(topic, workers.ports, workers.ports[number - 1])


def test_members_of_librdkafka_keep_what_they_own_when_their_worker_is_killed(
    workers: WorkersProcess, topic: str, tmp_path: Path
) -> None:
    scene = Stage(workers, tmp_path, topic)
    scene.produce()
    with ExitStack() as open_things:
        fleet: Fleet = open_things.enter_context(scene.fleet())
        asking = open_things.enter_context(closing(LoneConsumer(topic)))
        fleet.add("anna", **NEW, debug=_TELLING)
        fleet.add("boris", **NEW, debug=_TELLING)
        scene.await_stable(fleet)
        scene.await_all_read(fleet)
        said = len(fleet.said("owns"))
        number = number_of_coordinator(workers, asking)
        workers.wait_until_back(number, workers.kill_worker(number))
        scene.produce()
        scene.await_all_read(fleet)
        assert len(fleet.said("owns")) == said, "nobody was given anything, nor lost anything"
        for name in ("anna", "boris"):
            fleet.leave(name)
        scene.judge(fleet)
        assert read_more_than_once(fleet.history) == []
    scene.client.close()
