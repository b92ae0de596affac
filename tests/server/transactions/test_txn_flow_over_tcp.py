"""Whole transactions over TCP as newer clients make them (KIP-890), and who is waiting for their end."""

from __future__ import annotations

import pytest

from muster.wire.errors import (
    INVALID_PRODUCER_EPOCH,
    NONE,
    PRODUCER_FENCED,
    UNSTABLE_OFFSET_COMMIT,
)
from muster.wire.generated.delete_topics import DeleteTopicsRequest, DeleteTopicsRequestTopic
from muster.wire.generated.fetch import FetchRequest, FetchRequestPartition, FetchRequestTopic
from tests.server.groups.group_client import Waiting
from tests.server.transactions.txn_client import Producer, TxnClient, TxnServer, batch

READ_COMMITTED = 1


def begin_fetch(client: TxnClient, offset: int, *, topic: str = "orders", max_wait_ms: int = 60_000) -> Waiting:
    partition = FetchRequestPartition(0, fetch_offset=offset, partition_max_bytes=1_000_000)
    topics = [FetchRequestTopic(topic, bytes(16), [partition])]
    request = FetchRequest(
        max_wait_ms=max_wait_ms, min_bytes=1, max_bytes=1_000_000, isolation_level=READ_COMMITTED, topics=topics
    )
    return client.begin("Fetch", 12, request)


def test_transactions_in_a_row_that_ask_for_nothing_but_produce_commit_and_end(
    server: TxnServer, client: TxnClient
) -> None:
    """Produce v12, TxnOffsetCommit v5, EndTxn v5: each end raises the epoch, and sequences begin anew."""
    producer = client.started()
    for number in range(6):
        places = [("orders", 0, batch(producer)), ("orders", 1, batch(producer))]
        assert [error for error, _ in client.produce(*places, version=12)] == [NONE, NONE]
        assert client.produce(("orders", 0, batch(producer, 1)), version=12)[0][0] == NONE
        assert client.commit_offset(producer, 10 + number, version=5) == NONE
        reply = client.end(producer, commit=number % 2 == 0, version=5)
        assert (reply.error_code, reply.producer_id) == (NONE, producer.producer_id)
        assert reply.producer_epoch == producer.epoch + 1
        server.settle()
        assert client.committed("g") == 10 + number - number % 2
        assert client.end_offset(committed=True) == client.end_offset() == 3 * (number + 1)
        for late in (client.produced(producer, 2, version=12), client.commit_offset(producer, 1, version=5)):
            assert late == INVALID_PRODUCER_EPOCH
        producer = producer.at(reply.producer_epoch)
    assert client.add(producer.at(0), ("orders", [0])) == [("orders", 0, PRODUCER_FENCED)]


@pytest.mark.parametrize("version", [3, 5])
@pytest.mark.parametrize("commit", [True, False])
def test_a_read_committed_fetch_that_waits_is_answered_when_the_transaction_ends(
    server: TxnServer, client: TxnClient, version: int, commit: bool
) -> None:
    """The clock stands still: nothing but the marker can answer it."""
    producer = client.started()
    client.add(producer, ("orders", [0]))
    assert client.produced(producer) == NONE
    waiting = begin_fetch(server.txn_client(), 0)
    assert server.is_parked(waiting)
    assert client.end(producer, commit=commit, version=version).error_code == NONE
    (topic,) = waiting.answer().responses
    (partition,) = topic.partitions
    assert (partition.high_watermark, partition.last_stable_offset) == (2, 2)
    aborted = [(each.producer_id, each.first_offset) for each in partition.aborted_transactions]
    assert aborted == ([] if commit else [(producer.producer_id, 0)])


def test_a_fetch_of_stable_offsets_is_told_of_pending_ones_until_the_end(server: TxnServer, client: TxnClient) -> None:
    producer = client.started()
    client.add_offsets(producer)
    client.commit_offset(producer, 5)

    def stable() -> tuple[int, int]:
        (partition,) = client.fetch_offsets("g", [("orders", [0])], stable=True).groups[0].topics[0].partitions
        return partition.error_code, partition.committed_offset

    assert stable() == (UNSTABLE_OFFSET_COMMIT, -1)
    assert client.end(producer).error_code == NONE
    server.settle()
    assert stable() == (NONE, 5)


def test_a_topic_that_is_deleted_meanwhile_does_not_keep_a_transaction_from_its_end(
    server: TxnServer, client: TxnClient
) -> None:
    producer = client.started()
    client.add(producer, ("orders", [0]), ("returns", [0, 1]))
    assert client.produced(producer) == NONE
    deleted = client.call("DeleteTopics", 6, DeleteTopicsRequest([DeleteTopicsRequestTopic("returns")]))
    assert deleted.responses[0].error_code == NONE
    assert client.end(producer).error_code == NONE
    server.settle()
    assert (client.state_of(), client.end_offset(committed=True)) == ("CompleteCommit", 2)


def test_a_transaction_without_partitions_ends_at_once(server: TxnServer, client: TxnClient) -> None:
    producer = client.started()
    client.add(producer)
    assert client.end(producer, commit=False).error_code == NONE
    server.settle()
    assert client.state_of() == "CompleteAbort"


def test_ids_of_producers_are_not_given_twice_after_a_restart(tmp_path_factory: pytest.TempPathFactory) -> None:
    files = {"muster.storage": "files", "muster.data": str(tmp_path_factory.mktemp("data"))}
    with TxnServer(files) as server:
        before = {server.txn_client().started(f"tx {number}").producer_id for number in range(3)}
    with TxnServer(files) as server:
        client = server.txn_client()
        again = client.started("tx 0")
        assert (again.producer_id in before, again.epoch) == (True, 1)
        assert client.started("new").producer_id not in before
        assert client.init(None).producer_id not in before


def test_an_open_transaction_is_as_it_was_after_a_restart(tmp_path_factory: pytest.TempPathFactory) -> None:
    files = {"muster.storage": "files", "muster.data": str(tmp_path_factory.mktemp("data"))}
    with TxnServer(files) as server:
        client = server.txn_client()
        producer = client.started()
        client.produced(producer, version=12)
        client.commit_offset(producer, 5, version=5)
    with TxnServer(files) as server:
        client = server.txn_client()
        assert (client.state_of(), client.end_offset(committed=True)) == ("Ongoing", 0)
        assert client.produced(Producer(producer.producer_id, 0), 1, version=12) == NONE
        reply = client.end(producer, version=5)
        assert (reply.error_code, reply.producer_epoch) == (NONE, 1)
        server.settle()
        assert (client.committed("g"), client.end_offset(committed=True)) == (5, 3)
