"""SaslHandshake (17), versions 0 and 1: the client names its mechanism. v0: bare tokens follow; v1: SaslAuthenticate (KIP-152).

On a listener without SASL, and where no new authentication is due, it is out of place.
"""

from __future__ import annotations

from muster.server.call import Call
from muster.wire.errors import ILLEGAL_SASL_STATE
from muster.wire.generated.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse


def handle(call: Call, request: SaslHandshakeRequest, node: object) -> None:
    session = call.connection.sasl
    if session is None:
        call.reply(SaslHandshakeResponse(ILLEGAL_SASL_STATE, []))
    else:
        session.shake_hands(call, request.mechanism)
