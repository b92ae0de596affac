"""Signed tokens for tests: an issuer with a key, its JWKS file, and tokens that are wrong in one way."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

RSA_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC_KEY = ec.generate_private_key(ec.SECP256R1())


class Issuer:
    """Signs with an RSA key (kid `rsa`) and an elliptic one (kid `ec`)."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "jwks.json"
        self.rsa_key, self.ec_key = RSA_KEY, EC_KEY
        self.write()

    def write(self, *more: dict[str, Any]) -> None:
        keys = [
            {**json.loads(RSAAlgorithm.to_jwk(self.rsa_key.public_key())), "kid": "rsa", "use": "sig", "alg": "RS256"},
            {**json.loads(ECAlgorithm.to_jwk(self.ec_key.public_key())), "kid": "ec", "use": "sig", "alg": "ES256"},
            *more,
        ]
        self.path.write_text(json.dumps({"keys": keys}))

    def token(
        self, subject: str = "alice", *, kid: str | None = "rsa", lifetime_seconds: float = 60, **claims: Any
    ) -> str:
        """Claims that are None are left out."""
        now = time.time()
        everything = {"sub": subject, "iat": now, "exp": now + lifetime_seconds, "iss": "https://issuer", **claims}
        key, algorithm = (self.ec_key, "ES256") if kid == "ec" else (self.rsa_key, "RS256")
        return jwt.encode(
            {name: value for name, value in everything.items() if value is not None},
            key,
            algorithm,
            headers={} if kid is None else {"kid": kid},
        )


def first_message(token: str, authzid: str = "") -> bytes:
    """RFC 7628 section 3.1."""
    return f"n,{f'a={authzid}' if authzid else ''},\x01auth=Bearer {token}\x01\x01".encode()
