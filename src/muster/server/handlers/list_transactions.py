"""ListTransactions (66), versions 0 to 2 (KIP-664). v1+ by how long a transaction is open, v2+ by a pattern of its id."""

from __future__ import annotations

from muster.core.transactions.replies import ListTransactionsReply
from muster.core.transactions.requests import ListTransactions
from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.authorize import may_use_transactional_id
from muster.server.call import Call
from muster.server.parts import Parts
from muster.topics.patterns import BadPattern, whole_match
from muster.wire.errors import INVALID_REGULAR_EXPRESSION, NONE
from muster.wire.generated.list_transactions import (
    ListTransactionsRequest,
    ListTransactionsResponse,
    ListTransactionsResponseTransaction,
)


def handle(call: Call, request: ListTransactionsRequest, node: Node) -> None:
    pattern = request.transactional_id_pattern
    try:
        matches = whole_match(pattern) if pattern else None
    except BadPattern:
        call.reply(ListTransactionsResponse(error_code=INVALID_REGULAR_EXPRESSION))
        return
    asked = ListTransactions(
        tuple(request.state_filters), tuple(request.producer_id_filters), request.duration_filter, matches
    )
    parts: Parts[ListTransactionsReply] = Parts(call, lambda replies: _laid_out(call, node, replies))
    error = node.transactions.list_transactions(asked, parts.ticket)
    if error != NONE:
        call.reply(ListTransactionsResponse(error_code=error))
        return
    parts.seal()


def _laid_out(call: Call, node: Node, replies: list[ListTransactionsReply]) -> ListTransactionsResponse:
    error = next((reply.error for reply in replies if reply.error), NONE)
    if error:
        return ListTransactionsResponse(error_code=error)  # half a list would look like transactions that are gone
    return ListTransactionsResponse(
        unknown_state_filters=list(dict.fromkeys(word for reply in replies for word in reply.unknown_states)),
        transaction_states=[
            ListTransactionsResponseTransaction(each.transactional_id, each.producer_id, each.state.value)
            for reply in replies
            for each in reply.transactions
            if may_use_transactional_id(call, node, Operation.DESCRIBE, each.transactional_id, quietly=True)
        ],
    )
