"""SCRAM, the server's side: RFC vectors, every check of RFC 5802, and bytes that mean nothing."""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64decode, b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muster.security import scram
from muster.security.sasl import Accepted, AuthenticationFailed, Challenge
from muster.security.scram import ScramCredential, ScramExchange, credential_of, salted_password

SHA_256 = "SCRAM-SHA-256"
SALT = b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")
SERVER_NONCE = b"%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
FIRST = b"n,,n=user,r=rOprNGfwEbeRWgbNEkqO"
FINAL = b"c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="


def credential(password: str = "pencil", mechanism: str = SHA_256, salt: bytes = SALT) -> ScramCredential:
    return credential_of(mechanism, salted_password(mechanism, password, salt, 4096), salt, 4096)


PENCIL = credential()


def exchange(names: list[str] | None = None) -> ScramExchange:
    def lookup(name: str) -> ScramCredential:
        if names is not None:
            names.append(name)
        return PENCIL

    return ScramExchange(SHA_256, lookup, SERVER_NONCE)


def refusal(step: ScramExchange, token: bytes) -> AuthenticationFailed:
    with pytest.raises(AuthenticationFailed) as caught:
        step.step(token)
    return caught.value


def final_message(first: bytes, reply: bytes, password: str = "pencil", mechanism: str = SHA_256) -> bytes:
    """What a client with this password answers."""
    algorithm = scram.HASHES[mechanism]
    gs2, bare = first[: first.index(b"n=")], first[first.index(b"n=") :]
    fields = dict(part.split(b"=", 1) for part in reply.split(b","))
    salted = salted_password(mechanism, password, b64decode(fields[b"s"]), int(fields[b"i"]))
    without_proof = b"c=" + b64encode(gs2) + b",r=" + fields[b"r"]
    client_key = hmac.digest(salted, b"Client Key", algorithm)
    stored_key = hashlib.new(algorithm, client_key).digest()
    signature = hmac.digest(stored_key, b",".join((bare, reply, without_proof)), algorithm)
    proof = bytes(left ^ right for left, right in zip(client_key, signature, strict=True))
    return without_proof + b",p=" + b64encode(proof)


