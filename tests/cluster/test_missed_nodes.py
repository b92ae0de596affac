"""A transactional producer of librdkafka and a node that was missed for a moment: what docs/cluster.md tells its users to set.

Without these settings it waits for itself, for a minute or for ever, while nothing in the cluster waits for anything.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from tests.cluster.stage import ClusterStage
from tests.cluster.transactional_stage import Nodes
from tests.interop.atomic_writer import CALL_SECONDS, PATIENT, end_transaction
from tests.interop.waiting import PATIENCE_SECONDS, eventually

pytestmark = pytest.mark.xdist_group("cluster")

TIMEOUT_MS = 20_000
"""Of a transaction: an abort that waits for longer finds its producer fenced."""


@pytest.fixture
def nodes(cluster: ClusterStage) -> Nodes:
    return Nodes({node_id: cluster.nodes[node_id].port for node_id in cluster.running})


def started_producer(nodes: Nodes, transactional_id: str) -> Producer:
    settings = {
        "bootstrap.servers": nodes.bootstrap,
        "transactional.id": transactional_id,
        "transaction.timeout.ms": TIMEOUT_MS,
        "linger.ms": 0,
        **PATIENT,
    }
    producer = Producer(settings)
    producer.init_transactions(PATIENCE_SECONDS)
    return producer


def begun(call: Callable[[], object]) -> threading.Thread:
    """A call that never returns is left behind in its thread; one that fails fails the test."""
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    return thread


def must_end(call: threading.Thread) -> None:
    call.join(PATIENCE_SECONDS)
    assert not call.is_alive()


def test_offsets_are_sent_although_the_node_that_was_the_coordinator_of_their_group_is_forgotten(
    cluster: ClusterStage, nodes: Nodes
) -> None:
    topic = group = "payers"
    nodes.create(topic)
    missed = cluster.coordinator_of(group)
    producer = started_producer(nodes, nodes.name_coordinated_by("forgetful", *(nodes.ports.keys() - {missed})))
    consumer = Consumer({"bootstrap.servers": nodes.bootstrap, "group.id": group, **PATIENT})

    def commit(offset: int) -> None:
        producer.begin_transaction()
        offsets = [TopicPartition(topic, 0, offset)]
        producer.send_offsets_to_transaction(offsets, consumer.consumer_group_metadata(), CALL_SECONDS)
        end_transaction(producer, commit=True)

    def names() -> set[int]:
        return set(producer.list_topics(timeout=PATIENCE_SECONDS).brokers)

    commit(1)
    eventually("all nodes to be named", names, lambda seen: seen == {1, 2, 3})
    cluster.nodes[missed].freeze()
    eventually("it not to be named", names, lambda seen: missed not in seen)
    cluster.nodes[missed].thaw()
    cluster.wait_for_owners(1, 2, 3)
    eventually("all nodes to be named again", names, lambda seen: seen == {1, 2, 3})
    must_end(begun(lambda: commit(2)))
    (kept,) = consumer.committed([TopicPartition(topic, 0)], PATIENCE_SECONDS)
    assert kept.offset == 2
    consumer.close()


def test_an_abort_ends_although_a_record_was_on_its_way_to_a_node_that_was_missed(
    cluster: ClusterStage, nodes: Nodes
) -> None:
    topic = "aborted"
    nodes.create(topic)
    missed = nodes.leaders(topic)[0]
    name = nodes.name_coordinated_by("aborting", *(nodes.ports.keys() - {missed}))
    producer = started_producer(nodes, name)
    producer.begin_transaction()
    producer.produce(topic, b"first", partition=0)
    end_transaction(producer, commit=True)
    eventually("its marker", lambda: nodes.state_of(name), lambda state: state == "CompleteCommit")
    cluster.nodes[missed].freeze()
    producer.begin_transaction()
    producer.produce(topic, b"on its way", partition=0)
    others = nodes.without(missed)
    eventually("the partition to be added", lambda: others.state_of(name), lambda state: state == "Ongoing")
    aborting = begun(lambda: end_transaction(producer, commit=False))
    eventually("it to be missed", cluster.status, lambda status: missed not in status)
    cluster.nodes[missed].thaw()
    cluster.wait_for_owners(1, 2, 3)
    must_end(aborting)
    producer.begin_transaction()
    producer.produce(topic, b"second", partition=0)
    end_transaction(producer, commit=True)
