"""OAUTHBEARER (RFC 7628, KIP-768): a signed token (JWT) instead of a password, checked against the keys of a JWKS file.

Only signatures with public keys count: a token that is not signed, or signed with a shared secret, is refused whatever it says of
itself. Needs PyJWT (extra `oauth`), imported when the first listener wants it.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from muster.extras import install_command
from muster.security.sasl import Accepted, AuthenticationFailed, Challenge

ALGORITHMS: Final = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
)
"""Public keys only."""
MAX_TOKEN_BYTES: Final = 65_536
INVALID_TOKEN: Final = '{"status":"invalid_token"}'  # noqa: S105 - words of the protocol
"""What a client reads before it is told that it failed (RFC 7628 section 3.2.2)."""

_log = logging.getLogger("muster.oauth")
_HEADER = re.compile(rb"n,(?:a=(?P<authzid>[^,]*))?,")
_PAIR = re.compile(rb"([a-zA-Z]+)=([\x21-\x7e \t\r\n]*)")
_BEARER = re.compile(rb"bearer +([-_.~+/=A-Za-z0-9]+)", re.IGNORECASE)
_LAST_SECOND: Final = 253_402_300_799
"""The end of the year 9999: what ends later, ends never, and must still fit into an answer."""


class KeyFileError(Exception):
    """The JWKS file cannot be used: says which one and why."""


@dataclass(slots=True, frozen=True)
class TokenRules:
    audiences: tuple[str, ...] = ()
    """Empty: any."""
    issuer: str | None = None
    clock_skew_seconds: int = 30
    scope_claim: str = "scope"
    subject_claim: str = "sub"


@dataclass(slots=True, frozen=True)
class Claims:
    subject: str
    expires_at_ms: int


CheckToken: TypeAlias = Callable[[str], Claims]
"""What a token says, if it may be believed; AuthenticationFailed if not."""


class OAuthExchange:
    is_slow = False

    def __init__(self, check: CheckToken) -> None:
        self._check = check
        self._failure: AuthenticationFailed | None = None

    def claimed_name(self, token: bytes) -> str | None:
        return None  # a signature is not guessed

    def step(self, token: bytes) -> Challenge | Accepted:
        if self._failure is not None:
            raise self._failure
        if len(token) > MAX_TOKEN_BYTES:
            raise AuthenticationFailed(f"OAUTHBEARER: a message of {len(token)} bytes is too long")
        authzid, bearer = _first_message(token)
        try:
            claims = self._check(bearer)
        except AuthenticationFailed as failure:
            self._failure = failure
            return Challenge(failure.told.encode())
        if authzid and authzid != claims.subject.encode():
            raise AuthenticationFailed(
                "Authentication failed: Client requested an authorization id that is different from the token's principal name",
                name=claims.subject,
            )
        return Accepted(claims.subject, b"", claims.expires_at_ms)


def _first_message(message: bytes) -> tuple[bytes, str]:
    """(authorization id, token). Part by part: one expression over all pairs would take seconds for a message made for that."""
    head, *pairs = message.split(b"\x01")
    header = _HEADER.fullmatch(head)
    found = [_PAIR.fullmatch(pair) for pair in pairs[:-2]]
    schemes = [_BEARER.fullmatch(pair[2]) for pair in found if pair is not None and pair[1] == b"auth"]
    scheme = schemes[0] if len(schemes) == 1 else None
    if header is None or scheme is None or None in found or pairs[-2:] != [b"", b""]:
        raise AuthenticationFailed("OAUTHBEARER: cannot read the client's first message")
    authzid = (header["authzid"] or b"").replace(b"=2C", b",").replace(b"=3D", b"=")
    return authzid, scheme[1].decode("ascii")


class TokenChecker:
    """The keys of one JWKS file and what a token must say. `refresh` reads the file again if it has changed."""

    def __init__(self, path: str, rules: TokenRules, wall_clock_seconds: Callable[[], float]) -> None:
        """KeyFileError if the file, or PyJWT, is not there."""
        self._path = path
        self._rules = rules
        self._wall_clock_seconds = wall_clock_seconds
        self._jwt = _pyjwt()
        self._stamp = _stamp(path)
        self._keys = self._read()

    def check(self, token: str) -> Claims:
        """Everything about a bad token is told to the log, and nothing but that it is bad to the client."""
        jwt = self._jwt
        try:
            header = jwt.get_unverified_header(token)
            claims = jwt.decode(
                token,
                self._key(header.get("kid"), header.get("alg")),
                algorithms=list(ALGORITHMS),
                audience=list(self._rules.audiences) or None,
                issuer=self._rules.issuer,
                leeway=self._rules.clock_skew_seconds,
                options={
                    "require": ["exp", self._rules.subject_claim],
                    "verify_aud": bool(self._rules.audiences),
                    "verify_iss": self._rules.issuer is not None,
                    "verify_sub": False,
                    # By our clock, below.
                    "verify_exp": False,
                    "verify_nbf": False,
                    "verify_iat": False,
                },
            )
            return self._claims(claims)
        except jwt.PyJWTError as error:
            raise _refused(_reason(error)) from None
        except (ValueError, TypeError, KeyError, OverflowError) as error:
            raise _refused(f"unreadable ({type(error).__name__})") from None

    def _key(self, key_id: object, algorithm: object) -> Any:
        if algorithm not in ALGORITHMS:
            raise _refused("its signature is of a kind that is not accepted")
        fitting = [key for key in self._keys if key_id is None or key.key_id == key_id]
        fitting = [key for key in fitting if key.algorithm_name in (None, algorithm) or key_id is not None]
        if not fitting:
            raise _refused("no key of the JWKS file has its key id")
        if len(fitting) > 1:
            raise _refused("it names no key id, and the JWKS file has several keys")
        return fitting[0]

    def _claims(self, claims: dict[str, Any]) -> Claims:
        now, skew = self._wall_clock_seconds(), self._rules.clock_skew_seconds
        expires = _seconds(claims, "exp")
        assert expires is not None
        if now >= expires + skew:
            raise _refused("expired")
        begins = _seconds(claims, "nbf")
        if begins is not None and now < begins - skew:
            raise _refused("not valid yet")
        issued = _seconds(claims, "iat")
        if issued is not None and now < issued - skew:
            raise _refused("issued in the future")
        subject = claims[self._rules.subject_claim]
        if not isinstance(subject, str) or not subject.strip():
            raise _refused(f"its claim {self._rules.subject_claim} is not a name")
        scope = claims.get(self._rules.scope_claim, "")
        if not isinstance(scope, str) and not (
            isinstance(scope, list) and all(isinstance(each, str) for each in scope)
        ):
            raise _refused(f"its claim {self._rules.scope_claim} is neither text nor a list of texts")
        return Claims(subject.strip(), int(min(expires, _LAST_SECOND) * 1000))

    def refresh(self) -> None:
        """A file that cannot be used now leaves the keys as they are, and says so."""
        stamp = _stamp(self._path)
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._keys = self._read()
        except KeyFileError as error:
            _log.error("keeping the keys that were read before: %s", error)
            return
        _log.info("%s: %d keys read again", self._path, len(self._keys))

    def _read(self) -> list[Any]:
        try:
            with open(self._path, encoding="utf-8") as file:
                document = json.load(file)
            entries = document["keys"]
            keys = [self._jwt.PyJWK.from_dict(each) for each in entries if _may_sign(each)]
        except OSError as error:
            raise KeyFileError(f"{self._path}: cannot be read: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, AttributeError, self._jwt.PyJWTError) as error:
            raise KeyFileError(f"{self._path}: is not a JSON Web Key Set ({type(error).__name__})") from None
        if not keys:
            raise KeyFileError(f"{self._path}: has no public keys")
        return keys

    def __repr__(self) -> str:
        return f"<TokenChecker {self._path}: {len(self._keys)} keys>"


def _may_sign(entry: dict[str, Any]) -> bool:
    """RFC 7517: issuers publish keys for encryption in the same set, of algorithms that sign nothing."""
    return (
        entry.get("kty") != "oct"
        and entry.get("use", "sig") == "sig"
        and "verify" in entry.get("key_ops", ("verify",))
        and entry.get("alg", ALGORITHMS[0]) in ALGORITHMS
    )


def _seconds(claims: dict[str, Any], name: str) -> float | None:
    value = claims.get(name)
    if value is None and name != "exp":
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _refused(f"its claim {name} is not a time")
    return float(value)


def _reason(error: Exception) -> str:
    """PyJWT's error by its kind: its text may quote the token."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(error).__name__.removesuffix("Error")).lower()
    claim = getattr(error, "claim", None)
    return f"{words} ({claim})" if claim else words


def _refused(why: str) -> AuthenticationFailed:
    return AuthenticationFailed(INVALID_TOKEN, f"the token is refused: {why}")


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _pyjwt() -> Any:
    try:
        import cryptography.hazmat.primitives  # noqa: F401 - PyJWT can check no signature without it
        import jwt
    except ImportError:
        raise KeyFileError(f"OAUTHBEARER needs PyJWT: {install_command('oauth')}") from None
    return jwt
