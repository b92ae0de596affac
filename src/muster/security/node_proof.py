"""How a node proves to another one that it belongs to the cluster: by a secret that only those know who can read the shared store.

A SASL mechanism of Muster's own. Both sides prove that they know the secret, which is never sent, and which of them is the client:

    client -> its node id, a nonce
    server -> a nonce, HMAC(secret, "server", all that was said, the server's certificate)
    client -> HMAC(secret, "client", the same)

The certificate is the one that the server showed, and that the client saw (nothing without TLS): whoever sits between the two
with a certificate of its own gets no further, so that nodes need no authority that signs them (the idea of RFC 5929).
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable
from hashlib import sha256
from struct import Struct
from typing import Final

from muster.log.contract import DocumentChanged, LogStore, StorageError
from muster.security.sasl import NODE, Accepted, AuthenticationFailed, Challenge

DOCUMENT: Final = "node-secret.json"
_SECRET_BYTES: Final = 32
_NONCE_BYTES: Final = 32
_NODE_ID: Final = Struct(">i")


def shared_secret(store: LogStore, random_bytes: Callable[[int], bytes]) -> bytes:
    """The cluster's secret; the first node makes it. StorageError if it can be neither read nor made."""
    content = store.read_document(DOCUMENT)
    while content is None:
        made = json.dumps({"version": 1, "secret": random_bytes(_SECRET_BYTES).hex()}).encode()
        try:
            store.write_document(DOCUMENT, made)
            content = made
        except DocumentChanged:
            content = store.read_document(DOCUMENT)  # another node was quicker
    try:
        secret = bytes.fromhex(json.loads(content)["secret"])
    except (ValueError, KeyError, TypeError):
        secret = b""
    if len(secret) != _SECRET_BYTES:
        raise StorageError(
            f"{DOCUMENT} cannot be read. Stop all nodes and delete it; the next start makes another one."
        )
    return secret


class NodeExchange:
    """The server's side of one authentication."""

    is_slow = False

    def __init__(self, secret: bytes, nonce: bytes, certificate: bytes) -> None:
        self._secret = secret
        self._nonce = nonce
        self._certificate = certificate
        self._said = b""
        """What the client said first; empty before."""

    def claimed_name(self, token: bytes) -> str | None:
        return None  # nobody guesses 256 bits

    def step(self, token: bytes) -> Challenge | Accepted:
        if not self._said:
            if len(token) != _NODE_ID.size + _NONCE_BYTES:
                raise AuthenticationFailed("Authentication failed: not the first token of a node")
            self._said = token
            return Challenge(self._nonce + self._proof(b"server"))
        (node_id,) = _NODE_ID.unpack_from(self._said)
        if not hmac.compare_digest(token, self._proof(b"client")):
            raise AuthenticationFailed("Authentication failed: not a node of this cluster", name=f"node {node_id}")
        return Accepted(str(node_id), principal_type=NODE)

    def _proof(self, who: bytes) -> bytes:
        return _proof(self._secret, who, self._said + self._nonce, self._certificate)


class NodeClaim:
    """The client's side."""

    def __init__(self, secret: bytes, node_id: int, nonce: bytes, certificate: bytes) -> None:
        self._secret = secret
        self._certificate = certificate
        self.first_token = _NODE_ID.pack(node_id) + nonce

    def answer(self, challenge: bytes) -> bytes:
        """AuthenticationFailed if the other one does not know the secret, or is not the one that showed the certificate."""
        said = self.first_token + challenge[:_NONCE_BYTES]
        if not hmac.compare_digest(challenge[_NONCE_BYTES:], _proof(self._secret, b"server", said, self._certificate)):
            raise AuthenticationFailed("whoever listens there is not a node of this cluster")
        return _proof(self._secret, b"client", said, self._certificate)


def new_nonce(random_bytes: Callable[[int], bytes]) -> bytes:
    return random_bytes(_NONCE_BYTES)


def _proof(secret: bytes, who: bytes, said: bytes, certificate: bytes) -> bytes:
    return hmac.digest(secret, who + said + sha256(certificate).digest(), "sha256")
