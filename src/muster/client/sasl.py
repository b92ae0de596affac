"""The SASL exchange on a connection that speaks versions already: handshake, then tokens until both sides are content.

Knows the mechanisms' messages, not bytes on the wire: it is given two questions to ask. Called by `connection`.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Generator
from pathlib import Path
from typing import Final, TypeAlias

from muster.client.failure import ClientError
from muster.client.scram import HASHES, ScramClient, ScramError
from muster.client.security import Security
from muster.wire.errors import INVALID_CONFIG, NONE, SASL_AUTHENTICATION_FAILED, UNSUPPORTED_SASL_MECHANISM
from muster.wire.generated.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse
from muster.wire.generated.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse

Handshake: TypeAlias = Callable[[SaslHandshakeRequest], Awaitable[SaslHandshakeResponse]]
Authenticate: TypeAlias = Callable[[SaslAuthenticateRequest], Awaitable[SaslAuthenticateResponse]]
Tokens: TypeAlias = Generator[bytes, bytes, None]
"""Yields what to send, is sent what came back, returns when content."""

_NONCE_BYTES: Final = 18
_ABORT: Final = b"\x01"
"""RFC 7628: what a client says to an error that came as a challenge."""


class _TokenRefused(Exception):
    """What the server said of a bearer token."""


async def authenticate(security: Security, handshake: Handshake, ask: Authenticate) -> int:
    """Prove who we are; returns how long that lasts in ms, 0 for as long as the connection. ClientError if refused."""
    mechanism = security.mechanism
    assert mechanism is not None
    asked = f"authenticate with {mechanism} as {security.username or 'the bearer of a token'}"
    greeted = await handshake(SaslHandshakeRequest(mechanism))
    if greeted.error_code != NONE:
        offered = ", ".join(greeted.mechanisms) or "none"
        raise ClientError(greeted.error_code or UNSUPPORTED_SASL_MECHANISM, asked, f"the listener offers {offered}")
    tokens = _tokens(security)
    answer: bytes | None = None
    lifetime_ms = 0
    while True:
        try:
            token = next(tokens) if answer is None else tokens.send(answer)
        except StopIteration:
            return lifetime_ms
        except (ScramError, _TokenRefused) as error:
            raise ClientError(SASL_AUTHENTICATION_FAILED, asked, str(error)) from None
        reply = await ask(SaslAuthenticateRequest(token))
        if reply.error_code != NONE:
            raise ClientError(reply.error_code, asked, reply.error_message)
        answer, lifetime_ms = bytes(reply.auth_bytes), reply.session_lifetime_ms


def _tokens(security: Security) -> Tokens:
    if security.mechanism == "PLAIN":
        return _plain(security)
    if security.mechanism in HASHES:
        return _scram(security)
    return _bearer(security)


def _plain(security: Security) -> Tokens:
    yield f"\0{security.username}\0{security.password}".encode()


def _scram(security: Security) -> Tokens:
    assert security.mechanism is not None
    scram = ScramClient(
        security.mechanism, security.username or "", security.password or "", secrets.token_urlsafe(_NONCE_BYTES)
    )
    challenge = yield scram.first()
    outcome = yield scram.final(challenge)
    scram.check(outcome)


def _bearer(security: Security) -> Tokens:
    """RFC 7628. An error comes as a challenge in JSON, and as an error code once we have said that we heard it."""
    answer = yield f"n,,\x01auth=Bearer {_token(security)}\x01\x01".encode()
    if answer:
        yield _ABORT
        raise _TokenRefused(f"the server refuses the token: {answer.decode('utf-8', 'replace')}")


def _token(security: Security) -> str:
    if security.token_file is None:
        return security.token or ""
    try:
        return Path(security.token_file).read_text(encoding="utf-8").strip()
    except OSError as error:
        detail = error.strerror or str(error)
        raise ClientError(
            INVALID_CONFIG, f"read the token in {security.token_file}", detail, "Check the path"
        ) from None
