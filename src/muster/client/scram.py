"""SCRAM as a client speaks it (RFC 5802, RFC 7677), without channel binding. Pure: chance is an argument.

Three steps: `first()` is sent, `final(answer)` is sent, `check(answer)` proves that the server knows the password's key too.
Like Kafka, no SASLprep: names and passwords are their UTF-8 bytes.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64decode, b64encode
from binascii import Error as BinasciiError
from typing import Final

HASHES: Final = {"SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}
LEAST_ITERATIONS: Final = 4096
MOST_ITERATIONS: Final = 10_000_000
"""A server that asks for more keeps the client busy for seconds: refused."""
_NO_BINDING: Final = "n,,"


class ScramError(Exception):
    """The server's message is not what SCRAM allows, or it does not know the password. Says which."""


class ScramClient:
    def __init__(self, mechanism: str, username: str, password: str, nonce: str) -> None:
        self._hash = HASHES[mechanism]
        self._password = password.encode()
        self._nonce = nonce
        name = username.replace("=", "=3D").replace(",", "=2C")
        self._first_bare = f"n={name},r={nonce}"
        self._server_signature = b""

    def first(self) -> bytes:
        return (_NO_BINDING + self._first_bare).encode()

    def final(self, server_first: bytes) -> bytes:
        """The proof that answers the server's challenge."""
        text = _text(server_first)
        fields = _fields(text)
        nonce, salt, iterations = self._challenge(fields)
        salted = hashlib.pbkdf2_hmac(self._hash, self._password, salt, iterations)
        without_proof = f"c={b64encode(_NO_BINDING.encode()).decode()},r={nonce}"
        message = f"{self._first_bare},{text},{without_proof}".encode()
        client_key = self._hmac(salted, b"Client Key")
        signature = self._hmac(hashlib.new(self._hash, client_key).digest(), message)
        proof = bytes(a ^ b for a, b in zip(client_key, signature, strict=True))
        self._server_signature = self._hmac(self._hmac(salted, b"Server Key"), message)
        return f"{without_proof},p={b64encode(proof).decode()}".encode()

    def check(self, server_final: bytes) -> None:
        """ScramError unless the server has proved itself."""
        fields = _fields(_text(server_final))
        if "e" in fields:
            raise ScramError(f"the server says {fields['e']}")
        if not self._server_signature or not hmac.compare_digest(_decoded(fields, "v"), self._server_signature):
            raise ScramError("the server's signature is wrong: it does not know this user's password")

    def _challenge(self, fields: dict[str, str]) -> tuple[str, bytes, int]:
        if "m" in fields:
            raise ScramError("the server wants an extension that is not known")
        if "e" in fields:
            raise ScramError(f"the server says {fields['e']}")
        nonce = fields.get("r", "")
        if not nonce.startswith(self._nonce) or len(nonce) == len(self._nonce):
            raise ScramError("the server did not extend our nonce")
        try:
            iterations = int(fields.get("i", ""))
        except ValueError:
            raise ScramError("the server named no number of iterations") from None
        if not LEAST_ITERATIONS <= iterations <= MOST_ITERATIONS:
            raise ScramError(
                f"the server wants {iterations} iterations: {LEAST_ITERATIONS} to {MOST_ITERATIONS} are safe"
            )
        return nonce, _decoded(fields, "s"), iterations

    def _hmac(self, key: bytes, message: bytes) -> bytes:
        return hmac.digest(key, message, self._hash)


def _text(message: bytes) -> str:
    try:
        return message.decode()
    except UnicodeDecodeError:
        raise ScramError("the server's message is not UTF-8") from None


def _fields(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not equals or len(name) != 1 or name in found:
            raise ScramError(f"the server's message is not SCRAM: {text[:40]!r}")
        found[name] = value
    return found


def _decoded(fields: dict[str, str], name: str) -> bytes:
    try:
        return b64decode(fields.get(name, ""), validate=True)
    except (BinasciiError, ValueError):
        raise ScramError(f"field {name} of the server's message is not base64") from None
