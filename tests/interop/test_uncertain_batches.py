"""A real producer whose batches come to nodes that do not lead yet, or no longer: nothing is stored twice.

Between two nodes this takes a moment that cannot be hit; here the broker's answers are what the two would have given.
"""

from __future__ import annotations

from typing import Any

import pytest
from confluent_kafka import Producer

from muster.topics.broker import Broker
from muster.topics.produce import ProduceResult
from muster.wire.batch import parse_header
from muster.wire.errors import NOT_LEADER_OR_FOLLOWER
from tests.interop.waiting import PATIENCE_SECONDS
from tests.server.transactions.txn_client import TxnServer

pytestmark = pytest.mark.interop

TOPIC = "orders"
UNCERTAIN, TOO_EARLY = 0, 1
"""Partitions. Of the one, the first batch is stored by a node that loses its lease before it knows that. Of the other, the first
batch comes to a node that does not lead yet, and the second one to the same node when it does."""


class Answers:
    """In place of `Broker.produce`. The node begins to lead when something has come that follows the first batch of TOO_EARLY."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._produce = broker.produce
        self._leads = self._has_stored = False

    def produce(self, name: str, index: int, records: bytes | None, *args: Any, **more: Any) -> ProduceResult:
        sequence = parse_header(records or b"").base_sequence
        if index == UNCERTAIN and not self._has_stored:
            self._has_stored = True
            assert sequence == 0
            self._produce(name, index, records, *args, **more)
            return ProduceResult(NOT_LEADER_OR_FOLLOWER)
        self._leads = self._leads or (index == TOO_EARLY and sequence > 0)
        if self._leads:
            return self._produce(name, index, records, *args, **more)
        self._broker.refused_batches.note(name, index, records, now_ms=args[1])
        return ProduceResult(NOT_LEADER_OR_FOLLOWER)


def test_a_batch_that_comes_too_early_does_not_make_the_producer_store_another_one_twice() -> None:
    """librdkafka goes on with a new epoch, in all partitions, when it hears that a batch is out of order: what was stored and
    not acknowledged would come again under the new epoch, and nobody could tell."""
    with TxnServer({"num.partitions": "2"}) as server:
        server.run(setattr, server.node.broker, "produce", Answers(server.node.broker).produce)
        producer = Producer(
            {
                "bootstrap.servers": f"127.0.0.1:{server.port}",
                "enable.idempotence": True,
                "batch.num.messages": 1,
                "retry.backoff.ms": 50,
                "log_level": 0,
            }
        )
        acknowledged: list[tuple[Any, int, int]] = []
        for number in range(5):
            for partition in (UNCERTAIN, TOO_EARLY):
                producer.produce(
                    TOPIC,
                    f"order {number}",
                    partition=partition,
                    timestamp=server.node.clock.now_ms(),
                    callback=lambda error, sent: acknowledged.append((error, sent.partition(), sent.offset())),
                )
        assert producer.flush(PATIENCE_SECONDS) == 0
        assert sorted(acknowledged, key=str) == [
            (None, partition, offset) for partition in (UNCERTAIN, TOO_EARLY) for offset in range(5)
        ]
        for partition in (UNCERTAIN, TOO_EARLY):
            log = server.node.broker.partition(TOPIC, partition).log
            headers = [header for _, header in log.read_headers(0)]
            assert [(each.producer_epoch, each.base_sequence) for each in headers] == [
                (0, number) for number in range(5)
            ]
