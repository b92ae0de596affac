"""PLAIN (RFC 4616): name and password in one token, checked against the stored SCRAM credential of that user.

The check is as slow as salting a password, and as slow for a name that nobody has.
"""

from __future__ import annotations

from typing import Protocol

from muster.security.sasl import Accepted, AuthenticationFailed, Challenge

MAX_TOKEN_BYTES = 8_192


class Passwords(Protocol):
    def is_password_of(self, name: str, password: str) -> bool: ...


class PlainExchange:
    is_slow = True

    def __init__(self, passwords: Passwords) -> None:
        self._passwords = passwords

    def claimed_name(self, token: bytes) -> str | None:
        try:
            return _parts(token)[1]
        except AuthenticationFailed:
            return None  # the step says what is wrong with it

    def step(self, token: bytes) -> Challenge | Accepted:
        authzid, name, password = _parts(token)
        if not name:
            raise AuthenticationFailed("Authentication failed: username not specified")
        if not password:
            raise AuthenticationFailed("Authentication failed: password not specified", name=name)
        if authzid and authzid != name:
            raise AuthenticationFailed(
                "Authentication failed: Client requested an authorization id that is different from username", name=name
            )
        if not self._passwords.is_password_of(name, password):
            raise AuthenticationFailed(
                "Authentication failed: Invalid username or password", "wrong user or password", name
            )
        return Accepted(name)


def _parts(token: bytes) -> list[str]:
    if len(token) > MAX_TOKEN_BYTES:
        raise AuthenticationFailed(f"Invalid SASL/PLAIN response: {len(token)} bytes are too many")
    parts = token.split(b"\0")
    if len(parts) != 3:
        raise AuthenticationFailed(f"Invalid SASL/PLAIN response: expected 3 tokens, got {len(parts)}")
    try:
        return [part.decode("utf-8") for part in parts]
    except UnicodeDecodeError:
        raise AuthenticationFailed("Invalid SASL/PLAIN response: it is not UTF-8") from None
