"""The first batches of an idempotent producer, sent without waiting for answers, to a node that becomes their leader in between."""

from __future__ import annotations

import pytest

from muster.wire.errors import NONE, NOT_LEADER_OR_FOLLOWER
from tests.cluster.stage import ClusterStage
from tests.cluster.transactional_stage import PARTITIONS, Nodes
from tests.interop.waiting import eventually
from tests.server.transactions.txn_client import Producer, batch

pytestmark = pytest.mark.xdist_group("cluster")

TOPIC = "firsts"
PRODUCER = Producer(4_711_000, 0)


def test_a_node_that_refused_the_first_batch_does_not_take_the_second_one_before_it(cluster: ClusterStage) -> None:
    """librdkafka would take the success of the second one for that of the first, which is nowhere."""
    nodes = Nodes({node_id: cluster.nodes[node_id].port for node_id in cluster.running})
    nodes.create(TOPIC)
    leader = nodes.leaders(TOPIC)[0]
    others = nodes.without(leader)
    first, second = (batch(PRODUCER, sequence, transactional=False) for sequence in (0, 1))

    def send(node_id: int, records: bytes) -> tuple[int, int]:
        with others.client(node_id) as client:
            (answer,) = client.produce((TOPIC, 0, records), name=None)
        return answer

    for node_id in others.ports:
        assert send(node_id, first)[0] == NOT_LEADER_OR_FOLLOWER
    cluster.nodes[leader].kill()
    led = eventually("another leader", lambda: others.leaders(TOPIC), lambda led: len(led) == PARTITIONS)
    another = batch(Producer(4_711_001, 0), 0, transactional=False)
    eventually("it to know that it leads", lambda: send(led[0], another)[0], lambda code: code == NONE)
    assert send(led[0], second)[0] == NOT_LEADER_OR_FOLLOWER
    assert send(led[0], first) == (NONE, 1)
    assert send(led[0], second) == (NONE, 2)
