"""Transactions over several nodes (KIP-98, KIP-890, decision 0018): the coordinator of a transactional id, the leaders that it
marks and the coordinator of the group whose offsets are in it are different nodes, which die and freeze.

Real processes, a real PostgreSQL, real clients; raw requests where a test has to stop between two of them.
"""

from __future__ import annotations

import re

import pytest
from confluent_kafka import Consumer, TopicPartition

from muster.wire.errors import INVALID_PRODUCER_EPOCH, NONE, NOT_COORDINATOR, TRANSACTION_COORDINATOR_FENCED
from muster.wire.generated.end_txn import EndTxnRequest
from tests.cluster.stage import ClusterStage
from tests.cluster.transactional_stage import PARTITIONS, Nodes
from tests.interop.client_confluent import QUIET
from tests.interop.transactional import ConfluentTransactions, read_to_end
from tests.interop.waiting import PATIENCE_SECONDS, eventually
from tests.server.raw_client import RawClient, request_frame
from tests.server.transactions.txn_client import batch

pytestmark = pytest.mark.xdist_group("cluster")


@pytest.fixture
def topic(request: pytest.FixtureRequest) -> str:
    return re.sub(r"[^a-z]+", "-", request.node.name)[-60:]


@pytest.fixture
def nodes(cluster: ClusterStage, topic: str) -> Nodes:
    """All live, with a topic that is spread over them."""
    nodes = live(cluster)
    nodes.create(topic)
    assert len(set(nodes.leaders(topic).values())) > 1
    return nodes


def live(cluster: ClusterStage) -> Nodes:
    return Nodes({node_id: cluster.nodes[node_id].port for node_id in cluster.running})


def committed(nodes: Nodes, topic: str, partition: int) -> list[bytes]:
    return read_to_end("confluent-kafka", nodes.bootstrap, topic, partition, committed=True)


def committed_offset(nodes: Nodes, group: str, topic: str) -> int:
    """Of partition 0, by a consumer that waits until it is stable."""
    consumer = Consumer({"bootstrap.servers": nodes.bootstrap, "group.id": group, **QUIET})
    (found,) = consumer.committed([TopicPartition(topic, 0)], PATIENCE_SECONDS)
    consumer.close()
    return int(found.offset)


def test_a_transaction_with_records_and_offsets_on_all_nodes_is_seen_whole_or_not_at_all(
    nodes: Nodes, topic: str
) -> None:
    groups = [f"{topic} {number}" for number in range(4)]
    producer = ConfluentTransactions(nodes.bootstrap, f"tx of {topic}")
    for value, end in ((b"aborted", producer.abort), (b"kept", producer.commit), (b"kept too", producer.commit)):
        producer.begin()
        for partition in range(PARTITIONS):
            producer.send(topic, partition, value)
        for group in groups:
            producer.send_offsets(group, topic, {0: len(value)})
        end()
    for partition in range(PARTITIONS):
        assert committed(nodes, topic, partition) == [b"kept", b"kept too"]
    for group in groups:
        assert committed_offset(nodes, group, topic) == len(b"kept too")


def test_a_killed_coordinator_that_had_decided_is_followed_by_one_that_finishes(
    cluster: ClusterStage, nodes: Nodes, topic: str
) -> None:
    """The leader that has to be marked is frozen, so that the coordinator dies between its decision and the marker."""
    marked = nodes.leaders(topic)[0]
    name = nodes.name_coordinated_by(topic, *(nodes.ports.keys() - {marked}))
    producer = ConfluentTransactions(nodes.bootstrap, name)
    producer.begin()
    producer.send(topic, 0, b"kept")
    coordinator = nodes.coordinator_of(name)
    cluster.nodes[marked].freeze()
    producer.commit()
    with nodes.client(coordinator) as client:
        assert client.state_of(name) == "PrepareCommit"
    cluster.nodes[coordinator].kill()
    cluster.nodes[marked].thaw()
    others = nodes.without(coordinator)
    eventually("the marker", lambda: committed(others, topic, 0), lambda seen: seen == [b"kept"])
    assert (
        eventually("an end", lambda: others.state_of(name), lambda state: state != "PrepareCommit") == "CompleteCommit"
    )
    producer.begin()
    producer.send(topic, 0, b"kept too")
    producer.commit()
    eventually("the next one", lambda: committed(others, topic, 0), lambda seen: seen == [b"kept", b"kept too"])


