"""Produce of transactional batches over TCP: each version's words, and which batches need a transaction (spec 14.1)."""

from __future__ import annotations

import threading

import pytest

from muster.topics.limits import RECORDS_IN_LOOP
from muster.wire.batch import Record, encode_batch
from muster.wire.errors import (
    CONCURRENT_TRANSACTIONS,
    CORRUPT_MESSAGE,
    INVALID_PRODUCER_EPOCH,
    INVALID_PRODUCER_ID_MAPPING,
    INVALID_RECORD,
    INVALID_TXN_STATE,
    NONE,
    OUT_OF_ORDER_SEQUENCE_NUMBER,
    TRANSACTION_ABORTABLE,
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from tests.server.groups.group_client import Waiting
from tests.server.transactions.txn_client import NAME, Producer, TxnClient, TxnServer, batch, produce_request

NOBODY = Producer(-1, -1)


@pytest.mark.parametrize(
    ("version", "code"),
    [(version, INVALID_TXN_STATE) for version in range(3, 11)] + [(11, TRANSACTION_ABORTABLE), (12, NONE)],
)
def test_a_partition_that_was_not_added(client: TxnClient, version: int, code: int) -> None:
    producer = client.started()
    client.add(producer, ("orders", [1]))
    assert client.produced(producer, version=version) == code
    assert client.end_offset() == (1 if code == NONE else 0)


def test_version_12_begins_a_transaction_by_itself(server: TxnServer, client: TxnClient) -> None:
    producer = client.started()
    places = [("orders", 0, batch(producer)), ("returns", 1, batch(producer))]
    assert client.produce(*places, version=12) == [(NONE, 0), (NONE, 0)]
    (described,) = client.describe_txns(NAME)
    found = sorted((topic.topic, list(topic.partitions)) for topic in described.topics)
    assert (described.transaction_state, found) == ("Ongoing", [("orders", [0]), ("returns", [1])])
    assert client.end_offset(committed=True) == 0
    assert client.end(producer, version=5).producer_epoch == 1
    server.settle()
    assert client.end_offset(committed=True) == 2
    assert client.produced(producer, 1, version=12) == INVALID_PRODUCER_EPOCH
    assert client.produced(producer.at(1), version=12) == NONE


@pytest.mark.parametrize("version", [3, 11, 12])
def test_another_epoch_is_fenced_in_the_same_words_by_every_version(client: TxnClient, version: int) -> None:
    producer = client.started()
    client.add(producer, ("orders", [0]))
    for epoch in (-1, 1) if version < 12 else (1,):
        assert client.produced(producer.at(epoch), version=version) == INVALID_PRODUCER_EPOCH
    assert client.end_offset() == 0


def test_before_and_after_a_transaction_nothing_is_taken(server: TxnServer, client: TxnClient) -> None:
    producer = client.started()
    assert client.produced(producer) == TRANSACTION_ABORTABLE
    client.add(producer, ("orders", [0]))
    assert [client.produced(producer, sequence) for sequence in (0, 1)] == [NONE, NONE]
    client.end(producer)
    server.settle()
    assert client.produced(producer, 2) == TRANSACTION_ABORTABLE
    assert client.end_offset() == 3


def test_a_transactional_batch_without_a_transactional_id(client: TxnClient) -> None:
    """Without any authorizer."""
    producer = client.started()
    client.add(producer, ("orders", [0]))
    plain = batch(client.started("other"), transactional=False)
    both = [("orders", 0, batch(producer)), ("returns", 0, plain)]
    assert [error for error, _ in client.produce(*both, name=None)] == [TRANSACTIONAL_ID_AUTHORIZATION_FAILED] * 2
    assert (client.end_offset(), client.end_offset("returns")) == (0, 0)


def test_a_batch_that_is_overtaken_by_the_end_of_its_transaction_is_refused(
    server: TxnServer, client: TxnClient
) -> None:
    """Many records are judged in a thread. Were they appended behind the marker, no other would ever come for them."""
    producer = client.started()
    client.add(producer, ("orders", [0]))
    may_go_on = threading.Event()
    server.run(server.node.validate_apart, may_go_on.wait, lambda: None)
    records = encode_batch(
        [Record(offset, 1_000, None, b"v") for offset in range(RECORDS_IN_LOOP + 1)],
        producer_id=producer.producer_id,
        producer_epoch=producer.epoch,
        base_sequence=0,
        transactional=True,
    )
    waiting = client.begin("Produce", 11, produce_request(("orders", 0, records)))
    server.barrier()
    other = server.txn_client()
    assert other.end(producer, commit=False).error_code == NONE
    server.settle()
    assert other.state_of() == "CompleteAbort"
    may_go_on.set()
    (topic,) = waiting.answer().responses
    assert topic.partition_responses[0].error_code == INVALID_TXN_STATE
    assert (other.end_offset(), other.end_offset(committed=True)) == (1, 1)


def test_two_producers_in_one_request(client: TxnClient) -> None:
    one, two = client.started("one"), client.started("two")
    for each in (one, two):
        client.add(each, ("orders", [0, 1]))
    for other in (two, one.at(5)):
        both = [("orders", 0, batch(one)), ("orders", 1, batch(other))]
        for version in (11, 12):
            answers = client.produce(*both, name="one", version=version)
            assert [error for error, _ in answers] == [INVALID_PRODUCER_ID_MAPPING] * 2
    assert (client.end_offset(), client.end_offset("orders", 1)) == (0, 0)


@pytest.mark.parametrize("version", [11, 12])
def test_a_batch_without_producer_is_taken_and_is_in_no_transaction(client: TxnClient, version: int) -> None:
    producer = client.started()
    client.add(producer, ("orders", [1]))
    both = [("orders", 0, batch(NOBODY, -1)), ("orders", 1, batch(producer))]
    assert [error for error, _ in client.produce(*both, version=version)] == [NONE, NONE]
    assert client.end_offset(committed=True) == 1
    assert client.end_offset("orders", 1, committed=True) == 0


def test_a_plain_batch_of_the_same_producer(client: TxnClient) -> None:
    producer = client.started()
    client.add(producer, ("orders", [0]))
    assert client.produced(producer) == NONE
    inside, outside = (("orders", index, batch(producer, 1 - index, transactional=False)) for index in (0, 1))
    assert client.produce(inside, outside) == [(INVALID_TXN_STATE, -1), (NONE, 0)]


@pytest.mark.parametrize(("version", "code"), [(11, NONE), (12, OUT_OF_ORDER_SEQUENCE_NUMBER)])
def test_a_first_sequence_that_is_not_0(client: TxnClient, version: int, code: int) -> None:
    producer = client.started()
    client.add(producer, ("orders", [0]) if version == 11 else ("returns", [0]))
    assert client.produced(producer, 7, version=version) == code
    (described,) = client.describe_txns(NAME)
    assert "orders" in [topic.topic for topic in described.topics]


def test_duplicates_get_their_old_offset(client: TxnClient) -> None:
    producer = client.started()
    client.add(producer, ("orders", [0]))
    for sequence in range(6):
        assert client.produced(producer, sequence) == NONE
    assert client.produce(("orders", 0, batch(producer, 1))) == [(NONE, 1)]
    assert client.produced(producer, 0) == OUT_OF_ORDER_SEQUENCE_NUMBER
    assert client.end_offset() == 6


def test_control_batches_and_missing_sequences_are_refused(client: TxnClient) -> None:
    producer = client.started()
    client.add(producer, ("orders", [0]))
    for records in (batch(producer, control=True), batch(producer, -1)):
        assert client.produce(("orders", 0, records)) == [(INVALID_RECORD, -1)]


def test_unknown_partitions_do_not_keep_the_others_out(client: TxnClient) -> None:
    producer = client.started()
    places = [("nothing", 0, batch(producer)), ("orders", 0, batch(producer)), ("orders", 9, batch(producer))]
    codes = [error for error, _ in client.produce(*places, version=12)]
    assert codes == [UNKNOWN_TOPIC_OR_PARTITION, NONE, UNKNOWN_TOPIC_OR_PARTITION]
    (described,) = client.describe_txns(NAME)
    assert [(topic.topic, list(topic.partitions)) for topic in described.topics] == [("orders", [0])]


def test_without_verification_the_first_protocol_writes_where_no_transaction_is_known_and_the_second_does_not() -> None:
    """`transaction.partition.verification.enable`: such records hold back the last stable offset until somebody writes a marker."""
    with TxnServer({"transaction.partition.verification.enable": "false"}) as server:
        client = server.txn_client()
        stranger = Producer(4_242, 3, "nobody knows it")
        assert client.produced(stranger, version=12) == INVALID_PRODUCER_ID_MAPPING
        assert client.produced(stranger, version=11) == NONE
        assert (client.end_offset(), client.end_offset(committed=True)) == (1, 0)
        assert client.commit_offset(stranger, 7, version=5) == INVALID_PRODUCER_ID_MAPPING
        assert client.commit_offset(stranger, 7, version=4) == NONE
        assert client.write_marker(stranger, ("orders", [0]), commit=False) == [("orders", 0, NONE)]
        server.settle()
        assert client.end_offset(committed=True) == 2


def test_without_verification_a_refused_first_batch_is_not_remembered() -> None:
    """Kafka asks its coordinator nothing then, and so has nothing to remember: the next batch may have any sequence."""
    with TxnServer({"transaction.partition.verification.enable": "false"}) as server:
        client, stranger = server.txn_client(), Producer(4_242, 3, "nobody knows it")
        damaged = batch(stranger)[:-1] + b"?"
        assert client.produce(("orders", 0, damaged)) == [(CORRUPT_MESSAGE, -1)]
        assert client.produced(stranger, 5) == NONE


def _begin_while_markers_are_missing(server: TxnServer, client: TxnClient) -> Waiting:
    """A transaction whose end cannot be written to the group's partition; then the first batch of the next one."""
    producer = client.started()
    client.commit_offset(producer, 5, version=5)
    server.lose("g")
    assert client.end(producer, version=5).error_code == NONE
    server.settle()
    waiting = client.begin("Produce", 12, produce_request(("orders", 0, batch(producer.at(1)))))
    server.barrier()
    return waiting


def test_version_12_waits_a_little_for_the_transaction_before_to_end() -> None:
    """`add.partitions.to.txn.retry.backoff.ms`: clients would wait for seconds before they send it again."""
    with TxnServer({"add.partitions.to.txn.retry.backoff.max.ms": "1000"}) as server:
        client = server.txn_client()
        waiting = _begin_while_markers_are_missing(server, client)
        server.take_over("g")
        server.pass_time(500, 10)
        (topic,) = waiting.answer().responses
        assert topic.partition_responses[0].error_code == NONE
        assert (client.state_of(), client.committed("g")) == ("Ongoing", 5)


def test_version_12_is_told_to_come_again_when_that_takes_too_long(server: TxnServer, client: TxnClient) -> None:
    """`add.partitions.to.txn.retry.backoff.max.ms`."""
    waiting = _begin_while_markers_are_missing(server, client)
    server.pass_time(200, 10)
    (topic,) = waiting.answer().responses
    assert topic.partition_responses[0].error_code == CONCURRENT_TRANSACTIONS
    assert client.end_offset() == 0
