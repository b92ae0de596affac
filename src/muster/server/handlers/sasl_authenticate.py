"""SaslAuthenticate (36), versions 0 to 2: one token of a SASL exchange and the answer to it. v1+ how long the session lasts."""

from __future__ import annotations

from muster.server.call import Call
from muster.wire.errors import ILLEGAL_SASL_STATE
from muster.wire.generated.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse


def handle(call: Call, request: SaslAuthenticateRequest, node: object) -> None:
    session = call.connection.sasl
    if session is None:
        call.reply(
            SaslAuthenticateResponse(
                ILLEGAL_SASL_STATE, "SaslAuthenticate request received after successful authentication"
            )
        )
    else:
        session.authenticate(call, request.auth_bytes)