def test_a_marker_for_a_frozen_leader_is_written_by_the_next_one_and_not_by_the_one_that_wakes(
    cluster: ClusterStage, nodes: Nodes, topic: str
) -> None:
    frozen = nodes.leaders(topic)[0]
    name = nodes.name_coordinated_by(topic, *(nodes.ports.keys() - {frozen}))
    producer = ConfluentTransactions(nodes.bootstrap, name)
    producer.begin()
    producer.send(topic, 0, b"kept")
    others = nodes.without(frozen)
    cluster.nodes[frozen].freeze()
    producer.commit()
    eventually("the marker", lambda: others.state_of(name), lambda state: state == "CompleteCommit")
    assert committed(others, topic, 0) == [b"kept"]
    with others.client(others.leaders(topic)[0]) as client:
        end = client.end_offset(topic)
    cluster.nodes[frozen].thaw()
    cluster.wait_for_owners(1, 2, 3)
    leaders = eventually("leaders", lambda: nodes.leaders(topic), lambda led: len(led) == PARTITIONS)
    with nodes.client(leaders[0]) as client:
        assert client.end_offset(topic) == end


def test_partitions_that_join_by_themselves_are_added_by_the_coordinator_on_another_node(
    nodes: Nodes, topic: str
) -> None:
    """Transaction version 2 (KIP-890): nobody asks for AddPartitionsToTxn; the leader of each partition does."""
    leaders = nodes.leaders(topic)
    name = nodes.name_coordinated_by(topic, *(nodes.ports.keys() - {leaders[0]}))
    producer = nodes.producer(name)
    with nodes.client(leaders[0]) as client:
        assert client.produce((topic, 0, batch(producer)), name=name, version=12) == [(NONE, 0)]
        assert client.end_offset(topic, committed=True) == 0
    with nodes.client(nodes.coordinator_of(name)) as client:
        assert client.end(producer, version=5).error_code == NONE
    eventually("the marker", lambda: nodes.state_of(name), lambda state: state == "CompleteCommit")
    with nodes.client(leaders[0]) as client:
        assert client.end_offset(topic, committed=True) == 2
        old_epoch = client.produce((topic, 0, batch(producer, 1)), name=name, version=12)
        assert old_epoch == [(INVALID_PRODUCER_EPOCH, -1)]


def test_a_coordinator_that_was_frozen_is_fenced_when_it_wakes(cluster: ClusterStage, nodes: Nodes, topic: str) -> None:
    """Its decision to commit waits in its socket while the next coordinator aborts the transaction."""
    leader = nodes.leaders(topic)[0]
    name = nodes.name_coordinated_by(topic, *(nodes.ports.keys() - {leader}))
    old = nodes.coordinator_of(name)
    producer = nodes.producer(name)
    with nodes.client(old) as client:
        assert client.add(producer, (topic, [0])) == [(topic, 0, NONE)]
    with nodes.client(leader) as client:
        assert client.produce((topic, 0, batch(producer)), name=name)[0][0] == NONE
    commit = EndTxnRequest(name, producer.producer_id, producer.epoch, True)
    others = nodes.without(old)
    with RawClient(nodes.ports[old]) as deciding:
        cluster.nodes[old].freeze()
        deciding.send(request_frame("EndTxn", 3, commit))

        def aborts() -> int:
            with others.client(others.coordinator_of(name)) as client:
                return int(client.end(producer, commit=False).error_code)

        eventually("another coordinator to abort", aborts, lambda code: code == NONE)
        eventually("the end", lambda: others.state_of(name), lambda state: state == "CompleteAbort")
        cluster.nodes[old].thaw()
        assert deciding.read("EndTxn", 3).error_code == NOT_COORDINATOR
    with others.client(leader) as client:
        assert client.write_marker(producer, (topic, [0])) == [(topic, 0, TRANSACTION_COORDINATOR_FENCED)]
    assert committed(others, topic, 0) == []
    assert others.state_of(name) == "CompleteAbort"


def test_a_transaction_that_is_left_open_is_aborted_by_whoever_took_over_its_coordinator(
    cluster: ClusterStage, nodes: Nodes, topic: str
) -> None:
    name = nodes.name_coordinated_by(topic, *(nodes.ports.keys() - {nodes.leaders(topic)[0]}))
    producer = ConfluentTransactions(nodes.bootstrap, name, timeout_ms=4_000)
    producer.begin()
    producer.send(topic, 0, b"left open")
    coordinator = nodes.coordinator_of(name)
    cluster.nodes[coordinator].kill()
    others = nodes.without(coordinator)
    eventually("the timeout", lambda: others.state_of(name), lambda state: state == "CompleteAbort")
    assert committed(others, topic, 0) == []
