"""AddPartitionsToTxn (24), versions 0 to 5: partitions join a transaction.

v2+ knows PRODUCER_FENCED. v4+ names several transactions and may ask only whether partitions are in them (KIP-890): brokers use
it for their producers, also for partitions of `__consumer_offsets`. They need the right to CLUSTER_ACTION and no other: who asked
them was checked there.

One partition that is refused keeps all of its transaction out: the others are told OPERATION_NOT_ATTEMPTED. The answer repeats the
request if all partitions have the same code; else each partition is in it once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from muster.core.transactions.replies import AddPartitionsReply
from muster.core.transactions.requests import AddPartitions
from muster.core.transactions.topic_partitions import Topics
from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.authorize import authorize_cluster, authorize_topic, may_use_transactional_id
from muster.server.call import Call
from muster.server.parts import Parts
from muster.server.transactions import fenced_error
from muster.wire.errors import (
    CLUSTER_AUTHORIZATION_FAILED,
    NONE,
    OPERATION_NOT_ATTEMPTED,
    TOPIC_AUTHORIZATION_FAILED,
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    UNKNOWN_TOPIC_OR_PARTITION,
)
from muster.wire.generated.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResponsePartition,
    AddPartitionsToTxnResponseTopic,
    AddPartitionsToTxnResponseTransaction,
    AddPartitionsToTxnResponseTransactionPartition,
    AddPartitionsToTxnResponseTransactionTopic,
)

BATCHED_SINCE = 4

_CodesByTopic = list[tuple[str, list[tuple[int, int]]]]
"""Of each topic the partitions and their codes."""


class _Topic(Protocol):
    name: str
    partitions: Sequence[int]


def handle(call: Call, request: AddPartitionsToTxnRequest, node: Node) -> None:
    if call.version < BATCHED_SINCE:
        _handle_one(call, request, node)
        return
    if not authorize_cluster(call, node, Operation.CLUSTER_ACTION):
        call.reply(AddPartitionsToTxnResponse(error_code=CLUSTER_AUTHORIZATION_FAILED))
        return
    asked = [
        AddPartitions(
            each.transactional_id,
            each.producer_id,
            each.producer_epoch,
            _merged(each.topics),
            each.verify_only,
            raises_epoch=not each.verify_only,
            fenced_error=fenced_error(call.version),
        )
        for each in request.transactions
    ]

    def lay_out(replies: list[AddPartitionsReply]) -> AddPartitionsToTxnResponse:
        return AddPartitionsToTxnResponse(
            results_by_transaction=[
                _transaction(each.transactional_id, _codes_by_topic(each.topics, merged.topics, reply))
                for each, merged, reply in zip(request.transactions, asked, replies, strict=True)
            ]
        )

    # Deviates: Kafka never answers an empty list of transactions.
    parts: Parts[AddPartitionsReply] = Parts(call, lay_out)
    for each in asked:
        refused = _all_or_none([_existing(node, *topic) for topic in each.topics])
        if refused is None:
            node.transactions.submit(each, parts.ticket())
        else:
            parts.settled(refused)
    parts.seal()


def _handle_one(call: Call, request: AddPartitionsToTxnRequest, node: Node) -> None:
    asked = AddPartitions(
        request.transactional_id,
        request.producer_id,
        request.producer_epoch,
        _merged(request.topics),
        fenced_error=fenced_error(call.version),
    )
    call.respond = lambda call, reply: _flat(_codes_by_topic(request.topics, asked.topics, reply))
    refused = _refusal(call, node, asked)
    if refused is None:
        node.transactions.submit(asked, call)
    else:
        call.reply(_flat(_codes_by_topic(request.topics, asked.topics, refused)))


def _merged(topics: Sequence[_Topic]) -> Topics:
    """Each partition once, in the order of the request."""
    found: dict[str, dict[int, None]] = {}
    for topic in topics:
        if topic.partitions:
            found.setdefault(topic.name, {}).update(dict.fromkeys(topic.partitions))
    return tuple((name, tuple(partitions)) for name, partitions in found.items())


def _refusal(call: Call, node: Node, asked: AddPartitions) -> AddPartitionsReply | None:
    if not may_use_transactional_id(call, node, Operation.WRITE, asked.transactional_id):
        return AddPartitionsReply(TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    return _all_or_none([_codes(call, node, *topic) for topic in asked.topics])


def _all_or_none(codes_by_topic: list[list[int]]) -> AddPartitionsReply | None:
    codes = [code for codes in codes_by_topic for code in codes]
    if not any(codes):
        return None
    return AddPartitionsReply(NONE, tuple(code or OPERATION_NOT_ATTEMPTED for code in codes))


def _codes(call: Call, node: Node, name: str, partitions: tuple[int, ...]) -> list[int]:
    topic = node.broker.topic(name)
    if (topic is not None and topic.internal) or not authorize_topic(call, node, Operation.WRITE, name):
        return [TOPIC_AUTHORIZATION_FAILED] * len(partitions)
    return _existing(node, name, partitions)


def _existing(node: Node, name: str, partitions: tuple[int, ...]) -> list[int]:
    topic = node.broker.topic(name)
    count = 0 if topic is None else len(topic.partitions)
    return [NONE if 0 <= index < count else UNKNOWN_TOPIC_OR_PARTITION for index in partitions]


def _codes_by_topic(asked: Sequence[_Topic], merged: Topics, reply: AddPartitionsReply) -> _CodesByTopic:
    if not reply.errors:
        return [(topic.name, [(index, reply.error) for index in topic.partitions]) for topic in asked]
    codes = iter(reply.errors)
    return [(topic, [(index, next(codes)) for index in partitions]) for topic, partitions in merged]


def _flat(codes_by_topic: _CodesByTopic) -> AddPartitionsToTxnResponse:
    return AddPartitionsToTxnResponse(
        results_by_topic=[
            AddPartitionsToTxnResponseTopic(
                topic, [AddPartitionsToTxnResponsePartition(index, code) for index, code in codes]
            )
            for topic, codes in codes_by_topic
        ]
    )


def _transaction(transactional_id: str, codes_by_topic: _CodesByTopic) -> AddPartitionsToTxnResponseTransaction:
    return AddPartitionsToTxnResponseTransaction(
        transactional_id,
        [
            AddPartitionsToTxnResponseTransactionTopic(
                topic, [AddPartitionsToTxnResponseTransactionPartition(index, code) for index, code in codes]
            )
            for topic, codes in codes_by_topic
        ],
    )
