"""SaslHandshake (17), versions 0 and 1: the client names its mechanism. v0: bare tokens follow; v1: SaslAuthenticate (KIP-152).

On a listener without SASL, and where no new authentication is due, it is out of place; but nodes of the cluster show on every
listener who they are (`security.node_proof`).
"""

from __future__ import annotations

from muster.runtime.node import Node
from muster.security.sasl import NODE_MECHANISM
from muster.server.call import Call
from muster.wire.errors import ILLEGAL_SASL_STATE
from muster.wire.generated.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse


def handle(call: Call, request: SaslHandshakeRequest, node: Node) -> None:
    connection = call.connection
    session = connection.sasl
    if session is None and request.mechanism == NODE_MECHANISM and call.version >= 1 and node.node_secret is not None:
        from muster.server.sasl_session import SaslSession

        session = connection.sasl = SaslSession(connection, connection.door.gateway_for_nodes())
    if session is None:
        call.reply(SaslHandshakeResponse(ILLEGAL_SASL_STATE, []))
    else:
        session.shake_hands(call, request.mechanism)
