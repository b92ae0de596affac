"""Transactions over the end of a server process: open ones stay open, decided ones are completed (spec 14.2)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition

from tests.interop.broker_process import QUICK_GROUPS, BrokerProcess
from tests.interop.client_confluent import QUIET, ConfluentClient
from tests.interop.transactional import ConfluentTransactions, read_to_end
from tests.interop.vocabulary import Sent
from tests.interop.waiting import PATIENCE_SECONDS, eventually

pytestmark = pytest.mark.interop

TOPIC, SOURCE, GROUP, NAME = "orders", "source", "keepers", "tx"
NO_OFFSET = -1001
ENDS: tuple[Callable[[BrokerProcess], None], ...] = (BrokerProcess.kill, BrokerProcess.stop)


def read(broker: BrokerProcess, *, committed: bool = True, partition: int = 0) -> list[bytes]:
    return read_to_end("confluent-kafka", broker.address, TOPIC, partition, committed=committed)


def committed_offset(broker: BrokerProcess) -> int:
    consumer = Consumer({"bootstrap.servers": broker.address, "group.id": GROUP, **QUIET})
    (found,) = consumer.committed([TopicPartition(SOURCE, 0)], timeout=PATIENCE_SECONDS)
    consumer.close()
    assert found.error is None
    return int(found.offset)


def create_topics(broker: BrokerProcess) -> None:
    client = ConfluentClient(broker.address)
    client.create_topic(TOPIC, 2)
    client.create_topic(SOURCE)
    client.close()


def send_plain(broker: BrokerProcess, value: bytes) -> None:
    client = ConfluentClient(broker.address)
    client.send(TOPIC, 0, [Sent(value)])
    client.close()


@pytest.mark.parametrize("end", ENDS, ids=["killed", "stopped"])
def test_an_open_transaction_stays_open_until_its_producer_comes_back(
    tmp_path: Path, end: Callable[[BrokerProcess], None]
) -> None:
    with BrokerProcess(tmp_path, QUICK_GROUPS) as broker:
        create_topics(broker)
        lost = ConfluentTransactions(broker.address, NAME)
        lost.begin()
        lost.send(TOPIC, 0, b"open")
        lost.send_offsets(GROUP, SOURCE, {0: 9})
        end(broker)
        broker.start()
        send_plain(broker, b"plain")
        assert read(broker) == []
        assert read(broker, committed=False) == [b"open", b"plain"]
        heir = ConfluentTransactions(broker.address, NAME)
        eventually("the abort of what was open", partial(read, broker), [b"plain"].__eq__)
        assert committed_offset(broker) == NO_OFFSET
        heir.begin()
        heir.send(TOPIC, 0, b"next")
        heir.commit()
        eventually("the next transaction", partial(read, broker), [b"plain", b"next"].__eq__)


def test_what_was_said_to_be_committed_is_completed_after_a_kill_by_itself(tmp_path: Path) -> None:
    """Killed as soon as EndTxn is answered, before, while or after the markers are written."""
    rounds = 4
    with BrokerProcess(tmp_path, QUICK_GROUPS) as broker:
        create_topics(broker)
        for number in range(rounds):
            writer = ConfluentTransactions(broker.address, f"{NAME} {number}")
            writer.begin()
            writer.send(TOPIC, 0, b"%d" % number)
            writer.send(TOPIC, 1, b"%d" % number)
            writer.send_offsets(GROUP, SOURCE, {0: number + 1})
            writer.commit()
            broker.kill()
            broker.start()
            expected = [b"%d" % each for each in range(number + 1)]
            for partition in range(2):
                eventually("the markers", partial(read, broker, partition=partition), expected.__eq__)
            eventually("the offset", partial(committed_offset, broker), (number + 1).__eq__)


@pytest.mark.parametrize("end", ENDS, ids=["killed", "stopped"])
def test_a_producer_goes_on_with_its_transaction_over_a_restart(
    tmp_path: Path, end: Callable[[BrokerProcess], None]
) -> None:
    with BrokerProcess(tmp_path, QUICK_GROUPS) as broker:
        create_topics(broker)
        writer = ConfluentTransactions(broker.address, NAME)
        writer.begin()
        writer.send(TOPIC, 0, b"before")
        end(broker)
        broker.start()
        writer.send(TOPIC, 0, b"after")
        writer.send(TOPIC, 1, b"other partition")
        writer.send_offsets(GROUP, SOURCE, {0: 5})
        writer.commit()
        eventually("the transaction", partial(read, broker), [b"before", b"after"].__eq__)
        eventually("its other partition", partial(read, broker, partition=1), [b"other partition"].__eq__)
        eventually("its offset", partial(committed_offset, broker), (5).__eq__)
        writer.begin()
        writer.send(TOPIC, 0, b"not kept")
        writer.abort()
        assert read(broker) == [b"before", b"after"]
