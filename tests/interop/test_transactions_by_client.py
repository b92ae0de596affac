"""Transactions with each client library: all or nothing is seen, zombies are fenced, what is left open is aborted (spec 14)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from confluent_kafka import Consumer, KafkaException, TopicPartition

from tests.interop.broker_process import QUICK_GROUPS, BrokerProcess
from tests.interop.client_confluent import QUIET, ConfluentClient
from tests.interop.transactional import PRODUCERS, ConfluentTransactions, TransactionalProducer, read_to_end
from tests.interop.vocabulary import Sent
from tests.interop.waiting import PATIENCE_SECONDS, eventually

PARTITIONS = 3
SETTINGS = {**QUICK_GROUPS, "transaction.abort.timed.out.transaction.cleanup.interval.ms": "200"}

Make = Callable[..., TransactionalProducer]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    """It looks for transactions that have timed out more often than every ten seconds."""
    with BrokerProcess(tmp_path_factory.mktemp("server"), SETTINGS) as running:
        yield running


@pytest.fixture(params=PRODUCERS, ids=lambda kind: kind.library)
def kind(request: pytest.FixtureRequest) -> type[TransactionalProducer]:
    chosen: type[TransactionalProducer] = request.param
    return chosen


@pytest.fixture
def producer(server: BrokerProcess, kind: type[TransactionalProducer], topic: str) -> Iterator[Make]:
    """Makes producers with the transactional id of the test, which has its topic."""
    admin = ConfluentClient(server.address)
    admin.create_topic(topic, PARTITIONS)
    opened: list[TransactionalProducer] = []

    def make(**fields: int) -> TransactionalProducer:
        opened.append(kind(server.address, f"tx of {topic}", **fields))
        return opened[-1]

    yield make
    for each in opened:
        each.close()
    admin.close()


@pytest.fixture
def seen(server: BrokerProcess, kind: type[TransactionalProducer], topic: str) -> Callable[..., list[bytes]]:
    """What a consumer of the same library reads."""

    def read(partition: int = 0, *, committed: bool = True) -> list[bytes]:
        return read_to_end(kind.library, server.address, topic, partition, committed=committed)

    return read


Seen = Callable[..., list[bytes]]


def committed_offsets(server: BrokerProcess, group: str, topic: str, count: int = 1) -> list[int]:
    """As OffsetFetch tells a consumer that requires stable offsets; -1001 is none."""
    consumer = Consumer({"bootstrap.servers": server.address, "group.id": group, **QUIET})
    found = consumer.committed([TopicPartition(topic, index) for index in range(count)], timeout=PATIENCE_SECONDS)
    consumer.close()
    assert all(each.error is None for each in found)
    return [each.offset for each in found]


NO_OFFSET = -1001


def test_a_transaction_is_seen_when_it_is_committed_and_an_aborted_one_never(
    producer: Make, seen: Seen, topic: str
) -> None:
    writer = producer()
    writer.begin()
    writer.send(topic, 0, b"a1", b"a2")
    assert (seen(), seen(committed=False)) == ([], [b"a1", b"a2"])
    writer.commit()
    eventually("the markers, which may come after the answer", seen, lambda values: values == [b"a1", b"a2"])
    writer.begin()
    writer.send(topic, 0, b"b1", b"b2")
    writer.abort()
    writer.begin()
    writer.send(topic, 0, b"c1")
    writer.commit()
    eventually("all that was committed", seen, lambda values: values == [b"a1", b"a2", b"c1"])
    assert seen(committed=False) == [b"a1", b"a2", b"b1", b"b2", b"c1"]


def test_many_transactions_in_a_row_on_several_partitions(producer: Make, seen: Seen, topic: str) -> None:
    writer = producer()
    committed: list[list[bytes]] = [[] for _ in range(PARTITIONS)]
    everything: list[list[bytes]] = [[] for _ in range(PARTITIONS)]
    for number in range(20):
        writer.begin()
        for partition in range(PARTITIONS):
            if (number + partition) % 4:
                values = [b"%d of transaction %d" % (each, number) for each in range(3)]
                writer.send(topic, partition, *values)
                everything[partition] += values
                committed[partition] += [] if number % 3 == 0 else values
        if number % 3 == 0:
            writer.abort()
        else:
            writer.commit()
    for partition, expected in enumerate(committed):
        eventually("all that was committed", partial(seen, partition), expected.__eq__)
        assert seen(partition, committed=False) == everything[partition]


def test_offsets_and_records_are_committed_together_or_not_at_all(
    server: BrokerProcess, producer: Make, seen: Seen, topic: str
) -> None:
    """Consume, transform, produce."""
    group, source = f"group of {topic}", f"{topic}.source"
    admin = ConfluentClient(server.address)
    admin.create_topic(source, 1)
    writer = producer()
    for number, is_kept in enumerate((False, True, True)):
        writer.begin()
        writer.send(topic, 1, b"made of %d" % number)
        writer.send_offsets(group, source, {0: number + 1})
        if is_kept:
            writer.commit()
        else:
            writer.abort()
            assert committed_offsets(server, group, source) == [NO_OFFSET]
    eventually("the last commit", lambda: committed_offsets(server, group, source), lambda found: found == [3])
    eventually("the records", lambda: seen(1), lambda values: values == [b"made of 1", b"made of 2"])
    admin.close()


def test_pending_offsets_hold_a_stable_fetch_until_the_end(server: BrokerProcess, producer: Make, topic: str) -> None:
    """librdkafka asks for stable offsets and tries again while they are not: it hears the offsets after the end, or nothing."""
    group = f"group of {topic}"
    writer = producer()
    writer.begin()
    writer.send_offsets(group, topic, {0: 7})
    consumer = Consumer(
        {"bootstrap.servers": server.address, "group.id": group, "isolation.level": "read_committed", **QUIET}
    )
    asked = TopicPartition(topic, 0)
    with pytest.raises(KafkaException, match=r"UNSTABLE_OFFSET_COMMIT|_TIMED_OUT"):
        _fetch_offset(consumer, asked)
    writer.commit()
    assert consumer.committed([asked], timeout=PATIENCE_SECONDS)[0].offset == 7
    consumer.close()


def _fetch_offset(consumer: Consumer, asked: TopicPartition) -> None:
    """The error may be the call's or the partition's."""
    (found,) = consumer.committed([asked], timeout=1)
    if found.error is not None:
        raise KafkaException(found.error)


def test_a_second_producer_fences_the_first_and_aborts_its_transaction(producer: Make, seen: Seen, topic: str) -> None:
    zombie = producer()
    zombie.begin()
    zombie.send(topic, 0, b"of the zombie")
    heir = producer()
    assert seen() == []
    with pytest.raises(Exception, match=zombie.fenced):
        _naming_the_error(zombie.commit)
    heir.begin()
    heir.send(topic, 0, b"of the heir")
    heir.commit()
    eventually("the record of the heir", seen, lambda values: values == [b"of the heir"])
    assert seen(committed=False) == [b"of the zombie", b"of the heir"]


def test_a_transaction_that_is_open_too_long_is_aborted(
    server: BrokerProcess, producer: Make, seen: Seen, topic: str
) -> None:
    """A plain record behind it shows it: read_committed sees it when the transaction holds the last stable offset no longer."""
    writer = producer(timeout_ms=1_000)
    writer.begin()
    writer.send(topic, 0, b"too late")
    other = ConfluentClient(server.address)
    other.send(topic, 0, [Sent(b"plain")])
    other.close()
    eventually("the end of the transaction", seen, lambda values: values == [b"plain"])
    with pytest.raises(Exception, match=r".*"):  # the libraries differ in what they call it
        writer.commit()
    assert seen() == [b"plain"]
    assert seen(committed=False) == [b"too late", b"plain"]


def test_a_live_member_of_a_group_consumes_transforms_and_produces(server: BrokerProcess, topic: str) -> None:
    """With the generation and member id of the consumer (KIP-447), each transaction a few records."""
    source, group = f"{topic}.source", f"group of {topic}"
    client = ConfluentClient(server.address)
    client.create_topic(topic)
    client.create_topic(source, 2)
    for partition in range(2):
        client.send(source, partition, [Sent(b"%d" % number) for number in range(partition, 30, 2)])
    consumer = Consumer(
        {
            "bootstrap.servers": server.address,
            "group.id": group,
            "isolation.level": "read_committed",
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            **QUIET,
        }
    )
    consumer.subscribe([source])
    writer = ConfluentTransactions(server.address, f"tx of {topic}")
    taken: list[bytes] = []

    def take_some() -> int:
        messages = consumer.consume(5, timeout=1)
        if messages:
            writer.begin()
            writer.send(topic, 0, *(b"made of " + message.value() for message in messages))
            places = consumer.position(consumer.assignment())
            writer.producer.send_offsets_to_transaction(places, consumer.consumer_group_metadata(), PATIENCE_SECONDS)
            writer.commit()
            taken.extend(message.value() for message in messages)
        return len(taken)

    eventually("all records of the source", take_some, lambda count: count == 30)
    assert committed_offsets(server, group, source, 2) == [15, 15]
    consumer.close()
    assert read_to_end("confluent-kafka", server.address, topic, committed=True) == [
        b"made of " + each for each in taken
    ]
    client.close()


def test_offsets_of_a_member_that_has_left_are_refused_and_the_transaction_can_be_aborted(
    server: BrokerProcess, topic: str
) -> None:
    """KIP-447: a zombie is fenced by its group, too, if it has a transactional id of its own."""
    group = f"group of {topic}"
    client = ConfluentClient(server.address)
    client.create_topic(topic)
    zombie = Consumer({"bootstrap.servers": server.address, "group.id": group, **QUIET})
    zombie.subscribe([topic])
    eventually("its partition", lambda: zombie.poll(0.1) is None and zombie.assignment())
    membership = zombie.consumer_group_metadata()
    zombie.close()
    writer = ConfluentTransactions(server.address, f"tx of {topic}")
    writer.begin()
    writer.send(topic, 0, b"of the zombie")
    with pytest.raises(KafkaException) as refused:
        writer.producer.send_offsets_to_transaction([TopicPartition(topic, 0, 1)], membership, PATIENCE_SECONDS)
    assert refused.value.args[0].txn_requires_abort()
    writer.abort()
    assert committed_offsets(server, group, topic) == [NO_OFFSET]
    assert read_to_end("confluent-kafka", server.address, topic, committed=True) == []
    client.close()


def _naming_the_error(call: Callable[[], None]) -> None:
    """The libraries put the name of an error in its class or in its text: here it is in the text."""
    try:
        call()
    except Exception as error:
        name = error.args[0].name() if isinstance(error, KafkaException) else ""
        raise RuntimeError(f"{type(error).__name__} {name}: {error}") from error
