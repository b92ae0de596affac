"""What was sent after a batch that was refused is not taken before it: clients send several without waiting for answers."""

from __future__ import annotations

import os

import pytest

from muster.log.contract import Leader
from muster.log.memory import MemoryStore
from muster.topics.broker import Broker
from muster.topics.broker_config import BrokerConfig
from muster.topics.creation import NewTopic
from muster.topics.limits import MAX_REFUSED_PRODUCERS
from muster.topics.produce import ProduceTerms
from muster.topics.refused_batches import KEPT_MS
from muster.wire import errors
from muster.wire.batch import parse_header
from tests.topics.bench_broker import NOW_MS, commit, numbered

HERE, THERE = 1, 2
FIRST, SECOND = numbered(7, 0, size=2), numbered(7, 2)


class LedThere:
    node_id = HERE
    is_alone = False

    def of(self, topic: str, partition: int, kept_epoch: int) -> Leader:
        return Leader(THERE, 4)


@pytest.fixture
def broker() -> Broker:
    """It has heard of the topic, and not yet that it leads its partition."""
    made = Broker(MemoryStore(), BrokerConfig(node_id=HERE), os.urandom, leaders=LedThere())
    made.start()
    made.create_topics([NewTopic("t", 1)])
    return made


def send(broker: Broker, records: bytes, now_ms: int = NOW_MS) -> tuple[int, int]:
    result = broker.produce("t", 0, records, ProduceTerms(), now_ms)
    return result.error_code, result.base_offset


def begin_to_lead(broker: Broker) -> None:
    broker.catalog.lead(broker.partition("t", 0), Leader(HERE, 5))


def test_a_batch_that_follows_a_refused_one_waits_until_that_one_comes_again(broker: Broker) -> None:
    assert send(broker, FIRST)[0] == errors.NOT_LEADER_OR_FOLLOWER
    begin_to_lead(broker)
    assert send(broker, SECOND)[0] == errors.NOT_LEADER_OR_FOLLOWER
    assert send(broker, FIRST) == (errors.NONE, 0)
    assert send(broker, SECOND) == (errors.NONE, 2)
    assert len(broker.refused_batches) == 0


def test_of_several_refused_batches_the_first_one_has_to_come_first(broker: Broker) -> None:
    for records in (SECOND, FIRST, SECOND):
        assert send(broker, records)[0] == errors.NOT_LEADER_OR_FOLLOWER
    begin_to_lead(broker)
    assert send(broker, SECOND)[0] == errors.NOT_LEADER_OR_FOLLOWER
    assert send(broker, FIRST) == (errors.NONE, 0)


def test_a_topic_that_was_not_known_yet_counts_too() -> None:
    broker = Broker(MemoryStore(), BrokerConfig(node_id=HERE), os.urandom)
    broker.start()
    assert send(broker, FIRST)[0] == errors.UNKNOWN_TOPIC_OR_PARTITION
    broker.create_topics([NewTopic("t", 1)])
    assert send(broker, SECOND)[0] == errors.NOT_LEADER_OR_FOLLOWER


def test_a_topic_that_was_named_by_its_id_counts_too(broker: Broker) -> None:
    """Produce since version 13, to a node that does not know the id yet."""
    broker.refused_batches.note(broker.partition("t", 0).topic.topic_id, 0, FIRST, NOW_MS)
    begin_to_lead(broker)
    assert send(broker, SECOND)[0] == errors.NOT_LEADER_OR_FOLLOWER
    assert send(broker, FIRST) == (errors.NONE, 0)
    assert len(broker.refused_batches) == 0


def test_of_a_producer_that_is_known_the_next_batch_is_not_called_out_of_order(broker: Broker) -> None:
    """The node led, gave up and leads again: what came in between has to come again."""
    begin_to_lead(broker)
    assert send(broker, FIRST) == (errors.NONE, 0)
    broker.refused_batches.note("t", 0, SECOND, NOW_MS)
    third = numbered(7, 3)
    assert send(broker, third)[0] == errors.NOT_LEADER_OR_FOLLOWER
    assert send(broker, SECOND) == (errors.NONE, 2)
    assert send(broker, third) == (errors.NONE, 3)
    assert send(broker, numbered(7, 9))[0] == errors.OUT_OF_ORDER_SEQUENCE_NUMBER, "nothing was refused before it"


def test_what_was_refused_here_and_stored_elsewhere_holds_nothing_up(broker: Broker) -> None:
    assert send(broker, FIRST)[0] == errors.NOT_LEADER_OR_FOLLOWER
    begin_to_lead(broker)
    log = broker.partition("t", 0).log
    log.append(FIRST, parse_header(FIRST), 4, NOW_MS)
    commit(broker)
    assert send(broker, SECOND) == (errors.NONE, 2)


def test_an_epoch_that_is_over_is_told_so_whatever_was_refused(broker: Broker) -> None:
    broker.refused_batches.note("t", 0, FIRST, NOW_MS)
    begin_to_lead(broker)
    assert send(broker, numbered(7, 0, epoch=1)) == (errors.NONE, 0)
    assert send(broker, SECOND)[0] == errors.INVALID_PRODUCER_EPOCH


def test_other_producers_other_epochs_and_batches_without_a_producer_are_not_held_up(broker: Broker) -> None:
    assert send(broker, FIRST)[0] == errors.NOT_LEADER_OR_FOLLOWER
    begin_to_lead(broker)
    assert send(broker, numbered(8, 5)) == (errors.NONE, 0)
    assert send(broker, numbered(7, 3, epoch=1)) == (errors.NONE, 1)


def test_a_producer_that_has_given_up_long_ago_may_begin_at_any_sequence(broker: Broker) -> None:
    assert send(broker, FIRST)[0] == errors.NOT_LEADER_OR_FOLLOWER
    begin_to_lead(broker)
    assert send(broker, SECOND, NOW_MS + KEPT_MS - 1)[0] == errors.NOT_LEADER_OR_FOLLOWER
    assert send(broker, SECOND, NOW_MS + KEPT_MS) == (errors.NONE, 0)


def test_no_more_are_remembered_than_the_limit(broker: Broker) -> None:
    for producer_id in range(MAX_REFUSED_PRODUCERS + 1):
        send(broker, numbered(producer_id, 0))
    assert len(broker.refused_batches) == MAX_REFUSED_PRODUCERS
    begin_to_lead(broker)
    assert send(broker, numbered(0, 4))[0] == errors.NONE
    assert send(broker, numbered(1, 4))[0] == errors.NOT_LEADER_OR_FOLLOWER


@pytest.mark.parametrize("records", [None, b"", b"no batch"])
def test_what_is_no_batch_is_not_remembered(broker: Broker, records: bytes | None) -> None:
    broker.produce("t", 0, records, ProduceTerms(), NOW_MS)
    broker.produce("t" * 300, 0, FIRST, ProduceTerms(), NOW_MS)
    assert len(broker.refused_batches) == 0
