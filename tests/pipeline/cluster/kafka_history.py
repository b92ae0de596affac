"""What happens to the groups of a real Kafka before the pipeline's first run, and between it and the second.

Groups of every kind that leaves its own records in `__consumer_offsets`: classic members, commits without members, an
administrator's change, a deletion, KIP-848, share groups, transactions. One transaction is open while the first run reads: that of
`STUCK` holds up `BLOCKED`, which lies behind it in the same log partition (trap 5), and nobody else. `STUCK` itself commits once
more without a transaction, which counts in the end, for it lies behind the other (trap 6).
"""

from __future__ import annotations

import time
from contextlib import closing

from confluent_kafka import ConsumerGroupTopicPartitions, Producer, ShareConsumer, TopicPartition

from muster.core.hashing import partition_for
from tests.conformance.kafka import Node
from tests.pipeline.kafka_clients import (
    admin_of,
    commit,
    consumer_of,
    create_topics,
    delete_group,
    groups_of,
    poll_until,
    transactional_producer,
)

LOG_PARTITIONS = 4
SETTINGS = {
    "offsets.topic.num.partitions": str(LOG_PARTITIONS),
    "group.initial.rebalance.delay.ms": "0",
    "group.share.heartbeat.interval.ms": "1000",
    "group.share.min.heartbeat.interval.ms": "1000",
}
PARTITIONS = 3
"""Of the topic that all groups read."""
BILLING, AUDIT, ALTERED, MODERN, SHARERS = "billing", "audit", "altered", "modern", "sharers"
COMMITTED, ABORTED, STUCK, BLOCKED, LATE = "exactly-once", "given-up", "stuck", "blocked", "late"
HELD_UP = frozenset({STUCK, BLOCKED})
"""What the first run through Spark's connector cannot know the newest of."""
_EARLIEST = {"auto.offset.reset": "earliest"}
_PATIENCE_SECONDS = 60


def log_partition(group: str) -> int:
    return partition_for(group, LOG_PARTITIONS)


class History:
    """`node`: a Kafka without topics and groups."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._at = f"{node.host}:{node.port}"

    def before_the_first_run(self) -> None:
        create_topics(self._at, {"orders": PARTITIONS, "payments": 1})
        self._produce(20)
        self._classic_group()
        self._commit(AUDIT, 3)
        delete_group(self._at, AUDIT)
        self._commit(ALTERED, 9, 9)
        self._alter(ALTERED, 2)
        self._consumer_protocol_group()
        self._share_group()
        self._transaction(COMMITTED, 8).commit_transaction(_PATIENCE_SECONDS)
        self._transaction(ABORTED, 8).abort_transaction(_PATIENCE_SECONDS)
        self._commit(BLOCKED, 2)
        self._open = self._transaction(STUCK, 8, 8)
        self._commit(STUCK, 3)
        self._commit(BLOCKED, 5)

    def before_the_second_run(self) -> None:
        """Every log partition goes on, and what the first run saw is deleted, overtaken or decided."""
        self._produce(10)
        self._open.commit_transaction(_PATIENCE_SECONDS)
        self._transaction(COMMITTED, 9).commit_transaction(_PATIENCE_SECONDS)
        self._commit(BLOCKED, 6)
        self._commit(LATE, 1, 1, 30)
        self._commit_past_the_last_payment(LATE)
        self._commit(BILLING, 12, 13, 14)
        self._commit(MODERN, 30)
        delete_group(self._at, ALTERED)

    def _produce(self, to_each: int) -> None:
        producer = Producer({"bootstrap.servers": self._at, "log_level": 0})
        for number in range(to_each * PARTITIONS):
            producer.produce("orders", value=b"an order", partition=number % PARTITIONS)
        assert producer.flush(_PATIENCE_SECONDS) == 0

    def _commit(self, group: str, *offsets: int) -> None:
        """Offsets of the first partitions, by somebody who is no member."""
        with closing(consumer_of(self._at, group)) as member:
            commit(member, _orders(*offsets))

    def _classic_group(self) -> None:
        """Two members join; one leaves, the other gets all partitions, commits and leaves too."""
        first, second = (consumer_of(self._at, BILLING, **_EARLIEST) for _ in range(2))
        for member in (first, second):
            member.subscribe(["orders"])
        poll_until([first, second], lambda: bool(first.assignment() and second.assignment()))
        owned = first.assignment()[0].partition
        commit(first, [TopicPartition("orders", owned, 5)])
        second.close()
        poll_until([first], lambda: len(first.assignment()) == PARTITIONS)
        commit(first, _orders(7, 8, 9))
        first.close()

    def _consumer_protocol_group(self) -> None:
        """KIP-848: records of the types 3 to 8."""
        with closing(consumer_of(self._at, MODERN, **_EARLIEST, **{"group.protocol": "consumer"})) as member:
            member.subscribe(["orders"])
            poll_until([member], lambda: len(member.assignment()) == PARTITIONS)
            commit(member, _orders(4))

    def _share_group(self) -> None:
        """KIP-932: records of types that nobody here decodes."""
        member = ShareConsumer({"bootstrap.servers": self._at, "group.id": SHARERS, "log_level": 0})
        member.subscribe(["orders"])
        end = time.monotonic() + _PATIENCE_SECONDS
        while SHARERS not in groups_of(self._node.host, self._node.port):
            assert time.monotonic() < end, "the share group did not come"
            member.poll(0.2)
        member.close()

    def _alter(self, group: str, offset: int) -> None:
        asked = [ConsumerGroupTopicPartitions(group, _orders(offset))]
        admin = admin_of(self._at)
        for each in admin.alter_consumer_group_offsets(asked).values():
            each.result(_PATIENCE_SECONDS)

    def _commit_past_the_last_payment(self, group: str) -> None:
        """Behind it is the marker of its transaction, which nobody commits past (trap 9)."""
        payments = TopicPartition("payments", 0)
        with closing(consumer_of(self._at, group)) as member:
            _, end = member.get_watermark_offsets(payments, _PATIENCE_SECONDS)
            commit(member, [TopicPartition("payments", 0, end - 1)])

    def _transaction(self, group: str, *offsets: int) -> Producer:
        """A transaction with a record and a commit of this group, both flushed and not decided; before it a plain commit of 1."""
        with closing(consumer_of(self._at, group)) as member:
            commit(member, _orders(1))
            producer = transactional_producer(self._at, group)
            producer.begin_transaction()
            producer.produce("payments", value=b"a payment")
            producer.send_offsets_to_transaction(_orders(*offsets), member.consumer_group_metadata(), _PATIENCE_SECONDS)
        assert producer.flush(_PATIENCE_SECONDS) == 0
        return producer


def _orders(*offsets: int) -> list[TopicPartition]:
    return [TopicPartition("orders", partition, offset) for partition, offset in enumerate(offsets)]
