"""Who may come in: users and their SCRAM credentials, kept in one document of the store. No password is ever kept.

Used by the SASL mechanisms, by the handlers of (Alter|Describe)UserScramCredentials and by `muster users`. Changes are durable
when `alter` returns, and count for the next authentication; who is connected stays so until its session ends.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from typing import Final, TypeVar

from muster.log.contract import DocumentChanged, StorageError
from muster.log.documents import Documents, read_and_decode
from muster.security.sasl import SCRAM_SHA_256, SCRAM_SHA_512
from muster.security.scram import (
    HASHES,
    MAX_ITERATIONS,
    MIN_ITERATIONS,
    SALT_BYTES,
    ScramCredential,
    credential_of,
    proves_password,
    salted_password,
)

DOCUMENT: Final = "users.json"
_ATTEMPTS: Final = 10
MAX_USERS: Final = 10_000
"""The document is written whole for every change."""
MAX_NAME_CHARS: Final = 1_000
_FORMAT: Final = 1
_SECRET_BYTES: Final = 32
_FOR_PLAIN: Final = (SCRAM_SHA_512, SCRAM_SHA_256)
"""PLAIN is checked with the first of these that the user has."""


_T = TypeVar("_T")
Credentials = dict[str, ScramCredential]
"""By mechanism."""


def new_credential(mechanism: str, password: str, iterations: int = MIN_ITERATIONS) -> ScramCredential:
    """For a password that somebody has chosen, with a salt of its own."""
    if not MIN_ITERATIONS <= iterations <= MAX_ITERATIONS:
        raise ValueError(f"{iterations} iterations: it must be {MIN_ITERATIONS} to {MAX_ITERATIONS}")
    salt = os.urandom(SALT_BYTES)
    return credential_of(mechanism, salted_password(mechanism, password, salt, iterations), salt, iterations)


class Users:
    """Reads its document when first asked. Replaces what it knows as a whole, so that threads may read it."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._known: dict[str, Credentials] | None = None
        self._secret = b""
        self._alike: dict[str, list[tuple[int, int]]] = {}
        """By mechanism: iterations and salt bytes of those who have it, sorted."""
        self._alike_in_plain: list[str] = []
        """The mechanism by which PLAIN is checked, of everybody, sorted."""

    # ---- asking

    def names(self) -> list[str]:
        return sorted(self._users())

    def mechanisms_of(self, name: str) -> Mapping[str, ScramCredential] | None:
        """None if there is no such user."""
        return self._users().get(name)

    def credential(self, mechanism: str, name: str) -> ScramCredential:
        """The user's, or for an unknown one something that looks like it and that no password proves. The same work for both:
        the time that it takes tells nothing."""
        found = self._users().get(name, {}).get(mechanism)
        decoy = self._decoy(mechanism, name)
        return found if found is not None else decoy

    def is_password_of(self, name: str, password: str) -> bool:
        """The same work whether there is such a user or not."""
        credentials = self._users().get(name, {})
        unknown = _share(self._alike_in_plain, self._seed("PLAIN", name), _FOR_PLAIN[0])
        mechanism = _for_plain(credentials) or unknown
        proved = proves_password(mechanism, self.credential(mechanism, name), password)
        return proved and mechanism in credentials

    def _decoy(self, mechanism: str, name: str) -> ScramCredential:
        """Always the same for one name, also after a restart: a salt that changes would tell that there is no user. Clients
        choose iterations and salt when they make a user, so both are as users of this mechanism have them."""
        seed = self._seed(mechanism, name)
        size = len(hmac.digest(b"", b"", HASHES[mechanism]))
        iterations, salt_bytes = _share(self._alike.get(mechanism, []), seed, (MIN_ITERATIONS, SALT_BYTES))
        return ScramCredential(
            hashlib.shake_256(seed + b"salt").digest(salt_bytes),
            hmac.digest(seed, b"stored key", "sha512")[:size],
            hmac.digest(seed, b"server key", "sha512")[:size],
            iterations,
        )

    def _seed(self, mechanism: str, name: str) -> bytes:
        return hmac.digest(self._secret, f"{mechanism}\0{name}".encode(), "sha512")

    # ---- changing

    def alter(
        self, upserts: Iterable[tuple[str, str, ScramCredential]], removals: Iterable[tuple[str, str]] = ()
    ) -> None:
        """(name, mechanism, credential) and (name, mechanism). StorageError if it cannot be kept: nothing has changed then."""
        coming, going = list(upserts), list(removals)
        for _ in range(_ATTEMPTS):
            users = _altered(self._users(), coming, going)
            try:
                self._documents.write_document(DOCUMENT, _encode(users, self._secret))
            except DocumentChanged:
                self.load()
                continue
            self._learn(users, self._secret)
            return
        raise StorageError(f"{DOCUMENT} was changed by other nodes {_ATTEMPTS} times in a row: try again")

    # ---- the document

    def load(self) -> None:
        """Read the document (again). StorageError if it cannot be understood; what was known stays."""
        found = read_and_decode(
            self._documents, DOCUMENT, lambda content: None if content is None else _decode(content)
        )
        if found is not None:
            self._learn(*found)
        elif self._known is None:
            self._learn({}, os.urandom(_SECRET_BYTES))

    def _learn(self, users: dict[str, Credentials], secret: bytes) -> None:
        alike: dict[str, list[tuple[int, int]]] = {mechanism: [] for mechanism in HASHES}
        for credentials in users.values():
            for mechanism, each in credentials.items():
                alike[mechanism].append((each.iterations, len(each.salt)))
        self._alike = {mechanism: sorted(found) for mechanism, found in alike.items()}
        self._alike_in_plain = sorted(filter(None, map(_for_plain, users.values())))
        self._known, self._secret = users, secret

    def _users(self) -> dict[str, Credentials]:
        if self._known is None:
            self.load()
        assert self._known is not None
        return self._known

    def __repr__(self) -> str:
        return f"<Users {'not read yet' if self._known is None else len(self._known)}>"


