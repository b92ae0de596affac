"""InitProducerId (22), versions 0 to 5: an id for an idempotent producer.

v3+ may bring the id and epoch it had (KIP-360); only transactional producers use them. Transactions are not served:
`topics.producer_ids` says how that is told.
"""

from __future__ import annotations

from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.authorize import authorize_cluster, may_use_transactional_id, may_write_some_topic
from muster.server.call import Call
from muster.topics.refusal import TopicError
from muster.wire.errors import CLUSTER_AUTHORIZATION_FAILED, NONE, TRANSACTIONAL_ID_AUTHORIZATION_FAILED
from muster.wire.generated.init_producer_id import InitProducerIdRequest, InitProducerIdResponse


def handle(call: Call, request: InitProducerIdRequest, node: Node) -> None:
    error = _denial(call, request, node)
    if error != NONE:
        call.reply(InitProducerIdResponse(error_code=error, producer_epoch=-1))
        return
    try:
        producer_id, epoch = node.broker.init_producer_id(request.transactional_id)
    except TopicError as refused:
        call.reply(InitProducerIdResponse(error_code=refused.code, producer_epoch=-1))
        return
    call.reply(InitProducerIdResponse(producer_id=producer_id, producer_epoch=epoch))


def _denial(call: Call, request: InitProducerIdRequest, node: Node) -> int:
    name = request.transactional_id
    if name is not None:
        allowed = may_use_transactional_id(call, node, Operation.WRITE, name)
        return NONE if allowed else TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    # KIP-679: whoever may write to a topic, be it one to come, may do it idempotently.
    if may_write_some_topic(call, node) or authorize_cluster(call, node, Operation.IDEMPOTENT_WRITE):
        return NONE
    return CLUSTER_AUTHORIZATION_FAILED
