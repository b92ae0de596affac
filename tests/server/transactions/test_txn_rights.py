"""What the transaction APIs answer to somebody whom the rules allow only some of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from muster.wire.errors import (
    CLUSTER_AUTHORIZATION_FAILED,
    GROUP_AUTHORIZATION_FAILED,
    NONE,
    OPERATION_NOT_ATTEMPTED,
    TOPIC_AUTHORIZATION_FAILED,
    TRANSACTION_ABORTABLE,
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
)
from tests.server.groups.group_server import OPERATOR
from tests.server.transactions.txn_client import Producer, TxnClient, TxnServer, batch

BROKER = "127.0.0.5"
RULES = "".join(
    f'[[allow]]\nprincipal = "User:*"\nhost = "{host}"\noperation = "{operation}"\nresource = "{resource}"\n{name}\n'
    for host, operation, resource, name in (
        *((OPERATOR, "ALL", resource, 'name = "*"') for resource in ("topic", "group", "transactional_id")),
        (OPERATOR, "ALL", "cluster", ""),
        (BROKER, "CLUSTER_ACTION", "cluster", ""),
        ("127.0.0.1", "WRITE", "transactional_id", 'name = "mine"'),
        ("127.0.0.1", "DESCRIBE", "transactional_id", 'name = "seen"'),
        ("127.0.0.1", "WRITE", "topic", 'name = "orders"'),
        ("127.0.0.1", "READ", "topic", 'name = "orders"'),
        ("127.0.0.1", "READ", "group", 'name = "g"'),
    )
)
DENIED = TRANSACTIONAL_ID_AUTHORIZATION_FAILED


@pytest.fixture
def server(tmp_path: Path) -> Iterator[TxnServer]:
    rules = tmp_path / "rules.toml"
    rules.write_text(RULES)
    with TxnServer({"muster.rules": str(rules)}) as running:
        yield running


@pytest.fixture
def operator(server: TxnServer) -> TxnClient:
    return server.txn_client(OPERATOR)


@pytest.fixture
def broker(server: TxnServer) -> TxnClient:
    """It has the right of brokers and no other."""
    return server.txn_client(BROKER)


def test_transactional_ids_of_others_cannot_be_used(client: TxnClient, operator: TxnClient) -> None:
    for name in ("seen", "hidden"):
        theirs = operator.started(name)
        assert client.init(name).error_code == DENIED
        assert client.add(theirs, ("orders", [0]), ("returns", [0])) == [("orders", 0, DENIED), ("returns", 0, DENIED)]
        assert client.add_offsets(theirs) == DENIED
        assert client.end(theirs).error_code == DENIED
        assert client.commit_offset(theirs, 5) == DENIED
        assert client.produced(theirs) == DENIED
        assert operator.state_of(name) == "Empty"
    assert client.find_transactions("seen", "hidden", "mine") == [NONE, DENIED, NONE]


def test_writing_implies_describing_and_what_may_not_be_seen_is_left_out(
    client: TxnClient, operator: TxnClient
) -> None:
    for name in ("seen", "hidden", "mine"):
        producer = operator.started(name)
        operator.add(producer, ("orders", [0]), ("returns", [0]))
    found = client.describe_txns("seen", "hidden", "mine")
    assert [(each.error_code, [topic.topic for topic in each.topics]) for each in found] == [
        (NONE, ["orders"]),
        (DENIED, []),
        (NONE, ["orders"]),
    ]
    assert client.listed() == ["mine", "seen"]


def test_topics_and_groups_need_rights_of_their_own(client: TxnClient) -> None:
    mine = client.started("mine")
    assert client.add(mine, ("orders", [0]), ("returns", [0]), ("nothing", [0])) == [
        ("orders", 0, OPERATION_NOT_ATTEMPTED),
        ("returns", 0, TOPIC_AUTHORIZATION_FAILED),
        ("nothing", 0, TOPIC_AUTHORIZATION_FAILED),
    ]
    places = [("returns", 0, batch(mine)), ("orders", 0, batch(mine))]
    assert [error for error, _ in client.produce(*places, name="mine", version=12)] == [
        TOPIC_AUTHORIZATION_FAILED,
        NONE,
    ]
    (described,) = client.describe_txns("mine")
    assert [(topic.topic, list(topic.partitions)) for topic in described.topics] == [("orders", [0])]
    assert client.add_offsets(mine, "other") == GROUP_AUTHORIZATION_FAILED
    assert client.commit_offset(mine, 5, "other", version=5) == GROUP_AUTHORIZATION_FAILED
    assert client.commit_offset(mine, 5, version=5) == NONE


def test_plain_records_need_no_right_to_the_transactional_id_that_the_request_names(client: TxnClient) -> None:
    producer_id = client.init(None).producer_id
    plain = batch(Producer(producer_id, 0), transactional=False)
    assert client.produce(("orders", 0, plain), name="hidden") == [(NONE, 0)]


def test_an_idempotent_producer_needs_a_topic_to_write_to(client: TxnClient, broker: TxnClient) -> None:
    assert client.init(None).error_code == NONE
    assert broker.init(None).error_code == CLUSTER_AUTHORIZATION_FAILED


def test_what_brokers_ask_of_each_other_needs_the_right_of_brokers_and_no_other(
    server: TxnServer, client: TxnClient, broker: TxnClient
) -> None:
    mine = client.started("mine")
    client.add(mine, ("orders", [0]))
    asked = (mine, [("orders", [0]), ("returns", [0])])
    assert client.add_batched(asked, verify_only=True) == (CLUSTER_AUTHORIZATION_FAILED, [])
    assert client.write_marker(mine, ("orders", [0])) == [("orders", 0, CLUSTER_AUTHORIZATION_FAILED)]
    assert broker.add_batched(asked, verify_only=True) == (
        NONE,
        [("mine", [("orders", 0, NONE), ("returns", 0, TRANSACTION_ABORTABLE)])],
    )
    assert broker.add_batched(asked)[1] == [("mine", [("orders", 0, NONE), ("returns", 0, NONE)])]
    assert broker.write_marker(mine, ("orders", [0])) == [("orders", 0, NONE)]
