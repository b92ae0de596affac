"""Asks the coordinator of a transactional id on another node whether partitions are in its transaction (KIP-890).

Questions of one turn of the loop are sent in one AddPartitionsToTxn, and so are all that come while an answer is awaited.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import monotonic
from typing import Any, Final, NamedTuple

from muster.core.transactions.replies import AddPartitionsReply
from muster.core.transactions.requests import AddPartitions
from muster.core.transactions.topic_partitions import pairs
from muster.log_limit import LogLimit
from muster.runtime.other_nodes import AskNode, Outbox
from muster.wire.errors import INVALID_TXN_STATE, NETWORK_EXCEPTION, NONE, PRODUCER_FENCED, name_of
from muster.wire.generated.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnRequestTransaction,
    AddPartitionsToTxnRequestTransactionTopic,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResponseTransaction,
)

_refusals = LogLimit(logging.getLogger(__name__), "refused questions about transactions", monotonic)

_API: Final = "AddPartitionsToTxn"
_VERSION: Final = 5
MOST_ENTRIES: Final = 2_000
"""In one request: far below what a server takes (`server.limits`), in number and in bytes."""
_CHARACTERS_AN_ENTRY: Final = 250


class _Question(NamedTuple):
    asked: AddPartitions
    then: Callable[[AddPartitionsReply], None]


class RemoteQuestions:
    def __init__(self, ask: AskNode, call_soon: Callable[..., object]) -> None:
        self._ask = ask
        self._outbox: Outbox[_Question] = Outbox(self._send, call_soon, MOST_ENTRIES, _weight)

    def ask(self, node_id: int, asked: AddPartitions, then: Callable[[AddPartitionsReply], None]) -> None:
        """`then` is called later, with NETWORK_EXCEPTION if the node does not answer."""
        self._outbox.add(node_id, _Question(asked, then))

    def _send(self, node_id: int, questions: list[_Question], done: Callable[[], None]) -> None:
        def answered(response: Any) -> None:
            for place, question in enumerate(questions):
                question.then(_reply(node_id, question.asked, response, place))
            done()

        request = AddPartitionsToTxnRequest(transactions=[_laid_out(each.asked) for each in questions])
        self._ask(node_id, _API, _VERSION, request, answered)


def _weight(question: _Question) -> int:
    asked = question.asked
    return sum(1 for _ in pairs(asked.topics)) + len(asked.transactional_id) // _CHARACTERS_AN_ENTRY


def _laid_out(asked: AddPartitions) -> AddPartitionsToTxnRequestTransaction:
    topics: dict[str, list[int]] = {}
    for topic, index in pairs(asked.topics):
        topics.setdefault(topic, []).append(index)
    return AddPartitionsToTxnRequestTransaction(
        asked.transactional_id,
        asked.producer_id,
        asked.producer_epoch,
        asked.verify_only,
        [AddPartitionsToTxnRequestTransactionTopic(name, indexes) for name, indexes in topics.items()],
    )


def _reply(
    node_id: int, asked: AddPartitions, response: AddPartitionsToTxnResponse | None, place: int
) -> AddPartitionsReply:
    if response is None:
        return AddPartitionsReply(NETWORK_EXCEPTION)
    if response.error_code != NONE:
        # A client can do nothing about rights that a node lacks: as in Kafka, it is told that the question was not answered.
        _refusals.warning("node %d does not say what is in a transaction: %s", node_id, name_of(response.error_code))
        return AddPartitionsReply(INVALID_TXN_STATE)
    if place >= len(response.results_by_transaction):
        return AddPartitionsReply(NETWORK_EXCEPTION)
    told = _told(response.results_by_transaction[place])
    codes = [told.get(each, NETWORK_EXCEPTION) for each in pairs(asked.topics)]
    return AddPartitionsReply(NONE, tuple(asked.fenced_error if code == PRODUCER_FENCED else code for code in codes))


def _told(result: AddPartitionsToTxnResponseTransaction) -> dict[tuple[str, int], int]:
    return {
        (topic.name, each.partition_index): each.partition_error_code
        for topic in result.topic_results
        for each in topic.results_by_partition
    }
