"""`muster transactions list | describe | find-hanging | abort` at a broker with real transactional producers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from confluent_kafka import KafkaException

from muster.testing import Broker
from muster.topics.produce import ProduceTerms
from tests.cli.command import Told, muster
from tests.interop.transactional import ConfluentTransactions
from tests.server.transactions.txn_client import Producer, batch

Muster = Callable[..., Told]


@pytest.fixture
def tell(broker: Broker) -> Muster:
    return lambda *arguments: muster(*arguments, bootstrap=broker.bootstrap_servers)


def opened(broker: Broker, transactional_id: str, topic: str, *, partition: int = 0) -> ConfluentTransactions:
    """A producer with a transaction that has a record."""
    producer = ConfluentTransactions(broker.bootstrap_servers, transactional_id)
    producer.begin()
    producer.send(topic, partition, b"pending")
    return producer


STRANGER = Producer(999_999, 0)


def append_unverified(broker: Broker, topic: str, producer: Producer) -> None:
    """A batch that no coordinator was asked about, as brokers before KIP-890 took it. Its record is of 1970."""
    node = broker.kit.node
    terms = ProduceTerms(transaction_verified=True)
    result = node.broker.produce(topic, 0, batch(producer), terms, node.clock.now_ms())
    assert result.error_code == 0, result
    node.durable.soon()


# ---- list


def test_list_shows_each_transactional_id_with_its_state_and_filters_by_all_that_kafka_knows(
    broker: Broker, tell: Muster
) -> None:
    broker.create_topic("listed", 1)
    ConfluentTransactions(broker.bootstrap_servers, "listed-idle")
    producer = opened(broker, "listed-open", "listed")
    table = tell("transactions", "list").done().table
    assert table[0] == ["transaction", "state", "producer", "coordinator"]
    states = {row[0]: row[1] for row in table[1:]}
    assert (states["listed-idle"], states["listed-open"]) == ("Empty", "Ongoing")

    (row,) = tell("transactions", "list", "--state", "ongoing", "--pattern", "listed-.*", "--json").done().rows
    assert (row["transactional_id"], row["state"]) == ("listed-open", "Ongoing")
    producer_id = str(row["producer_id"])
    (same,) = tell("transactions", "list", "--producer-id", producer_id, "--verbose", "--json").done().rows
    assert (same["transactional_id"], same["partitions"]) == ("listed-open", [{"topic": "listed", "partition": 0}])
    assert same["timeout_ms"] == 60_000
    old = tell("transactions", "list", "--longer-than", "1h", "--json").done().rows
    assert "listed-open" not in {row["transactional_id"] for row in old}
    producer.abort()


def test_a_state_or_pattern_that_makes_no_sense_is_refused(tell: Muster) -> None:
    why = tell("transactions", "list", "--state", "ongoin").refused(2)
    assert "--state ongoin: no such word; did you mean ongoing? There are Empty, Ongoing" in why
    assert "INVALID_REGULAR_EXPRESSION" in tell("transactions", "list", "--pattern", "(").refused(1)


# ---- describe


def test_describe_names_partitions_and_the_groups_whose_offsets_are_held_back(broker: Broker, tell: Muster) -> None:
    broker.create_topic("source", 2)
    broker.create_topic("sink", 1)
    producer = ConfluentTransactions(broker.bootstrap_servers, "described")
    for offset in (1, 2):  # the second time there is a committed offset that the pending one stands before
        producer.begin()
        producer.send("sink", 0, b"value")
        producer.send_offsets("described-group", "source", {0: offset, 1: offset})
        if offset == 1:
            producer.commit()
    (row,) = tell("transactions", "describe", "described", "--json").done().rows
    assert row["state"] == "Ongoing"
    assert {"topic": "sink", "partition": 0} in row["partitions"]
    assert row["groups"] == [
        {
            "group": "described-group",
            "partitions": [{"topic": "source", "partition": 0}, {"topic": "source", "partition": 1}],
            "is_certain": True,
        }
    ]
    shown = tell("transactions", "describe", "described").done().out
    assert "partitions without an end marker: __consumer_offsets " in shown
    assert "described-group  source 0, 1  yes" in shown

    (group,) = tell("groups", "describe", "described-group", "--json").done().rows
    assert [each["is_unstable"] for each in group["offsets"]] == [True, True]
    assert [each["transactional_id"] for each in group["held_by"]] == ["described"]
    shown = tell("groups", "describe", "described-group").done().out
    assert "source 0, 1: not final; transaction described (producer " in shown
    producer.commit()
    (group,) = tell("groups", "describe", "described-group", "--json").done().rows
    assert ([each["is_unstable"] for each in group["offsets"]], group["held_by"]) == ([False, False], [])


def test_an_id_that_nobody_knows_gets_a_suggestion(broker: Broker, tell: Muster) -> None:
    ConfluentTransactions(broker.bootstrap_servers, "invoices-7")
    why = tell("transactions", "describe", "invoice-7").refused(1)
    assert "TRANSACTIONAL_ID_NOT_FOUND: there is no such transactional id. Did you mean invoices-7?" in why


# ---- abort


def test_abort_by_id_is_a_dry_run_until_it_is_told_to_execute_and_then_fences_the_producer(
    broker: Broker, tell: Muster
) -> None:
    broker.create_topic("aborted", 1)
    producer = opened(broker, "to-abort", "aborted")
    dry = tell("transactions", "abort", "to-abort").done()
    assert "would be aborted" in dry.out
    assert "--execute" in dry.err
    (row,) = tell("transactions", "list", "--pattern", "to-abort", "--json").done().rows
    assert row["state"] == "Ongoing"

    (done,) = tell("transactions", "abort", "to-abort", "--execute", "--json").done().rows
    assert done["outcome"].startswith("aborted; producer ")
    (row,) = tell("transactions", "describe", "to-abort", "--json").done().rows
    assert (row["state"], row["partitions"]) == ("Empty", [])
    with pytest.raises(KafkaException, match=producer.fenced):
        producer.commit()


def test_abort_of_an_id_without_a_transaction_fails_and_says_so(broker: Broker, tell: Muster) -> None:
    ConfluentTransactions(broker.bootstrap_servers, "idle")
    told = tell("transactions", "abort", "idle", "--execute")
    assert (told.code, "idle is Empty: no transaction is open" in told.err) == (1, True)
    assert "nothing to abort" in told.out


def test_a_transaction_that_hangs_in_a_partition_is_found_and_aborted_there(broker: Broker, tell: Muster) -> None:
    """As `kafka-transactions.sh find-hanging` and `abort`: DescribeProducers, then WriteTxnMarkers (KIP-664)."""
    broker.create_topic("hung", 1)
    broker.run(append_unverified, broker, "hung", STRANGER)
    (row,) = tell("transactions", "find-hanging", "--topic", "hung", "--json").done().rows
    assert (row["producer_id"], row["start_offset"]) == (STRANGER.producer_id, 0)
    assert row["why"] == "no coordinator knows the producer id"
    at = ("transactions", "abort", "--topic", "hung:0", "--start-offset", "0")
    assert "an abort marker would be written" in tell(*at).done().out
    assert "aborted in this partition" in tell(*at, "--execute").done().out
    assert tell("transactions", "find-hanging", "--topic", "hung").done().out == ""
    assert "no open transaction begins at offset 0" in tell(*at, "--execute").refused(1)


def test_an_open_transaction_that_its_coordinator_knows_does_not_hang(broker: Broker, tell: Muster) -> None:
    broker.create_topic("not-hung", 1)
    producer = opened(broker, "alive", "not-hung")
    assert tell("transactions", "find-hanging", "--topic", "not-hung", "--longer-than", "0s").done().out == ""
    dry = tell("transactions", "abort", "--topic", "not-hung:0", "--start-offset", "0").done()
    assert "the coordinator has transaction alive as Ongoing: `abort alive` ends it everywhere" in dry.err
    producer.abort()


def test_abort_without_a_word_on_which_is_a_mistake(tell: Muster) -> None:
    assert "name a transactional id, or a partition" in tell("transactions", "abort").refused(2)
    assert "one of both" in tell("transactions", "abort", "a", "--topic", "b:0").refused(2)
    assert "--start-offset or --producer-id" in tell("transactions", "abort", "--topic", "b:0").refused(2)
