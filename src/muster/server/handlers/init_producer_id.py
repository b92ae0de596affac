"""InitProducerId (22), versions 0 to 5: an id for an idempotent producer.

v3+ may bring the id and epoch it had (KIP-360); only transactional producers use them. Transactions are not served:
`topics.producer_ids` says how that is told.
"""

from __future__ import annotations

from muster.runtime.node import Node
from muster.security.resources import Operation, ResourceType
from muster.server.call import Call
from muster.server.may import may_use_cluster
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
        allowed = node.authorizer.allows(
            call.principal, call.host, Operation.WRITE, ResourceType.TRANSACTIONAL_ID, name
        )
        return NONE if allowed else TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    if may_use_cluster(call, node, Operation.IDEMPOTENT_WRITE) or _may_write_some_topic(call, node):
        return NONE
    return CLUSTER_AUTHORIZATION_FAILED


def _may_write_some_topic(call: Call, node: Node) -> bool:
    """KIP-679: whoever may write to a topic may do it idempotently.

    Deviates: asked of the topics that exist; Kafka asks its rules, which may name topics to come.
    """
    return any(
        node.authorizer.allows(call.principal, call.host, Operation.WRITE, ResourceType.TOPIC, topic.name)
        for topic in node.broker.catalog.topics()
    )
