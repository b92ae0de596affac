"""DescribeTransactions (65), version 0: what the coordinator knows of transactional ids (KIP-664).

Deviates: a transactional id that is listed several times is described once. A short question would have a very long answer
otherwise.
"""

from __future__ import annotations

from muster.core.transactions.replies import DescribeTransactionReply
from muster.core.transactions.requests import DescribeTransaction
from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.authorize import authorize_topic, may_use_transactional_id
from muster.server.call import Call
from muster.server.parts import Parts
from muster.wire.errors import TRANSACTIONAL_ID_AUTHORIZATION_FAILED
from muster.wire.generated.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    DescribeTransactionsResponseTopic,
    DescribeTransactionsResponseTransaction,
)


def handle(call: Call, request: DescribeTransactionsRequest, node: Node) -> None:
    def lay_out(replies: list[DescribeTransactionReply]) -> DescribeTransactionsResponse:
        return DescribeTransactionsResponse(transaction_states=[_described(call, node, reply) for reply in replies])

    parts: Parts[DescribeTransactionReply] = Parts(call, lay_out)
    for name in dict.fromkeys(request.transactional_ids):
        if may_use_transactional_id(call, node, Operation.DESCRIBE, name):
            node.transactions.submit(DescribeTransaction(name), parts.ticket())
        else:
            parts.settled(DescribeTransactionReply(TRANSACTIONAL_ID_AUTHORIZATION_FAILED, name))
    parts.seal()


def _described(call: Call, node: Node, reply: DescribeTransactionReply) -> DescribeTransactionsResponseTransaction:
    """Topics that the client may not know of are left out."""
    return DescribeTransactionsResponseTransaction(
        reply.error,
        reply.transactional_id,
        "" if reply.state is None else reply.state.value,
        reply.timeout_ms,
        reply.start_timestamp_ms,
        reply.producer_id,
        reply.producer_epoch,
        [
            DescribeTransactionsResponseTopic(topic, partitions)
            for topic, partitions in reply.topics
            if authorize_topic(call, node, Operation.DESCRIBE, topic, quietly=True)
        ],
    )
