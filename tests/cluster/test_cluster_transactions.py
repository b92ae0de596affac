"""Transactions over several nodes (KIP-98, KIP-890, decision 0018): the coordinator of a transactional id, the leaders that it marks
and the coordinator of the group whose offsets are in it are different nodes, which die and freeze.

Real processes, a real PostgreSQL, real clients; raw requests where a test has to stop between two of them.
"""

from __future__ import annotations

import re

import pytest
from confluent_kafka import Consumer, TopicPartition

from muster.wire.errors import NONE, NOT_COORDINATOR, TRANSACTION_COORDINATOR_FENCED
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
