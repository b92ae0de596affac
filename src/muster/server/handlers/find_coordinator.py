"""FindCoordinator v0-6.

v0-3 name one key; on success the error message is the word `NONE` (v1+). v4+: a list of keys, an entry for each in
request order, messages empty. The first question for a group makes `__consumer_offsets` if it is not there, and is
told to come again.

A key that is listed several times is answered as often. Deviates: not without end (`Repeats`).
"""

from __future__ import annotations

from typing import Final

from muster.core.internal_topics import CONSUMER_OFFSETS, TRANSACTION_STATE
from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.authorize import authorize_cluster, authorize_group, may_use_transactional_id
from muster.server.brokers import coordinator_of, send_away_if_lost
from muster.server.call import Call
from muster.server.reply_size import Repeats
from muster.wire.errors import (
    CLUSTER_AUTHORIZATION_FAILED,
    COORDINATOR_NOT_AVAILABLE,
    GROUP_AUTHORIZATION_FAILED,
    INVALID_REQUEST,
    NONE,
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
)
from muster.wire.generated.find_coordinator import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
    FindCoordinatorResponseCoordinator,
)

GROUP, TRANSACTION, SHARE = 0, 1, 2

DEFAULT_TEXTS: Final = {
    NONE: "NONE",
    COORDINATOR_NOT_AVAILABLE: "The coordinator is not available.",
    INVALID_REQUEST: (
        "This most likely occurs because of a request being malformed by the client library or the message was sent to an "
        "incompatible broker. See the broker logs for more details."
    ),
    GROUP_AUTHORIZATION_FAILED: "Group authorization failed.",
    CLUSTER_AUTHORIZATION_FAILED: "Cluster authorization failed.",
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED: "Transactional Id authorization failed.",
}
"""Texts that clients show to people; the wording is part of the protocol as clients know it."""


def handle(call: Call, request: FindCoordinatorRequest, node: Node) -> None:
    send_away_if_lost(call, node)
    if call.version >= 4:
        keys = request.coordinator_keys
        found = {key: _entry(call, node, request.key_type, key) for key in dict.fromkeys(keys)}
        if len(found) < len(keys):
            Repeats().add(len(keys) - len(found))
        call.reply(FindCoordinatorResponse(coordinators=[found[key] for key in keys]))
        return
    entry = _entry(call, node, request.key_type, request.key)
    call.reply(
        FindCoordinatorResponse(
            error_code=entry.error_code,
            error_message=DEFAULT_TEXTS[entry.error_code],
            node_id=entry.node_id,
            host=entry.host,
            port=entry.port,
        )
    )


def _entry(call: Call, node: Node, key_type: int, key: str) -> FindCoordinatorResponseCoordinator:
    error = _refusal(call, node, key_type, key)
    if error == NONE:
        is_group = key_type == GROUP
        found = coordinator_of(call, node, CONSUMER_OFFSETS if is_group else TRANSACTION_STATE, key)
        if found is not None:
            return FindCoordinatorResponseCoordinator(key, found.node_id, found.host, found.port, NONE, "")
        if is_group:
            node.create_offsets_topic_soon()
        else:
            node.create_transactions_topic_soon()
        error = COORDINATOR_NOT_AVAILABLE
    # In a list only an unknown key type carries its text, and a right to the cluster that is missing.
    is_told = error == CLUSTER_AUTHORIZATION_FAILED or (
        error == INVALID_REQUEST and key_type not in (GROUP, TRANSACTION, SHARE)
    )
    text = DEFAULT_TEXTS[error] if is_told else ""
    return FindCoordinatorResponseCoordinator(key, -1, "", -1, error, text)


def _refusal(call: Call, node: Node, key_type: int, key: str) -> int:
    if key_type == GROUP:
        return NONE if authorize_group(call, node, Operation.DESCRIBE, key) else GROUP_AUTHORIZATION_FAILED
    if key_type == TRANSACTION:
        allowed = may_use_transactional_id(call, node, Operation.DESCRIBE, key)
        return NONE if allowed else TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    if key_type == SHARE and call.version >= 6:
        if not authorize_cluster(call, node, Operation.CLUSTER_ACTION):
            return CLUSTER_AUTHORIZATION_FAILED
        if _is_share_key(key):
            # Deviates: share groups are not served, so their coordinator is never available.
            return COORDINATOR_NOT_AVAILABLE
    return INVALID_REQUEST


def _is_share_key(key: str) -> bool:
    """group:topic id:partition (KIP-932)."""
    parts = key.rsplit(":", 2)
    return len(parts) == 3 and len(parts[1]) == 22 and parts[2].isdecimal()
