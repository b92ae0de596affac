"""A node that believes in an older epoch than the database knows does not lead (decision 0012)."""

from __future__ import annotations

from random import Random

import pytest

from muster.cluster.plan import Slot
from muster.log.contract import NOBODY, Leader, LedElsewhere
from muster.runtime.cluster_seat import ClusterLeaders
from muster.sim.cluster_store import ClusterStore
from muster.sim.database import SimDatabase
from muster.topics.broker import Broker
from muster.topics.broker_config import BrokerConfig
from muster.topics.creation import NewTopic
from muster.topics.topic import Partition


@pytest.fixture
def database() -> SimDatabase:
    return SimDatabase(lambda: 0, 3_000)


def node_over(database: SimDatabase) -> Broker:
    return Broker(ClusterStore(database, 1), BrokerConfig(), Random(1).randbytes, leaders=ClusterLeaders(1))


@pytest.fixture
def partition(database: SimDatabase) -> Partition:
    """Of node 1, at epoch 2 in the database."""
    broker = node_over(database)
    broker.start()
    broker.create_topics([NewTopic("t", 1, 1)])
    row = database.partitions[Slot("t", 0)]
    row.give_to(1, 0)
    row.give_to(1, 0)
    return broker.partition("t", 0)


def lead(database: SimDatabase, partition: Partition, epoch: int) -> None:
    node_over(database).catalog.lead(partition, Leader(1, epoch))


def test_with_the_epoch_of_the_database_it_leads(database: SimDatabase, partition: Partition) -> None:
    lead(database, partition, 2)
    assert partition.is_led_here
    assert partition.leader_epoch == 2


def test_with_an_older_epoch_it_does_not_lead_and_has_no_log(database: SimDatabase, partition: Partition) -> None:
    """Found by `muster sim --nodes 3`: records of epoch 1 came after those that another node had written in epoch 2."""
    with pytest.raises(LedElsewhere, match="t-0 is led since epoch 2, not 1"):
        lead(database, partition, 1)
    assert not partition.is_led_here
    with pytest.raises(LedElsewhere):
        partition.log.read(0, 1)


def test_who_heard_nothing_of_a_topic_leads_nothing_of_it(partition: Partition) -> None:
    assert (partition.leader_id, partition.is_led_here) == (NOBODY, False)
