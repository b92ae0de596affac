"""AddPartitionsToTxn (24), versions 0 to 5: partitions join a transaction.

v2+ knows PRODUCER_FENCED. v4+ names several transactions and may ask only whether partitions are in them (KIP-890): brokers use
it for their producers, also for partitions of `__consumer_offsets`. They need the right to CLUSTER_ACTION and no other: who asked
them was checked there.

One partition that is refused keeps all of its transaction out: the others are told OPERATION_NOT_ATTEMPTED.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from muster.core.transactions.records import TopicPartitions
from muster.core.transactions.replies import AddPartitionsReply
from muster.core.transactions.requests import AddPartitions
from muster.core.transactions.topic_partitions import Topics, pairs
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
            results_by_transaction=[_transaction(each, reply) for each, reply in zip(asked, replies, strict=True)]
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
    call.respond = lambda call, reply: _flat(asked, reply)
    refused = _refusal(call, node, asked)
    if refused is None:
        node.transactions.submit(asked, call)
    else:
        call.reply(_flat(asked, refused))


def _merged(topics: Sequence[_Topic]) -> Topics:
    """Each partition once, in the order of the request."""
    found: dict[str, dict[int, None]] = {}
    for topic in topics:
        found.setdefault(topic.name, {}).update(dict.fromkeys(topic.partitions))
    return tuple(TopicPartitions(name, tuple(partitions)) for name, partitions in found.items())


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


def _by_topic(asked: AddPartitions, reply: AddPartitionsReply) -> list[tuple[str, list[tuple[int, int]]]]:
    codes = iter(reply.listed(sum(1 for _ in pairs(asked.topics))))
    return [(topic, [(index, next(codes)) for index in partitions]) for topic, partitions in asked.topics]


def _flat(asked: AddPartitions, reply: AddPartitionsReply) -> AddPartitionsToTxnResponse:
    return AddPartitionsToTxnResponse(
        results_by_topic=[
            AddPartitionsToTxnResponseTopic(
                topic, [AddPartitionsToTxnResponsePartition(index, code) for index, code in codes]
            )
            for topic, codes in _by_topic(asked, reply)
        ]
    )


def _transaction(asked: AddPartitions, reply: AddPartitionsReply) -> AddPartitionsToTxnResponseTransaction:
    return AddPartitionsToTxnResponseTransaction(
        asked.transactional_id,
        [
            AddPartitionsToTxnResponseTransactionTopic(
                topic, [AddPartitionsToTxnResponseTransactionPartition(index, code) for index, code in codes]
            )
            for topic, codes in _by_topic(asked, reply)
        ],
    )