def test_the_vector_of_rfc_7677() -> None:
    """RFC 7677 section 3."""
    names: list[str] = []
    server = exchange(names)
    assert server.step(FIRST) == Challenge(
        b"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
    )
    assert server.step(FINAL) == Accepted("user", b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")
    assert names == ["user"]


def test_the_vector_of_rfc_5802(monkeypatch: pytest.MonkeyPatch) -> None:
    """RFC 5802 section 5 is about SHA-1, which no listener offers; the exchange is the same."""
    monkeypatch.setitem(scram.HASHES, "SCRAM-SHA-1", "sha1")
    stored = credential("pencil", "SCRAM-SHA-1", b64decode("QSXCR+Q6sek8bf92"))
    server = ScramExchange("SCRAM-SHA-1", lambda _: stored, b"3rfcNHYJY1ZVvWVs7j")
    assert server.step(b"n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL") == Challenge(
        b"r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096"
    )
    final = b"c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts="
    assert server.step(final) == Accepted("user", b"v=rmF9pqV8S7suAoZWja4dJRkFsKQ=")


@pytest.mark.parametrize("mechanism", ["SCRAM-SHA-256", "SCRAM-SHA-512"])
@pytest.mark.parametrize(
    ("password", "is_right"), [("pencil", True), ("Pencil", False), ("", False), ("пароль", False)]
)
def test_only_the_right_password_proves_itself(mechanism: str, password: str, is_right: bool) -> None:
    stored = credential("pencil", mechanism)
    server = ScramExchange(mechanism, lambda _: stored, b"abc")
    reply = server.step(b"n,,n=user,r=xyz")
    assert isinstance(reply, Challenge)
    final = final_message(b"n,,n=user,r=xyz", reply.token, password, mechanism)
    if is_right:
        assert isinstance(server.step(final), Accepted)
    else:
        assert "invalid credentials" in refusal(server, final).told


@pytest.mark.parametrize(
    ("first", "name"),
    [
        (b"n,,n=a=2Cb=3Dc,r=x", "a,b=c"),
        ("n,,n=Jürgen,r=x".encode(), "Jürgen"),
        (b"y,,n=user,r=x", "user"),
        (b"n,a=user,n=user,r=x", "user"),
        (b"n,,n=user,r=x,tokenauth=true,z=1", "user"),
    ],
)
def test_a_first_message_may_have_these_forms(first: bytes, name: str) -> None:
    """RFC 5802: escaped names, `y` (the client could bind, and thinks that we cannot), itself as authzid, extensions."""
    names: list[str] = []
    server = exchange(names)
    reply = server.step(first)
    assert isinstance(reply, Challenge)
    assert names == [name]
    assert isinstance(server.step(final_message(first, reply.token)), Accepted)


@pytest.mark.parametrize(
    ("first", "told"),
    [
        (b"", "first message"),
        (b"n,,n=user", "first message"),
        (b"n,,r=x,n=user", "first message"),
        (b"n,,m=ext,n=user,r=x", "first message"),
        (b"n,,n=user,r=", "first message"),
        (b"p=tls-unique,,n=user,r=x", "channel binding is not supported"),
        (b"q,,n=user,r=x", "first letter"),
        (b"n,,n=,r=x", "user name"),
        (b"n,,n=a=b,r=x", "user name"),
        (b"n,,n=a=2c,r=x", "user name"),
        (b"n,,n=\xff,r=x", "not UTF-8"),
        (b"n,,n=a\0b,r=x", "user name"),
        (b"n,,n=user,r=a\x01b", "nonce"),
        ("n,,n=user,r=é".encode(), "nonce"),
        (b"n,a=other,n=user,r=x", "different from username"),
        (b"n,,n=" + b"u" * 9000 + b",r=x", "a message of"),
    ],
)
def test_a_first_message_that_is_not_one_is_refused(first: bytes, told: str) -> None:
    assert told in refusal(exchange(), first).told


@pytest.mark.parametrize(
    ("final", "told"),
    [
        (b"", "final message"),
        (FINAL.replace(b",p=", b",q="), "final message"),
        (FINAL.replace(b"c=biws", b"c=eSws"), "channel binding"),
        (FINAL.replace(b"c=biws", b"c="), "channel binding"),
        (FINAL.replace(b"hNlF$k0", b"hNlF$k1"), "nonce"),
        (FINAL.replace(b"%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0", b""), "nonce"),
        (FINAL.replace(b"p=dHzb", b"p=d*zb"), "not base64"),
        (FINAL[:-8], "proof of"),
        (FINAL.replace(b"AndVQ=", b"AndVQAAA"), "not base64"),
        (FINAL.replace(b"p=dHzb", b"p=eHzb"), "invalid credentials"),
        (FINAL.replace(b",p=", b",x=1,p="), "invalid credentials"),
    ],
)
def test_a_final_message_with_something_wrong_is_refused(final: bytes, told: str) -> None:
    """RFC 5802 section 5.1: binding, nonce and proof are each checked; extensions are signed."""
    server = exchange()
    server.step(FIRST)
    failure = refusal(server, final)
    assert told in failure.told
    assert failure.name == "user"


@given(st.lists(st.binary(max_size=60), min_size=1, max_size=3))
def test_any_bytes_are_a_refusal_and_nothing_else(tokens: list[bytes]) -> None:
    server = exchange()
    for token in tokens:
        try:
            assert not isinstance(server.step(token), Accepted)
        except AuthenticationFailed:
            return


@given(st.binary(max_size=40), st.binary(max_size=40), st.binary(max_size=60))
def test_any_bytes_in_the_right_places_are_a_refusal_and_nothing_else(name: bytes, nonce: bytes, rest: bytes) -> None:
    server = exchange()
    try:
        reply = server.step(b"n,,n=" + name + b",r=" + nonce)
        assert isinstance(reply, Challenge)
        with pytest.raises(AuthenticationFailed):
            server.step(b"c=biws," + reply.token.split(b",")[0] + b",p=" + rest)
    except AuthenticationFailed:
        return


def test_a_credential_does_not_print_what_it_holds() -> None:
    assert repr(PENCIL) == "ScramCredential(iterations=4096)"
