"""InitProducerId (22), versions 0 to 5: an id for an idempotent producer, or for a transactional one.

v3+ may bring the id and epoch that the producer has (KIP-360). Up to v3 a fenced producer hears INVALID_PRODUCER_EPOCH.
"""

from __future__ import annotations

from muster.core.transactions.replies import InitProducerIdReply
from muster.core.transactions.requests import InitProducerId
from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.authorize import authorize_cluster, may_use_transactional_id, may_write_some_topic
from muster.server.call import Call
from muster.wire.errors import (
    CLUSTER_AUTHORIZATION_FAILED,
    COORDINATOR_LOAD_IN_PROGRESS,
    INVALID_PRODUCER_EPOCH,
    INVALID_REQUEST,
    NONE,
    PRODUCER_FENCED,
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
)
from muster.wire.generated.init_producer_id import InitProducerIdRequest, InitProducerIdResponse


def handle(call: Call, request: InitProducerIdRequest, node: Node) -> None:
    error = _denial(call, request, node)
    if error != NONE:
        call.reply(_refused(error))
        return
    if node.broker.producer_ids.is_used_up:
        node.changes.before(call, node.broker.refill_producer_ids, lambda: _give_id(call, request, node))
    else:
        _give_id(call, request, node)


def _give_id(call: Call, request: InitProducerIdRequest, node: Node) -> None:
    name = request.transactional_id
    if name is None:
        producer_id = node.broker.new_producer_id()
        if producer_id is None:
            call.reply(_refused(COORDINATOR_LOAD_IN_PROGRESS))
        else:
            call.reply(InitProducerIdResponse(producer_id=producer_id, producer_epoch=0))
        return
    call.respond = _respond
    node.transactions.submit(
        InitProducerId(
            name,
            request.transaction_timeout_ms,
            request.producer_id,
            request.producer_epoch,
            PRODUCER_FENCED if call.version >= 4 else INVALID_PRODUCER_EPOCH,
        ),
        call,
    )


def _denial(call: Call, request: InitProducerIdRequest, node: Node) -> int:
    name = request.transactional_id
    if name is None:
        if (request.producer_id == -1) != (request.producer_epoch == -1):
            return INVALID_REQUEST
        # KIP-679: a principal that may write to any topic, also a future one, may write idempotently.
        if may_write_some_topic(call, node) or authorize_cluster(call, node, Operation.IDEMPOTENT_WRITE):
            return NONE
        return CLUSTER_AUTHORIZATION_FAILED
    if not may_use_transactional_id(call, node, Operation.WRITE, name):
        return TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    return NONE if node.transactional_id_usage is None else node.transactional_id_usage.why_not(call.principal, name)


def _respond(call: Call, reply: InitProducerIdReply) -> InitProducerIdResponse:
    return InitProducerIdResponse(
        error_code=reply.error, producer_id=reply.producer_id, producer_epoch=reply.producer_epoch
    )


def _refused(error: int) -> InitProducerIdResponse:
    return InitProducerIdResponse(error_code=error, producer_id=-1, producer_epoch=-1)