def _altered(
    users: Mapping[str, Credentials],
    coming: Iterable[tuple[str, str, ScramCredential]],
    going: Iterable[tuple[str, str]],
) -> dict[str, Credentials]:
    after = {name: dict(credentials) for name, credentials in users.items()}
    for name, mechanism in going:
        after.get(name, {}).pop(mechanism, None)
    for name, mechanism, credential in coming:
        after.setdefault(name, {})[mechanism] = credential
    return {name: credentials for name, credentials in after.items() if credentials}


def _for_plain(credentials: Mapping[str, ScramCredential]) -> str | None:
    return next((each for each in _FOR_PLAIN if each in credentials), None)


def _share(sorted_values: list[_T], seed: bytes, otherwise: _T) -> _T:
    """One of the values, each in its proportion. The same seed finds a neighbour of it after a few have changed."""
    place = int.from_bytes(seed[:8], "big") * len(sorted_values) >> 64
    return sorted_values[place] if sorted_values else otherwise


def _encode(users: Mapping[str, Credentials], secret: bytes) -> bytes:
    document = {
        "version": _FORMAT,
        "secret": _text(secret),
        "users": {
            name: {
                mechanism: {
                    "salt": _text(each.salt),
                    "stored_key": _text(each.stored_key),
                    "server_key": _text(each.server_key),
                    "iterations": each.iterations,
                }
                for mechanism, each in sorted(users[name].items())
            }
            for name in sorted(users)
        },
    }
    return (json.dumps(document, indent=1) + "\n").encode()


def _decode(content: bytes) -> tuple[dict[str, Credentials], bytes]:
    try:
        document = json.loads(content)
        if document["version"] != _FORMAT:
            raise StorageError(f"{DOCUMENT} has format {document['version']}, this program reads {_FORMAT}")
        users = {
            str(name): {mechanism: _credential(mechanism, each) for mechanism, each in credentials.items()}
            for name, credentials in document["users"].items()
        }
        return users, b64decode(document["secret"], validate=True)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        # The error's own text could show what the document holds.
        raise StorageError(
            f"{DOCUMENT} in the data directory is damaged ({type(error).__name__}): put a copy back, or remove it and add the"
            " users again"
        ) from None


def _credential(mechanism: str, fields: Mapping[str, object]) -> ScramCredential:
    size = len(hmac.digest(b"", b"", HASHES[mechanism]))
    stored_key, server_key = _bytes(fields["stored_key"]), _bytes(fields["server_key"])
    iterations = fields["iterations"]
    if len(stored_key) != size or len(server_key) != size or not isinstance(iterations, int) or iterations < 1:
        raise ValueError(mechanism)
    return ScramCredential(_bytes(fields["salt"]), stored_key, server_key, iterations)


def _text(value: bytes) -> str:
    return b64encode(value).decode()


def _bytes(value: object) -> bytes:
    return b64decode(str(value), validate=True)
