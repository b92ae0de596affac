"""A producer's first batch that was refused, or lost on its way to the disk, comes again before what was sent after it."""

from __future__ import annotations

from muster.wire.errors import KAFKA_STORAGE_ERROR, NONE, NOT_LEADER_OR_FOLLOWER, UNKNOWN_TOPIC_ID
from muster.wire.generated.produce import ProduceRequest, ProduceRequestPartition, ProduceRequestTopic
from tests.server.groups.log_faults import refusing_log
from tests.server.transactions.txn_client import Producer, TxnServer, batch

PRODUCER = Producer(4_711_000, 0)
FIRST, SECOND = (batch(PRODUCER, sequence, transactional=False) for sequence in (0, 1))


def test_what_follows_a_batch_that_the_disk_has_lost_waits_for_it() -> None:
    """The append was taken and could not be made durable; by then nothing is known of the producer any more."""
    with TxnServer() as server:
        client = server.txn_client()
        with refusing_log(server, "orders"):
            assert client.produce(("orders", 0, FIRST), name=None) == [(KAFKA_STORAGE_ERROR, -1)]
        assert client.produce(("orders", 0, SECOND), name=None)[0][0] == NOT_LEADER_OR_FOLLOWER
        assert client.produce(("orders", 0, FIRST), name=None) == [(NONE, 0)]
        assert client.produce(("orders", 0, SECOND), name=None) == [(NONE, 1)]


def test_a_batch_for_a_topic_whose_id_is_not_known_yet_is_remembered() -> None:
    """Produce version 13 names topics by id, and another node may have made the topic a moment ago."""
    topic = ProduceRequestTopic(topic_id=b"made by another.", partition_data=[ProduceRequestPartition(0, FIRST)])
    with TxnServer() as server:
        reply = server.txn_client().call("Produce", 13, ProduceRequest(None, -1, 1_000, [topic]))
        assert reply.responses[0].partition_responses[0].error_code == UNKNOWN_TOPIC_ID
        assert len(server.node.broker.refused_batches) == 1
