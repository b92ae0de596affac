"""A server that stops, or is killed, and comes back on the same port and data: clients that stay open go on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.interop.broker_process import BrokerProcess
from tests.interop.vocabulary import Client, Sent


@pytest.fixture
def staying_client(library: type[Client], own_server: BrokerProcess) -> Iterator[Client]:
    client = library(own_server.address)
    yield client
    client.close()


def test_records_are_read_again_by_the_same_client_after_a_restart(
    own_server: BrokerProcess, staying_client: Client, topic: str
) -> None:
    staying_client.create_topic(topic, 2, {"retention.ms": "7777777"})
    sender = staying_client.sender(compression="lz4", idempotent=True)
    sent = [Sent(b"%d" % number, b"key", (("h", b"v"),), 1_000 + number) for number in range(20)]
    assert sender.send(topic, 1, sent) == list(range(20))
    reader = staying_client.reader(topic, 1)
    before = reader.read(20)
    own_server.restart()
    reader.seek_to_beginning()
    assert reader.read(20) == before
    newcomer = type(staying_client)(own_server.address)
    assert newcomer.topics()[topic] == 2
    assert newcomer.configs(topic)["retention.ms"] == "7777777"
    newcomer.close()


def test_an_idempotent_producer_goes_on_where_it_was_after_a_kill(
    own_server: BrokerProcess, staying_client: Client, topic: str
) -> None:
    """What was acknowledged is there (fsync before the reply), and the sequence numbers of the producer are known."""
    staying_client.create_topic(topic)
    sender = staying_client.sender(idempotent=True)
    assert sender.send(topic, 0, [Sent(b"before %d" % number) for number in range(10)]) == list(range(10))
    own_server.kill()
    own_server.start()
    assert sender.send(topic, 0, [Sent(b"after %d" % number) for number in range(10)]) == list(range(10, 20))
    values = [record.value for record in staying_client.reader(topic).read(20)]
    assert values == [b"before %d" % number for number in range(10)] + [b"after %d" % number for number in range(10)]


def test_deleted_records_and_topics_stay_deleted_after_a_restart(
    own_server: BrokerProcess, library: type[Client], topic: str
) -> None:
    client = library(own_server.address)
    for name in (topic, f"{topic}.gone"):
        client.create_topic(name)
        client.send(name, 0, [Sent(b"v")] * 10)
    client.delete_records(topic, 0, 4)
    client.delete_topic(f"{topic}.gone")
    client.close()
    own_server.restart()
    newcomer = library(own_server.address)
    assert newcomer.reader(topic).watermarks() == (4, 10)
    assert f"{topic}.gone" not in newcomer.topics()
    newcomer.close()
