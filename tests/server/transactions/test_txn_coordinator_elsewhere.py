"""A partition and a group whose transaction has its coordinator on another node: what producers hear, and markers that cross the
question (KIP-890, decision 0018). The other node answers when a test says so.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import pytest

from muster.core.hashing import partition_for
from muster.log.contract import NOBODY
from muster.wire.errors import (
    CONCURRENT_TRANSACTIONS,
    COORDINATOR_LOAD_IN_PROGRESS,
    COORDINATOR_NOT_AVAILABLE,
    INVALID_PRODUCER_EPOCH,
    INVALID_TXN_STATE,
    NONE,
    NOT_COORDINATOR,
    NOT_ENOUGH_REPLICAS,
    PRODUCER_FENCED,
    TRANSACTION_ABORTABLE,
)
from muster.wire.generated.add_partitions_to_txn import (
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResponseTransaction,
    AddPartitionsToTxnResponseTransactionPartition,
    AddPartitionsToTxnResponseTransactionTopic,
)
from muster.wire.generated.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from tests.server.groups.group_client import Waiting
from tests.server.raw_client import PATIENCE_SECONDS
from tests.server.transactions.txn_client import Producer, TxnClient, TxnServer, batch, produce_request

OTHER = 2
PRODUCER = Producer(70, 0, "tx")
GROUP_PARTITION = partition_for("g", 4)


class OtherNode:
    """Holds questions until a test answers them."""

    def __init__(self) -> None:
        self._asked = threading.Semaphore(0)
        self._questions: list[tuple[Any, Callable[[Any], None]]] = []

    def ask(self, node_id: int, api: str, version: int, request: object, then: Callable[[Any], None]) -> None:
        assert (node_id, api) == (OTHER, "AddPartitionsToTxn")
        self._questions.append((request, then))
        self._asked.release()

    def keep_only(self, node_ids: Collection[int]) -> None:
        pass

    def close(self) -> None:
        pass

    def next_question(self) -> tuple[Any, Callable[[Any], None]]:
        assert self._asked.acquire(timeout=PATIENCE_SECONDS), "nobody asked"
        return self._questions.pop(0)


class Elsewhere:
    def __init__(self, server: TxnServer) -> None:
        self.server = server
        self.other = OtherNode()
        server.node.other_nodes = self.other
        server.node.cluster = cast(Any, SimpleNamespace())
        self.lead(OTHER)

    def lead(self, node_id: int) -> None:
        """Every transactional id."""
        topic = self.server.node.broker.topic("__transaction_state")
        assert topic is not None
        for partition in topic.partitions:
            partition.leader_id = node_id

    def answer(self, code: int | None) -> Any:
        """The next question, for each of its partitions; None: the node is not reached. Returns the question."""
        request, then = self.other.next_question()
        response = None if code is None else _response(request, code)
        self.server.run(lambda: then(response))
        return request

    def produce(self, version: int = 12) -> Waiting:
        """One batch to orders-0."""
        request = produce_request(("orders", 0, batch(PRODUCER)), name=PRODUCER.name)
        return self.server.txn_client().begin("Produce", version, request)

    def commit_offset(self, version: int = 3) -> Waiting:
        topics = [TxnOffsetCommitRequestTopic("orders", [TxnOffsetCommitRequestPartition(0, 5, -1, "")])]
        request = TxnOffsetCommitRequest("tx", "g", PRODUCER.producer_id, PRODUCER.epoch, -1, "", None, topics)
        return self.server.txn_client().begin("TxnOffsetCommit", version, request)


def _response(request: Any, code: int) -> AddPartitionsToTxnResponse:
    return AddPartitionsToTxnResponse(
        results_by_transaction=[
            AddPartitionsToTxnResponseTransaction(
                each.transactional_id,
                [
                    AddPartitionsToTxnResponseTransactionTopic(
                        topic.name,
                        [AddPartitionsToTxnResponseTransactionPartition(index, code) for index in topic.partitions],
                    )
                    for topic in each.topics
                ],
            )
            for each in request.transactions
        ]
    )


@pytest.fixture
def elsewhere(server: TxnServer) -> Iterator[Elsewhere]:
    yield Elsewhere(server)
    server.node.cluster = None


def produced(waiting: Waiting) -> int:
    ((only,),) = [topic.partition_responses for topic in waiting.answer().responses]
    return int(only.error_code)


def committed(waiting: Waiting) -> int:
    return int(waiting.answer().topics[0].partitions[0].error_code)


@pytest.mark.parametrize(
    ("version", "said", "heard"),
    [
        (12, NONE, NONE),
        (11, NONE, NONE),
        (11, TRANSACTION_ABORTABLE, TRANSACTION_ABORTABLE),
        (10, TRANSACTION_ABORTABLE, INVALID_TXN_STATE),
        (12, PRODUCER_FENCED, INVALID_PRODUCER_EPOCH),
        (12, NOT_COORDINATOR, NOT_ENOUGH_REPLICAS),
        (11, CONCURRENT_TRANSACTIONS, NOT_ENOUGH_REPLICAS),
        (12, None, NOT_ENOUGH_REPLICAS),
    ],
)
def test_a_batch_is_taken_or_refused_as_the_other_node_says(
    elsewhere: Elsewhere, version: int, said: int | None, heard: int
) -> None:
    waiting = elsewhere.produce(version)
    asked = elsewhere.answer(said)
    assert asked.transactions[0].verify_only == (version < 12)
    assert produced(waiting) == heard


@pytest.mark.parametrize(
    ("version", "said", "heard"),
    [
        (3, NONE, NONE),
        (5, NONE, NONE),
        (3, PRODUCER_FENCED, INVALID_PRODUCER_EPOCH),
        (3, INVALID_TXN_STATE, INVALID_TXN_STATE),
        (3, None, COORDINATOR_LOAD_IN_PROGRESS),
    ],
)
def test_an_offset_is_taken_or_refused_as_the_other_node_says(
    elsewhere: Elsewhere, version: int, said: int | None, heard: int
) -> None:
    waiting = elsewhere.commit_offset(version)
    asked = elsewhere.answer(said)
    (topic,) = asked.transactions[0].topics
    assert (topic.name, topic.partitions) == ("__consumer_offsets", [GROUP_PARTITION])
    assert committed(waiting) == heard


def test_while_nobody_coordinates_nothing_is_asked(elsewhere: Elsewhere) -> None:
    elsewhere.lead(NOBODY)
    assert produced(elsewhere.produce()) == NOT_ENOUGH_REPLICAS
    assert committed(elsewhere.commit_offset()) == COORDINATOR_NOT_AVAILABLE


def test_a_batch_that_comes_before_the_markers_of_the_last_transaction_is_asked_for_again(elsewhere: Elsewhere) -> None:
    waiting = elsewhere.produce()
    elsewhere.answer(CONCURRENT_TRANSACTIONS)
    elsewhere.server.run(elsewhere.server.clock.advance, 20)
    elsewhere.answer(NONE)
    assert produced(waiting) == NONE


def test_a_batch_does_not_go_behind_a_marker_that_came_while_it_was_asked(
    elsewhere: Elsewhere, client: TxnClient
) -> None:
    """The marker may have ended the very transaction that the answer speaks of: the batch would begin one that nobody ends."""
    waiting = elsewhere.produce()
    request, then = elsewhere.other.next_question()
    assert client.write_marker(PRODUCER, ("orders", [0])) == [("orders", 0, NONE)]
    elsewhere.server.run(partial(then, _response(request, NONE)))
    assert produced(waiting) == NOT_ENOUGH_REPLICAS
    again = elsewhere.produce()
    elsewhere.answer(NONE)
    assert produced(again) == NONE


def test_an_offset_does_not_go_behind_a_marker_that_came_while_it_was_asked(
    elsewhere: Elsewhere, client: TxnClient
) -> None:
    waiting = elsewhere.commit_offset()
    request, then = elsewhere.other.next_question()
    assert client.write_marker(PRODUCER, ("__consumer_offsets", [GROUP_PARTITION]))[0][2] == NONE
    elsewhere.server.run(partial(then, _response(request, NONE)))
    elsewhere.answer(INVALID_TXN_STATE)
    assert committed(waiting) == INVALID_TXN_STATE


def test_markers_of_other_producers_are_no_reason_to_ask_again(elsewhere: Elsewhere, client: TxnClient) -> None:
    stranger = PRODUCER._replace(producer_id=71)
    for begin, heard, place in (
        (elsewhere.commit_offset, committed, ("__consumer_offsets", [GROUP_PARTITION])),
        (elsewhere.produce, produced, ("orders", [0])),
    ):
        waiting = begin()
        request, then = elsewhere.other.next_question()
        assert client.write_marker(stranger, place)[0][2] == NONE
        elsewhere.server.run(partial(then, _response(request, NONE)))
        assert heard(waiting) == NONE
