"""InitProducerId, AddPartitionsToTxn, AddOffsetsToTxn and EndTxn asked over TCP (spec 14.1)."""

from __future__ import annotations

import pytest

from muster.core.internal_topics import CONSUMER_OFFSETS, TRANSACTION_STATE
from muster.wire.errors import (
    CONCURRENT_TRANSACTIONS,
    COORDINATOR_NOT_AVAILABLE,
    INVALID_PRODUCER_EPOCH,
    INVALID_PRODUCER_ID_MAPPING,
    INVALID_REQUEST,
    INVALID_TRANSACTION_TIMEOUT,
    INVALID_TXN_STATE,
    NONE,
    NOT_COORDINATOR,
    OPERATION_NOT_ATTEMPTED,
    PRODUCER_FENCED,
    TOPIC_AUTHORIZATION_FAILED,
    TRANSACTION_ABORTABLE,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from tests.server.transactions.txn_client import NAME, TIMEOUT_MS, Producer, TxnClient, TxnServer

ORDERS_0 = ("orders", [0])


def test_the_first_question_for_a_coordinator_makes_the_topic() -> None:
    with TxnServer(with_coordinator=False) as server:
        client = server.txn_client()
        assert server.node.broker.topic(TRANSACTION_STATE) is None
        assert client.init().error_code == NOT_COORDINATOR
        assert client.find_transactions(NAME) == [COORDINATOR_NOT_AVAILABLE]
        server.settle()
        assert client.find_transactions(NAME, "", "other") == [NONE, NONE, NONE]
        topic = server.node.broker.topic(TRANSACTION_STATE)
        assert topic is not None
        assert (topic.internal, len(topic.partitions)) == (True, 4)
        assert client.init().error_code == NONE


# ---- InitProducerId


@pytest.mark.parametrize("version", range(6))
def test_a_null_id_gets_a_new_producer_whatever_the_timeout(client: TxnClient, version: int) -> None:
    first, second = (client.init(None, -5, version=version) for _ in range(2))
    assert (first.error_code, first.producer_epoch, second.error_code, second.producer_epoch) == (0, 0, 0, 0)
    assert first.producer_id != second.producer_id


def test_expected_values_of_a_null_id_are_both_or_none(client: TxnClient) -> None:
    both = client.init(None, producer_id=77, producer_epoch=3)
    assert (both.error_code, both.producer_epoch) == (NONE, 0)
    assert both.producer_id != 77
    for name in (None, NAME):
        assert client.init(name, producer_id=77).error_code == INVALID_REQUEST
        assert client.init(name, producer_epoch=3).error_code == INVALID_REQUEST


def test_bad_names_and_timeouts_create_nothing(client: TxnClient) -> None:
    refused = client.init("")
    assert (refused.error_code, refused.producer_id, refused.producer_epoch) == (INVALID_REQUEST, -1, -1)
    for timeout_ms in (0, -1, 900_001):
        assert client.init(timeout_ms=timeout_ms).error_code == INVALID_TRANSACTION_TIMEOUT
    assert client.listed() == []
    assert client.init(timeout_ms=900_000).error_code == NONE


@pytest.mark.parametrize("version", range(6))
def test_each_init_raises_the_epoch(client: TxnClient, version: int) -> None:
    replies = [client.init(version=version) for _ in range(3)]
    assert [(each.error_code, each.producer_epoch) for each in replies] == [(0, 0), (0, 1), (0, 2)]
    assert len({each.producer_id for each in replies}) == 1


@pytest.mark.parametrize(("version", "code"), [(3, INVALID_PRODUCER_EPOCH), (4, PRODUCER_FENCED), (5, PRODUCER_FENCED)])
def test_init_with_another_expected_epoch_or_id_is_fenced(client: TxnClient, version: int, code: int) -> None:
    producer = client.started()
    for expected in ((producer.producer_id, 5), (producer.producer_id + 1, 0)):
        reply = client.init(version=version, producer_id=expected[0], producer_epoch=expected[1])
        assert reply.error_code == code
    assert client.init(version=version, producer_id=producer.producer_id, producer_epoch=0).producer_epoch == 1


def test_init_while_a_transaction_is_open_aborts_it(server: TxnServer, client: TxnClient) -> None:
    producer = client.started()
    client.add(producer, ORDERS_0)
    assert client.produced(producer) == NONE
    assert client.end_offset(committed=True) == 0
    assert client.init().error_code == CONCURRENT_TRANSACTIONS
    server.settle()
    assert client.state_of() == "CompleteAbort"
    assert (client.end_offset(committed=True), client.end_offset()) == (2, 2)
    assert client.init().producer_epoch == 2


# ---- who asks


@pytest.mark.parametrize(("version", "code"), [(0, 47), (1, 47), (2, 90), (3, 90)])
def test_another_epoch_is_fenced_in_the_words_of_the_version(client: TxnClient, version: int, code: int) -> None:
    producer = client.started()
    for epoch in (-1, 1):
        other = producer.at(epoch)
        assert client.add(other, ORDERS_0, version=version) == [("orders", 0, code)]
        assert client.add_offsets(other, version=version) == code
        assert client.end(other, version=version).error_code == code


def test_another_producer_or_name_has_no_mapping(client: TxnClient) -> None:
    producer = client.started()
    for other in (producer._replace(producer_id=producer.producer_id + 1), producer._replace(name="unknown")):
        assert client.add(other, ORDERS_0) == [("orders", 0, INVALID_PRODUCER_ID_MAPPING)]
        assert client.add_offsets(other) == INVALID_PRODUCER_ID_MAPPING
        assert client.end(other).error_code == INVALID_PRODUCER_ID_MAPPING
        assert client.produced(other) == INVALID_PRODUCER_ID_MAPPING
        assert client.commit_offset(other, 5) == INVALID_PRODUCER_ID_MAPPING
    nameless = producer._replace(name="")
    assert client.add(nameless, ORDERS_0) == [("orders", 0, INVALID_REQUEST)]
    assert client.add_offsets(nameless) == INVALID_REQUEST
    assert client.end(nameless).error_code == INVALID_REQUEST


# ---- AddPartitionsToTxn


@pytest.mark.parametrize("version", range(4))
def test_one_unknown_partition_keeps_all_out(client: TxnClient, version: int) -> None:
    """Checked before the producer id."""
    places = [("orders", [0, 9]), ("nothing", [0])]
    expected = [
        ("orders", 0, OPERATION_NOT_ATTEMPTED),
        ("orders", 9, UNKNOWN_TOPIC_OR_PARTITION),
        ("nothing", 0, UNKNOWN_TOPIC_OR_PARTITION),
    ]
    producer = client.started()
    assert client.add(producer, *places, version=version) == expected
    assert client.add(producer._replace(producer_id=99), *places, version=version) == expected
    assert client.state_of() == "Empty"


def test_a_client_cannot_add_an_internal_topic(client: TxnClient) -> None:
    producer = client.started()
    assert client.add(producer, (CONSUMER_OFFSETS, [0]), ORDERS_0) == [
        (CONSUMER_OFFSETS, 0, TOPIC_AUTHORIZATION_FAILED),
        ("orders", 0, OPERATION_NOT_ATTEMPTED),
    ]


def test_no_topics_begin_a_transaction(client: TxnClient) -> None:
    producer = client.started()
    assert client.add(producer) == []
    assert client.state_of() == "Ongoing"
    assert client.end(producer).error_code == NONE


@pytest.mark.parametrize("version", [4, 5])
def test_several_transactions_in_one_request(client: TxnClient, version: int) -> None:
    one, two = client.started("one"), client.started("two")
    asked = [(one, [("orders", [0, 1])]), (two, [("orders", [0]), ("nothing", [0])]), (two.at(7), [("returns", [0])])]
    assert client.add_batched(*asked, version=version) == (
        NONE,
        [
            ("one", [("orders", 0, 0), ("orders", 1, 0)]),
            ("two", [("orders", 0, OPERATION_NOT_ATTEMPTED), ("nothing", 0, UNKNOWN_TOPIC_OR_PARTITION)]),
            ("two", [("returns", 0, PRODUCER_FENCED)]),
        ],
    )
    assert (client.state_of("one"), client.state_of("two")) == ("Ongoing", "Empty")


def test_verify_only_adds_nothing(client: TxnClient) -> None:
    producer = client.started()
    client.add(producer, ORDERS_0)
    assert client.add_batched((producer, [("orders", [0, 1])]), verify_only=True) == (
        NONE,
        [(NAME, [("orders", 0, NONE), ("orders", 1, TRANSACTION_ABORTABLE)])],
    )
    (described,) = client.describe_txns(NAME)
    assert [(topic.topic, list(topic.partitions)) for topic in described.topics] == [("orders", [0])]


def test_a_broker_may_add_and_verify_partitions_of_offsets(client: TxnClient) -> None:
    """Version 4 is how brokers verify a TxnOffsetCommit: an internal topic is as good as another."""
    producer = client.started()
    client.add(producer, ORDERS_0)
    places = [(CONSUMER_OFFSETS, [1])]
    assert client.add_batched((producer, places), verify_only=True)[1] == [
        (NAME, [(CONSUMER_OFFSETS, 1, TRANSACTION_ABORTABLE)])
    ]
    assert client.add_batched((producer, places))[1] == [(NAME, [(CONSUMER_OFFSETS, 1, NONE)])]
    assert client.add_batched((producer, places), verify_only=True)[1] == [(NAME, [(CONSUMER_OFFSETS, 1, NONE)])]


def test_an_empty_list_of_transactions_is_answered(client: TxnClient) -> None:
    """Deviates: Kafka leaves it unanswered."""
    assert client.add_batched() == (NONE, [])


# ---- offsets


@pytest.mark.parametrize(
    ("version", "code"), [(0, INVALID_TXN_STATE), (3, INVALID_TXN_STATE), (4, TRANSACTION_ABORTABLE), (5, NONE)]
)
def test_a_group_that_is_not_in_the_transaction_joins_by_itself_since_version_5(
    client: TxnClient, version: int, code: int
) -> None:
    producer = client.started()
    client.add(producer, ORDERS_0)
    assert client.commit_offset(producer, 5, version=version) == code
    assert client.add_offsets(producer) == NONE
    assert client.commit_offset(producer, 5, version=version) == NONE
    assert client.commit_offset(producer.at(3), 5, version=version) == INVALID_PRODUCER_EPOCH
    assert client.committed("g") == -1
    assert client.end(producer).error_code == NONE


@pytest.mark.parametrize("commit", [True, False])
def test_offsets_end_with_the_transaction(server: TxnServer, client: TxnClient, commit: bool) -> None:
    producer = client.started()
    assert client.add_offsets(producer) == NONE
    assert client.commit_offset(producer, 5) == NONE
    assert client.end(producer, commit=commit).error_code == NONE
    server.settle()
    assert client.committed("g") == (5 if commit else -1)


# ---- EndTxn


@pytest.mark.parametrize("version", range(5))
def test_up_to_version_4_there_must_be_something_to_end(server: TxnServer, client: TxnClient, version: int) -> None:
    producer = client.started()
    for commit in (True, False):
        assert client.end(producer, commit=commit, version=version).error_code == INVALID_TXN_STATE
    client.add(producer, ORDERS_0)
    reply = client.end(producer, version=version)
    assert (reply.error_code, reply.producer_id, reply.producer_epoch) == (NONE, -1, -1)
    server.settle()
    assert client.end(producer, version=version).error_code == NONE
    assert client.end(producer, commit=False, version=version).error_code == INVALID_TXN_STATE


def test_version_5_raises_the_epoch(server: TxnServer, client: TxnClient) -> None:
    producer = client.started()
    assert client.end(producer, version=5).error_code == INVALID_TXN_STATE
    client.add(producer, ORDERS_0)
    reply = client.end(producer, version=5)
    assert (reply.error_code, reply.producer_id, reply.producer_epoch) == (NONE, producer.producer_id, 1)
    server.settle()
    again = client.end(producer, version=5)
    assert (again.error_code, again.producer_id, again.producer_epoch) == (NONE, producer.producer_id, 1)
    assert client.end(producer, commit=False, version=5).error_code == INVALID_TXN_STATE
    nothing_open = client.end(producer.at(1), commit=False, version=5)
    assert (nothing_open.error_code, nothing_open.producer_epoch) == (NONE, 2)


def test_version_5_with_an_older_epoch_from_empty_is_fenced(client: TxnClient) -> None:
    producer = client.started()
    assert client.started().epoch == 1
    assert client.end(producer, commit=False, version=5).error_code == PRODUCER_FENCED


def test_while_markers_are_still_to_be_written_everything_is_told_to_come_again(
    server: TxnServer, client: TxnClient
) -> None:
    producer = client.started()
    client.add(producer, ORDERS_0)
    client.add_offsets(producer)
    client.commit_offset(producer, 5)
    server.lose("g")
    assert client.end(producer).error_code == NONE
    server.settle()
    assert client.state_of() == "PrepareCommit"
    assert client.add(producer, ORDERS_0) == [("orders", 0, CONCURRENT_TRANSACTIONS)]
    assert client.add_offsets(producer) == CONCURRENT_TRANSACTIONS
    assert client.end(producer).error_code == CONCURRENT_TRANSACTIONS
    assert client.init().error_code == CONCURRENT_TRANSACTIONS
    server.take_over("g")
    server.pass_time(1_000, 100)
    assert (client.state_of(), client.committed("g")) == ("CompleteCommit", 5)
    assert client.add(producer, ORDERS_0) == [("orders", 0, NONE)]


def test_a_transaction_that_is_open_too_long_is_aborted(server: TxnServer, client: TxnClient) -> None:
    producer = client.started()
    client.add(producer, ORDERS_0)
    assert client.produced(producer) == NONE
    server.pass_time(TIMEOUT_MS // 2)
    client.add(producer, ("orders", [1]))
    assert client.state_of() == "Ongoing"
    server.pass_time(TIMEOUT_MS)
    assert client.state_of() == "CompleteAbort"
    assert client.end_offset(committed=True) == 2
    assert client.end(producer).error_code == PRODUCER_FENCED
    assert client.init(producer_id=producer.producer_id, producer_epoch=0).error_code == NONE


def test_markers_that_were_missing_at_a_stop_are_written_after_the_start(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    files = {"muster.storage": "files", "muster.data": str(tmp_path_factory.mktemp("data"))}
    with TxnServer(files) as server:
        client = server.txn_client()
        producer = client.started()
        client.add_offsets(producer)
        client.commit_offset(producer, 5)
        server.lose("g")
        assert client.end(producer).error_code == NONE
        server.settle()
        assert client.state_of() == "PrepareCommit"
    with TxnServer(files) as server:
        server.pass_time(1_000, 100)
        client = server.txn_client()
        assert (client.state_of(), client.committed("g")) == ("CompleteCommit", 5)
        assert client.add(Producer(producer.producer_id, 0), ORDERS_0) == [("orders", 0, NONE)]
