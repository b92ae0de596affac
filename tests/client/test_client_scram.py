"""SCRAM as the RFCs have it, and servers that do not keep to it."""

from __future__ import annotations

import pytest

from muster.client.scram import ScramClient, ScramError

NONCE = "rOprNGfwEbeRWgbNEkqO"
SERVER_FIRST = b"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
SERVER_FINAL = b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="


def client(user: str = "user", password: str = "pencil", nonce: str = NONCE) -> ScramClient:
    return ScramClient("SCRAM-SHA-256", user, password, nonce)


def test_the_exchange_of_rfc_7677_comes_out_byte_for_byte() -> None:
    scram = client()
    assert scram.first() == b"n,,n=user,r=rOprNGfwEbeRWgbNEkqO"
    assert scram.final(SERVER_FIRST) == (
        b"c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
    )
    scram.check(SERVER_FINAL)


def test_a_server_that_does_not_know_the_password_is_found_out() -> None:
    """RFC 5802, 3: the client checks the server too; a stand-in would collect nothing but still must not be talked to."""
    scram = client(password="another")
    scram.final(SERVER_FIRST)
    with pytest.raises(ScramError, match="does not know this user's password"):
        scram.check(SERVER_FINAL)


def test_a_signature_before_any_challenge_proves_nothing() -> None:
    with pytest.raises(ScramError, match="signature is wrong"):
        client().check(b"v=")


def test_commas_and_equal_signs_in_names_are_escaped() -> None:
    """RFC 5802, 5.1."""
    assert client(user="a=b,c").first() == b"n,,n=a=3Db=2Cc,r=rOprNGfwEbeRWgbNEkqO"


@pytest.mark.parametrize(
    ("challenge", "complaint"),
    [
        (b"r=other%nonce,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096", "did not extend our nonce"),
        (b"r=rOprNGfwEbeRWgbNEkqO,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096", "did not extend our nonce"),
        (b"r=rOprNGfwEbeRWgbNEkqOx,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=1", "wants 1 iterations"),
        (b"r=rOprNGfwEbeRWgbNEkqOx,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=99999999999", "wants 99999999999 iterations"),
        (b"r=rOprNGfwEbeRWgbNEkqOx,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=many", "named no number of iterations"),
        (b"r=rOprNGfwEbeRWgbNEkqOx,s=***,i=4096", "not base64"),
        (b"m=must,r=rOprNGfwEbeRWgbNEkqOx,s=aa==,i=4096", "an extension that is not known"),
        (b"e=unknown-user", "the server says unknown-user"),
        (b"hello", "not SCRAM"),
        (b"\xff\xfe", "not UTF-8"),
        (b"r=a,r=b", "not SCRAM"),
    ],
)
def test_a_challenge_that_is_not_allowed_is_refused_in_words(challenge: bytes, complaint: str) -> None:
    with pytest.raises(ScramError, match=complaint):
        client().final(challenge)
