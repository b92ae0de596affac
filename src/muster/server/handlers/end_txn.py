"""EndTxn (26), versions 0 to 5: commit or abort a transaction.

v2+ a fenced producer hears PRODUCER_FENCED. v5+ the producer's epoch is raised, and told (KIP-890).
"""

from __future__ import annotations

from muster.core.transactions.replies import EndTransactionReply
from muster.core.transactions.requests import EndTransaction
from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.authorize import may_use_transactional_id
from muster.server.call import Call
from muster.server.transactions import fenced_error
from muster.wire.errors import TRANSACTIONAL_ID_AUTHORIZATION_FAILED
from muster.wire.generated.end_txn import EndTxnRequest, EndTxnResponse

RAISES_EPOCH_SINCE = 5


def handle(call: Call, request: EndTxnRequest, node: Node) -> None:
    if not may_use_transactional_id(call, node, Operation.WRITE, request.transactional_id):
        call.reply(EndTxnResponse(error_code=TRANSACTIONAL_ID_AUTHORIZATION_FAILED))
        return
    call.respond = _respond
    node.transactions.submit(
        EndTransaction(
            request.transactional_id,
            request.producer_id,
            request.producer_epoch,
            request.committed,
            call.version >= RAISES_EPOCH_SINCE,
            fenced_error(call.version),
        ),
        call,
    )


def _respond(call: Call, reply: EndTransactionReply) -> EndTxnResponse:
    return EndTxnResponse(error_code=reply.error, producer_id=reply.producer_id, producer_epoch=reply.producer_epoch)
