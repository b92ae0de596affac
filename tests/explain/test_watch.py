"""What a live view counts: the lag of the partitions where it is known, and those where it is not."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from confluent_kafka import Consumer, TopicPartition

from muster.cli.groups.watch import lag_words
from muster.client import admin, offsets
from muster.client.cluster import Cluster
from muster.client.failure import ClientError
from muster.explain.from_cluster import partitions_of_internal
from muster.explain.watch import Glance, Watch
from muster.testing import Broker
from muster.wire.errors import TOPIC_AUTHORIZATION_FAILED


def glance_at(broker: Broker, group: str) -> Glance:
    async def look() -> list[Glance]:
        async with Cluster(broker.bootstrap_servers) as cluster:
            return await Watch(cluster, [group]).look()

    (glance,) = asyncio.run(look())
    return glance


def test_partitions_whose_end_cannot_be_told_are_counted_and_the_others_are_in_the_lag(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As for a user who may read one topic and not the other."""
    list_offsets: Any = offsets.list_offsets

    async def refuse(cluster: Cluster, places: Any, *more: Any, **named: Any) -> Any:
        if any(place.topic == "closed" for place in places):
            raise ClientError(TOPIC_AUTHORIZATION_FAILED, "list offsets of closed")
        return await list_offsets(cluster, places, *more, **named)

    monkeypatch.setattr(offsets, "list_offsets", refuse)
    with Broker(topics={"open": 1, "closed": 2}) as broker:
        broker.produce("open", *"abc")
        reader = Consumer({"bootstrap.servers": broker.bootstrap_servers, "group.id": "billing"})
        places = [TopicPartition("open", 0, 1), TopicPartition("closed", 0, 0), TopicPartition("closed", 1, 0)]
        reader.commit(offsets=places, asynchronous=False)
        glance = glance_at(broker, "billing")
        assert (glance.lag, glance.uncommitted, glance.without_end) == (2, 0, 2)
        assert lag_words(glance) == "2 (2 partitions without a known end)"
        reader.close()

    with Broker(topics={"closed": 1}) as broker:
        reader = Consumer({"bootstrap.servers": broker.bootstrap_servers, "group.id": "billing"})
        reader.commit(offsets=[TopicPartition("closed", 0, 0)], asynchronous=False)
        reader.close()
        glance = glance_at(broker, "billing")
        assert (glance.lag, lag_words(glance)) == (None, "- (1 partition without a known end)")


def test_a_journal_that_a_client_of_a_kafka_made_is_nobodys_history() -> None:
    offsets_log = admin.TopicDescription("__consumer_offsets", bytes(16), True, ())
    journal = admin.TopicDescription("__group_journal", bytes(16), True, ())
    assert partitions_of_internal([offsets_log, journal]) == {"__consumer_offsets": 0, "__group_journal": 0}
    assert partitions_of_internal([offsets_log, replace(journal, is_internal=False)]) == {"__consumer_offsets": 0}
