"""SCRAM-SHA-256 and SCRAM-SHA-512 (RFC 5802, RFC 7677): stored credentials, and the server's side of the exchange.

Pure: nonces are given. What is stored proves a password and is no password: with it one can check a client, not be one.
As in Kafka, passwords are taken as their UTF-8 bytes, without SASLprep, and a client may not act for somebody else.
"""

from __future__ import annotations

import binascii
import hashlib
import hmac
import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from muster.security.sasl import SCRAM_SHA_256, SCRAM_SHA_512, Accepted, AuthenticationFailed, Challenge

HASHES: Final = {SCRAM_SHA_256: "sha256", SCRAM_SHA_512: "sha512"}
MIN_ITERATIONS: Final = 4_096
MAX_ITERATIONS: Final = 16_384
"""Kafka's bounds for both mechanisms."""
SALT_BYTES: Final = 24
NONCE_BYTES: Final = 24
MAX_TOKEN_BYTES: Final = 8_192
"""No message of an honest client comes near it."""

_FIRST = re.compile(
    rb"(?P<gs2>(?P<flag>[^,]*),(?P<authzid>[^,]*),)(?P<bare>n=(?P<name>[^,]*),r=(?P<nonce>[^,]+)(?:,.*)?)", re.S
)
_FINAL = re.compile(rb"(?P<without_proof>c=(?P<binding>[^,]*),r=(?P<nonce>[^,]+)(?:,.*)?),p=(?P<proof>[^,]+)", re.S)
_NONCE = re.compile(rb"[\x21-\x2b\x2d-\x7e]+")
"""Printable ASCII without the comma."""


@dataclass(slots=True, frozen=True)
class ScramCredential:
    salt: bytes = field(repr=False)
    stored_key: bytes = field(repr=False)
    server_key: bytes = field(repr=False)
    iterations: int


def salted_password(mechanism: str, password: str, salt: bytes, iterations: int) -> bytes:
    """`Hi` of RFC 5802. Slow on purpose."""
    return hashlib.pbkdf2_hmac(HASHES[mechanism], password.encode("utf-8"), salt, iterations)


def credential_of(mechanism: str, salted: bytes, salt: bytes, iterations: int) -> ScramCredential:
    """What is kept, of a password that has been salted already."""
    algorithm = HASHES[mechanism]
    client_key = hmac.digest(salted, b"Client Key", algorithm)
    stored_key = hashlib.new(algorithm, client_key).digest()
    return ScramCredential(salt, stored_key, hmac.digest(salted, b"Server Key", algorithm), iterations)


def proves_password(mechanism: str, credential: ScramCredential, password: str) -> bool:
    """Whether this is the password. As slow as salting it; takes the same time for a right and a wrong one."""
    salted = salted_password(mechanism, password, credential.salt, credential.iterations)
    given = credential_of(mechanism, salted, credential.salt, credential.iterations)
    return hmac.compare_digest(given.stored_key, credential.stored_key)


Lookup = Callable[[str], ScramCredential]
"""The credential of a name. For a name that nobody has: one that no password proves, and always the same one."""


class ScramExchange:
    is_slow = False

    def __init__(self, mechanism: str, lookup: Lookup, nonce: bytes) -> None:
        """`nonce`: printable, without a comma, and never used before."""
        self._mechanism = mechanism
        self._lookup = lookup
        self._own_nonce = nonce
        self._credential: ScramCredential | None = None
        self._name = ""
        self._binding = b""
        self._nonce = b""
        self._said = b""
        """The first messages of both sides, as they enter the signature."""

    def claimed_name(self, token: bytes) -> str | None:
        return None if self._credential is None else self._name

    def step(self, token: bytes) -> Challenge | Accepted:
        if len(token) > MAX_TOKEN_BYTES:
            raise self._malformed(f"a message of {len(token)} bytes")
        return self._first(token) if self._credential is None else self._final(token)

    def _first(self, token: bytes) -> Challenge:
        match = _FIRST.fullmatch(token)
        if match is None:
            raise self._malformed("the client's first message")
        if match["flag"].startswith(b"p="):
            raise AuthenticationFailed(f"{self._mechanism}: channel binding is not supported")
        if match["flag"] not in (b"n", b"y"):
            raise self._malformed("the first letter of the client's first message")
        if not _NONCE.fullmatch(match["nonce"]):
            raise self._malformed("the client's nonce")
        name = self._name_of(match["name"])
        self._name = name
        if match["authzid"] and match["authzid"] != b"a=" + match["name"]:
            raise AuthenticationFailed(
                "Authentication failed: Client requested an authorization id that is different from username", name=name
            )
        credential = self._lookup(name)
        self._credential = credential
        self._binding = b64encode(match["gs2"])
        self._nonce = match["nonce"] + self._own_nonce
        reply = b"r=%s,s=%s,i=%d" % (self._nonce, b64encode(credential.salt), credential.iterations)
        self._said = match["bare"] + b"," + reply
        return Challenge(reply)

    def _final(self, token: bytes) -> Accepted:
        credential = self._credential
        assert credential is not None
        match = _FINAL.fullmatch(token)
        if match is None:
            raise self._malformed("the client's final message")
        if match["binding"] != self._binding:
            raise self._malformed("the channel binding, which is not that of the first message")
        if not hmac.compare_digest(match["nonce"], self._nonce):
            raise self._malformed("the nonce, which is not this exchange's")
        algorithm = HASHES[self._mechanism]
        signed = self._said + b"," + match["without_proof"]
        signature = hmac.digest(credential.stored_key, signed, algorithm)
        proof = self._proof(match["proof"], len(signature))
        client_key = bytes(mine ^ theirs for mine, theirs in zip(signature, proof, strict=True))
        if not hmac.compare_digest(hashlib.new(algorithm, client_key).digest(), credential.stored_key):
            raise self._refused()
        return Accepted(self._name, b"v=" + b64encode(hmac.digest(credential.server_key, signed, algorithm)))

    def _name_of(self, raw: bytes) -> str:
        """RFC 5802: `=2C` is a comma and `=3D` an equals sign; any other use of `=` is an error."""
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            raise self._malformed("the user name, which is not UTF-8") from None
        if re.search("=(?!2C|3D)", text) or not text or "\0" in text:
            raise self._malformed("the user name")
        return text.replace("=2C", ",").replace("=3D", "=")

    def _proof(self, raw: bytes, size: int) -> bytes:
        try:
            proof = b64decode(raw, validate=True)
        except binascii.Error:
            raise self._malformed("the proof, which is not base64") from None
        if len(proof) != size:
            raise self._malformed(f"the proof of {len(proof)} bytes")
        return proof

    def _malformed(self, what: str) -> AuthenticationFailed:
        return AuthenticationFailed(f"{self._mechanism}: cannot read {what}", name=self._name)

    def _refused(self) -> AuthenticationFailed:
        told = f"Authentication failed during authentication due to invalid credentials with SASL mechanism {self._mechanism}"
        return AuthenticationFailed(told, "wrong user or password", self._name)
