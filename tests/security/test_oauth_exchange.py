"""OAUTHBEARER: which tokens are believed, and what the client is told of the others."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from hypothesis import given
from hypothesis import strategies as st
from jwt.algorithms import RSAAlgorithm

from muster.security.oauth import Claims, KeyFileError, OAuthExchange, TokenChecker, TokenRules
from muster.security.sasl import Accepted, AuthenticationFailed, Challenge
from tests.security.tokens import Issuer, first_message

INVALID = Challenge(b'{"status":"invalid_token"}')


@pytest.fixture
def issuer(tmp_path: Path) -> Issuer:
    return Issuer(tmp_path)


def checker(issuer: Issuer, clock: Callable[[], float] = time.time, /, **rules: object) -> TokenChecker:
    return TokenChecker(str(issuer.path), TokenRules(**rules), clock)  # type: ignore[arg-type]


def verdict(checking: TokenChecker, token: str) -> Challenge | Accepted:
    return OAuthExchange(checking.check).step(first_message(token))


def why_not(checking: TokenChecker, token: str) -> str:
    with pytest.raises(AuthenticationFailed) as caught:
        checking.check(token)
    assert caught.value.told == '{"status":"invalid_token"}'
    assert token not in caught.value.why
    return caught.value.why


@pytest.mark.parametrize("kid", ["rsa", "ec"])
def test_a_signed_token_gives_its_subject_and_its_end(issuer: Issuer, kid: str) -> None:
    accepted = verdict(checker(issuer), issuer.token("alice", kid=kid, exp=2_000_000_000))
    assert accepted == Accepted("alice", b"", 2_000_000_000_000)


def test_a_bad_token_is_told_as_invalid_and_fails_with_the_clients_next_message(issuer: Issuer) -> None:
    """RFC 7628 section 3.2.3: the client says a last byte after the error, and then it fails."""
    exchange = OAuthExchange(checker(issuer).check)
    assert exchange.step(first_message("a.b.c")) == INVALID
    with pytest.raises(AuthenticationFailed, match="refused"):
        exchange.step(b"\x01")


def test_a_token_of_another_signer_is_refused(issuer: Issuer) -> None:
    stranger = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    forged = jwt.encode({"sub": "alice", "exp": time.time() + 60}, stranger, "RS256", headers={"kid": "rsa"})
    assert "invalid signature" in why_not(checker(issuer), forged)


def test_an_unsigned_token_is_refused(issuer: Issuer) -> None:
    """RFC 8725 section 3.1: the header does not choose the algorithm."""
    unsigned = jwt.encode({"sub": "alice", "exp": time.time() + 60}, None, "none", headers={"kid": "rsa"})  # type: ignore[arg-type]
    assert "kind that is not accepted" in why_not(checker(issuer), unsigned)


def test_a_token_signed_with_the_public_key_as_shared_secret_is_refused(issuer: Issuer) -> None:
    """RFC 8725 section 2.1: the well-known confusion of algorithms."""
    import base64
    import hashlib
    import hmac

    public = issuer.rsa_key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )

    def part(value: dict[str, object]) -> bytes:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")

    signed = part({"alg": "HS256", "kid": "rsa"}) + b"." + part({"sub": "alice", "exp": time.time() + 60})
    signature = base64.urlsafe_b64encode(hmac.new(public, signed, hashlib.sha256).digest()).rstrip(b"=")
    assert "kind that is not accepted" in why_not(checker(issuer), (signed + b"." + signature).decode())


def test_a_shared_secret_in_the_key_file_is_not_used(issuer: Issuer) -> None:
    issuer.write({"kty": "oct", "kid": "shared", "k": "c2VjcmV0", "alg": "HS256"})
    token = jwt.encode({"sub": "alice", "exp": time.time() + 60}, b"secret" * 6, "HS256", headers={"kid": "shared"})
    assert "kind that is not accepted" in why_not(checker(issuer), token)


def test_times_are_checked_with_the_allowed_skew(issuer: Issuer) -> None:
    token = issuer.token(exp=1_000_100, iat=1_000_000, nbf=1_000_000)
    for now, problem in ((1_000_131, "expired"), (999_969, "not valid yet")):
        assert problem in why_not(checker(issuer, lambda now=now: float(now)), token)  # type: ignore[misc]
    for now in (999_971, 1_000_050, 1_000_129):
        assert checker(issuer, lambda now=now: float(now)).check(token) == Claims("alice", 1_000_100_000)  # type: ignore[misc]
    assert "expired" in why_not(checker(issuer, lambda: 1_000_101.0, clock_skew_seconds=0), token)
    later = issuer.token(exp=1_000_100, iat=1_000_050, nbf=None)
    assert "in the future" in why_not(checker(issuer, lambda: 1_000_000.0), later)


@pytest.mark.parametrize(
    ("claims", "problem"),
    [
        ({"exp": None}, "missing required claim (exp)"),
        ({"exp": "soon"}, "exp is not a time"),
        ({"exp": True}, "exp is not a time"),
        ({"sub": None}, "missing required claim (sub)"),
        ({"sub": 7}, "sub is not a name"),
        ({"sub": "  "}, "sub is not a name"),
        ({"scope": 7}, "scope is neither"),
        ({"aud": "elsewhere"}, "invalid audience"),
        ({"aud": None}, "missing required claim (aud)"),
        ({"iss": "https://other"}, "invalid issuer"),
        ({"kid": "unknown"}, "no key of the JWKS file"),
    ],
)
def test_a_token_that_lacks_something_is_refused(issuer: Issuer, claims: dict[str, object], problem: str) -> None:
    checking = checker(issuer, audiences=("kafka", "muster"), issuer="https://issuer")
    arguments: dict[str, object] = {"aud": "muster", "subject": "alice", **claims}
    assert problem in why_not(checking, issuer.token(**arguments))  # type: ignore[arg-type]


def test_a_token_without_a_key_id_is_believed_if_only_one_key_can_have_signed_it(issuer: Issuer) -> None:
    token = issuer.token(kid=None)
    assert checker(issuer).check(token).subject == "alice"
    other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    issuer.write({**json.loads(RSAAlgorithm.to_jwk(other.public_key())), "kid": "second", "alg": "RS256"})
    assert "several keys" in why_not(checker(issuer), token)


def test_audience_issuer_and_claim_names_are_as_the_operator_says(issuer: Issuer) -> None:
    checking = checker(
        issuer, audiences=("kafka", "muster"), issuer="https://issuer", subject_claim="azp", scope_claim="scp"
    )
    token = issuer.token("ignored", aud=["muster", "other"], azp="billing", scp=["a", "b"])
    assert checking.check(token).subject == "billing"


def test_a_client_may_not_act_for_somebody_else(issuer: Issuer) -> None:
    exchange = OAuthExchange(checker(issuer).check)
    with pytest.raises(AuthenticationFailed, match="different from the token's"):
        exchange.step(first_message(issuer.token("alice"), authzid="bob"))
    itself = OAuthExchange(checker(issuer).check).step(first_message(issuer.token("alice", exp=2e9), authzid="alice"))
    assert itself == Accepted("alice", b"", 2_000_000_000_000)


def test_new_keys_are_taken_from_a_changed_file_and_a_broken_one_changes_nothing(
    issuer: Issuer, caplog: pytest.LogCaptureFixture
) -> None:
    checking = checker(issuer)
    old = issuer.token()
    issuer.rsa_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    new = issuer.token()
    assert "invalid signature" in why_not(checking, new)
    issuer.path.write_text("{")
    checking.refresh()
    assert checking.check(old).subject == "alice"
    assert "keeping the keys" in caplog.text
    issuer.write()
    os.utime(issuer.path, ns=(1, 1))
    checking.refresh()
    assert checking.check(new).subject == "alice"
    assert "invalid signature" in why_not(checking, old)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "cannot be read"),
        ("{", "not a JSON Web Key Set"),
        ("[]", "not a JSON"),
        ('{"keys": []}', "no public keys"),
    ],
)
def test_a_key_file_that_cannot_be_used_is_refused_at_start(tmp_path: Path, content: str | None, problem: str) -> None:
    path = tmp_path / "jwks.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(KeyFileError, match=problem):
        TokenChecker(str(path), TokenRules(), time.time)


def test_keys_that_sign_nothing_are_passed_over(issuer: Issuer) -> None:
    """RFC 7517 section 4.2: Keycloak and others publish a key for encryption (RSA-OAEP) in the same set."""
    public = json.loads(RSAAlgorithm.to_jwk(issuer.rsa_key.public_key()))
    issuer.write(
        {**public, "kid": "for-secrets", "use": "enc", "alg": "RSA-OAEP"},
        {**public, "kid": "enc", "use": "enc"},
        {**public, "kid": "wrap", "key_ops": ["wrapKey"]},
    )
    checking = checker(issuer)
    assert checking.check(issuer.token()).subject == "alice"
    assert checking.check(issuer.token(kid=None)).subject == "alice"
    for kid in ("for-secrets", "enc", "wrap"):
        assert "no key of the JWKS file" in why_not(checking, issuer.token(kid=kid))


def test_a_message_with_other_pairs_is_read_and_one_with_two_tokens_is_not(issuer: Issuer) -> None:
    """RFC 7628 section 3.1; schemes have no case (RFC 9110 section 11.1)."""
    token = issuer.token(exp=2e9).encode()
    message = b"n,,\x01host=kafka\x01auth=bearer " + token + b"\x01port=9092\x01\x01"
    assert OAuthExchange(checker(issuer).check).step(message) == Accepted("alice", b"", 2_000_000_000_000)
    for bad in (
        b"n,,\x01" + b"auth=Bearer a\x01" * 4_600 + b"\x01",
        b"n,,\x01auth=Bearer a\x01",
        b"n,,\x01auth=Bearer a\x01\x01\x01",
        b"n,,\x01\x01",
        b"n,,\x01auth=Basic a\x01\x01",
        b"y,,\x01auth=Bearer a\x01\x01",
        b"n,,\x01host\x01auth=Bearer a\x01\x01",
    ):
        with pytest.raises(AuthenticationFailed, match="cannot read"):
            OAuthExchange(_never).step(bad)


def test_an_end_in_the_far_future_still_fits_into_an_answer(issuer: Issuer) -> None:
    assert checker(issuer).check(issuer.token(exp=1e300)).expires_at_ms == 253_402_300_799_000


@given(st.binary(max_size=80))
def test_any_bytes_are_a_refusal_and_nothing_else(data: bytes) -> None:
    with pytest.raises(AuthenticationFailed):
        OAuthExchange(_never).step(data)


@given(st.text(alphabet="abcXYZ019._-", max_size=60))
def test_any_text_as_token_is_a_refusal_and_nothing_else(text: str) -> None:
    with pytest.raises(AuthenticationFailed):
        CHECKER.check(text)


def _never(token: str) -> Claims:
    raise AssertionError(f"believed {token!r}")


def _one_checker() -> TokenChecker:
    with TemporaryDirectory() as folder:
        return checker(Issuer(Path(folder)))


CHECKER = _one_checker()
