"""AddOffsetsToTxn (25), versions 0 to 4: the offsets of a group join a transaction. v2+ knows PRODUCER_FENCED."""

from __future__ import annotations

from muster.core.internal_topics import CONSUMER_OFFSETS
from muster.core.transactions.replies import AddPartitionsReply
from muster.core.transactions.requests import AddPartitions
from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.authorize import authorize_group, may_use_transactional_id
from muster.server.call import Call
from muster.server.transactions import fenced_error, offsets_partition
from muster.wire.errors import (
    COORDINATOR_NOT_AVAILABLE,
    GROUP_AUTHORIZATION_FAILED,
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
)
from muster.wire.generated.add_offsets_to_txn import AddOffsetsToTxnRequest, AddOffsetsToTxnResponse


def handle(call: Call, request: AddOffsetsToTxnRequest, node: Node) -> None:
    if not may_use_transactional_id(call, node, Operation.WRITE, request.transactional_id):
        call.reply(AddOffsetsToTxnResponse(error_code=TRANSACTIONAL_ID_AUTHORIZATION_FAILED))
        return
    if not authorize_group(call, node, Operation.READ, request.group_id):
        call.reply(AddOffsetsToTxnResponse(error_code=GROUP_AUTHORIZATION_FAILED))
        return
    if node.cluster is not None and node.broker.topic(CONSUMER_OFFSETS) is None:
        # Made by another node, of which this one has not heard, or by nobody yet. A partition that this node does not know would be
        # taken for one that is gone when the transaction ends, and get no marker.
        node.create_offsets_topic_soon()
        call.reply(AddOffsetsToTxnResponse(error_code=COORDINATOR_NOT_AVAILABLE))
        return
    call.respond = _respond
    node.transactions.submit(
        AddPartitions(
            request.transactional_id,
            request.producer_id,
            request.producer_epoch,
            (offsets_partition(node, request.group_id),),
            fenced_error=fenced_error(call.version),
        ),
        call,
    )


def _respond(call: Call, reply: AddPartitionsReply) -> AddOffsetsToTxnResponse:
    return AddOffsetsToTxnResponse(error_code=reply.error)
