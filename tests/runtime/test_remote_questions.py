"""Whether partitions are in a transaction, asked of its coordinator on another node (KIP-890): batches, and what errors become."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from muster.core.transactions.requests import AddPartitions
from muster.runtime.remote_questions import MOST_ENTRIES, RemoteQuestions
from muster.wire.errors import (
    CLUSTER_AUTHORIZATION_FAILED,
    INVALID_PRODUCER_EPOCH,
    INVALID_TXN_STATE,
    NETWORK_EXCEPTION,
    NONE,
    PRODUCER_FENCED,
    TRANSACTION_ABORTABLE,
)
from muster.wire.generated.add_partitions_to_txn import (
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResponseTransaction,
    AddPartitionsToTxnResponseTransactionPartition,
    AddPartitionsToTxnResponseTransactionTopic,
)
from tests.runtime.manual_loop import ManualLoop


class Asking:
    def __init__(self) -> None:
        self.loop = ManualLoop()
        self.sent: list[tuple[int, Any, Callable[[Any], None]]] = []
        self.questions = RemoteQuestions(self._ask, self.loop.call_soon)
        self.heard: list[list[int]] = []

    def _ask(self, node_id: int, api: str, version: int, request: object, then: Callable[[Any], None]) -> None:
        assert (api, version) == ("AddPartitionsToTxn", 5)
        self.sent.append((node_id, request, then))

    def ask(self, *partitions: int, name: str = "tx", node_id: int = 2, **fields: Any) -> None:
        topics = tuple(("t", (index,)) for index in partitions)
        asked = AddPartitions(name, 7, 1, topics, **fields)
        self.questions.ask(node_id, asked, lambda reply: self.heard.append(reply.listed(len(partitions))))

    def answer(self, *codes: int) -> None:
        """The oldest request, with these codes for the partitions of each of its transactions."""
        _, request, then = self.sent.pop(0)
        then(
            AddPartitionsToTxnResponse(
                results_by_transaction=[
                    AddPartitionsToTxnResponseTransaction(
                        each.transactional_id,
                        [
                            AddPartitionsToTxnResponseTransactionTopic(
                                topic.name,
                                [
                                    AddPartitionsToTxnResponseTransactionPartition(index, code)
                                    for index, code in zip(topic.partitions, codes, strict=False)
                                ],
                            )
                            for topic in each.topics
                        ],
                    )
                    for each in request.transactions
                ]
            )
        )
        self.loop.run_until_idle()


@pytest.fixture
def world() -> Asking:
    return Asking()


def test_questions_of_one_turn_go_together_and_each_gets_its_answer(world: Asking) -> None:
    world.ask(0, 1, verify_only=True)
    world.ask(2, name="another")
    world.loop.run_until_idle()
    ((node_id, request, _),) = world.sent
    assert node_id == 2
    assert [(each.transactional_id, each.verify_only) for each in request.transactions] == [
        ("tx", True),
        ("another", False),
    ]
    assert [(topic.name, topic.partitions) for topic in request.transactions[0].topics] == [("t", [0, 1])]
    world.answer(NONE, TRANSACTION_ABORTABLE)
    assert world.heard == [[NONE, TRANSACTION_ABORTABLE], [NONE]]


def test_questions_for_different_coordinators_do_not_wait_for_each_other(world: Asking) -> None:
    world.ask(0)
    world.ask(0, node_id=3)
    world.loop.run_until_idle()
    assert [node_id for node_id, *_ in world.sent] == [2, 3]


def test_a_request_has_no_more_partitions_than_a_server_takes(world: Asking) -> None:
    world.ask(*range(MOST_ENTRIES - 1))
    world.ask(0, name="fits")
    world.ask(0, name="waits")
    world.loop.run_until_idle()
    assert [each.transactional_id for each in world.sent[0][1].transactions] == ["tx", "fits"]
    world.answer(*[NONE] * MOST_ENTRIES)
    assert [each.transactional_id for each in world.sent[0][1].transactions] == ["waits"]


def test_a_question_that_is_too_large_goes_alone(world: Asking) -> None:
    world.ask(*range(MOST_ENTRIES + 1))
    world.ask(0, name="waits")
    world.loop.run_until_idle()
    assert [each.transactional_id for each in world.sent[0][1].transactions] == ["tx"]


def test_a_fenced_producer_hears_the_word_of_its_own_api(world: Asking) -> None:
    world.ask(0, fenced_error=INVALID_PRODUCER_EPOCH)
    world.loop.run_until_idle()
    world.answer(PRODUCER_FENCED)
    assert world.heard == [[INVALID_PRODUCER_EPOCH]]


@pytest.mark.parametrize(
    ("response", "code"),
    [
        (None, NETWORK_EXCEPTION),
        (AddPartitionsToTxnResponse(), NETWORK_EXCEPTION),
        (AddPartitionsToTxnResponse(error_code=CLUSTER_AUTHORIZATION_FAILED), INVALID_TXN_STATE),
    ],
    ids=["no answer", "an empty answer", "not taken for a node"],
)
def test_without_an_answer_every_partition_hears_why(world: Asking, response: Any, code: int) -> None:
    world.ask(0, 1)
    world.loop.run_until_idle()
    world.sent.pop()[2](response)
    assert world.heard == [[code, code]]
