"""DescribeTransactions, ListTransactions and WriteTxnMarkers asked over TCP (spec 14.1)."""

from __future__ import annotations

import pytest

from muster.core.internal_topics import CONSUMER_OFFSETS
from muster.wire.errors import (
    INVALID_PRODUCER_EPOCH,
    INVALID_REGULAR_EXPRESSION,
    INVALID_REQUEST,
    NONE,
    TRANSACTION_COORDINATOR_FENCED,
    TRANSACTIONAL_ID_NOT_FOUND,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from tests.server.transactions.txn_client import NAME, TIMEOUT_MS, Producer, TxnClient, TxnServer

ORDERS_0 = ("orders", [0])


def test_a_description_in_the_order_asked(server: TxnServer, client: TxnClient) -> None:
    producer = client.started()
    began_ms = server.clock.now_ms()
    client.add(producer, ORDERS_0)
    client.add_offsets(producer)
    unknown, known, nameless = client.describe_txns("unknown", NAME, "")
    assert (unknown.error_code, unknown.transactional_id) == (TRANSACTIONAL_ID_NOT_FOUND, "unknown")
    assert (unknown.transaction_state, unknown.producer_id, list(unknown.topics)) == ("", 0, [])
    assert (nameless.error_code, nameless.transactional_id) == (INVALID_REQUEST, "")
    assert (known.error_code, known.transaction_state, known.transaction_timeout_ms) == (NONE, "Ongoing", TIMEOUT_MS)
    assert (known.transaction_start_time_ms, known.producer_id) == (began_ms, producer.producer_id)
    assert known.producer_epoch == 0
    assert sorted((topic.topic, list(topic.partitions)) for topic in known.topics) == [
        (CONSUMER_OFFSETS, [server.partition_of("g")]),
        ("orders", [0]),
    ]


def test_a_transactional_id_without_a_transaction_has_no_start(client: TxnClient) -> None:
    client.started()
    (found,) = client.describe_txns(NAME)
    assert (found.transaction_state, found.transaction_start_time_ms, list(found.topics)) == ("Empty", -1, [])


def test_lists_by_state_producer_duration_and_pattern(server: TxnServer, client: TxnClient) -> None:
    empty, old, done = (client.started(name) for name in ("empty", "old", "done"))
    for each in (old, done):
        client.add(each, ORDERS_0)
    client.end(done)
    server.pass_time(5_000)
    young = client.started("young")
    client.add(young, ORDERS_0)
    assert client.listed() == ["done", "empty", "old", "young"]
    assert client.listed(state_filters=["Ongoing"]) == ["old", "young"]
    assert client.listed(state_filters=["Empty", "CompleteCommit"]) == ["done", "empty"]
    assert client.listed(producer_id_filters=[old.producer_id, empty.producer_id]) == ["empty", "old"]
    assert "old" in client.listed(duration_filter=4_000)
    assert "young" not in client.listed(duration_filter=4_000)
    assert "empty" in client.listed(duration_filter=1_000_000)
    assert client.listed(transactional_id_pattern="o.*") == ["old"]
    assert client.listed(transactional_id_pattern="o") == []
    assert client.listed(transactional_id_pattern="") == ["done", "empty", "old", "young"]


def test_unknown_states_are_listed_back_and_case_matters(client: TxnClient) -> None:
    client.started()
    reply = client.list_txns(state_filters=["ongoing", "Empty", "Nonsense"])
    assert sorted(reply.unknown_state_filters) == ["Nonsense", "ongoing"]
    assert [each.transactional_id for each in reply.transaction_states] == [NAME]
    reply = client.list_txns(state_filters=["Nonsense"])
    assert (list(reply.unknown_state_filters), list(reply.transaction_states)) == (["Nonsense"], [])


@pytest.mark.parametrize("pattern", ["(", "[a", "a(?=b)"])
def test_a_bad_pattern_is_refused(client: TxnClient, pattern: str) -> None:
    client.started()
    reply = client.list_txns(transactional_id_pattern=pattern)
    assert (reply.error_code, list(reply.transaction_states)) == (INVALID_REGULAR_EXPRESSION, [])


# ---- WriteTxnMarkers


def test_a_stranger_gets_its_marker(client: TxnClient) -> None:
    assert client.write_marker(Producer(77, 0), ("orders", [0, 9]), ("nothing", [0])) == [
        ("orders", 0, NONE),
        ("orders", 9, UNKNOWN_TOPIC_OR_PARTITION),
        ("nothing", 0, UNKNOWN_TOPIC_OR_PARTITION),
    ]
    assert client.end_offset() == 1


def test_a_marker_ends_a_transaction_behind_the_back_of_its_coordinator(server: TxnServer, client: TxnClient) -> None:
    producer = client.started()
    client.add(producer, ORDERS_0)
    assert client.produced(producer) == NONE
    assert client.end_offset(committed=True) == 0
    assert client.write_marker(producer, ORDERS_0, commit=False) == [("orders", 0, NONE)]
    assert (client.end_offset(committed=True), client.state_of()) == (2, "Ongoing")
    assert client.end(producer).error_code == NONE
    server.settle()
    assert client.state_of() == "CompleteCommit"


def test_old_epochs_of_producer_and_coordinator_are_fenced(client: TxnClient) -> None:
    producer = Producer(77, 3)
    assert client.write_marker(producer, ORDERS_0, coordinator_epoch=5) == [("orders", 0, NONE)]
    assert client.write_marker(producer.at(2), ORDERS_0, coordinator_epoch=5) == [("orders", 0, INVALID_PRODUCER_EPOCH)]
    assert client.write_marker(producer, ORDERS_0, coordinator_epoch=4) == [
        ("orders", 0, TRANSACTION_COORDINATOR_FENCED)
    ]


def test_transaction_version_2_needs_a_higher_epoch_while_a_transaction_is_open(client: TxnClient) -> None:
    producer = client.started()
    client.add(producer, ORDERS_0)
    client.produced(producer)
    assert client.write_marker(producer, ORDERS_0, transaction_version=2) == [("orders", 0, INVALID_PRODUCER_EPOCH)]
    assert client.write_marker(producer.at(1), ORDERS_0, transaction_version=2) == [("orders", 0, NONE)]
    assert client.end_offset(committed=True) == 2


def test_a_marker_for_pending_offsets_completes_them(server: TxnServer, client: TxnClient) -> None:
    producer = client.started()
    client.add_offsets(producer)
    client.commit_offset(producer, 5)
    place = (CONSUMER_OFFSETS, [server.partition_of("g")])
    assert client.write_marker(producer, place) == [(CONSUMER_OFFSETS, server.partition_of("g"), NONE)]
    assert client.committed("g") == 5
