"""The subject of a certificate as Java writes it (RFC 2253), and until when it is valid."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID
from hypothesis import given
from hypothesis import strategies as st

from muster.security.certificate import CertificateError, subject_text, valid_until_seconds
from tests.security.certificates import Authority, name_of


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("subjects"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (name_of("alice"), "CN=alice"),
        (
            name_of("alice", (NameOID.COUNTRY_NAME, "DE"), (NameOID.ORGANIZATION_NAME, "Acme, Inc.")),
            r"CN=alice,O=Acme\, Inc.,C=DE",
        ),
        (name_of('a+"b\\<c>;d'), r"CN=a\+\"b\\\<c\>\;d"),
        (name_of(" x "), r"CN=\ x\ "),
        (name_of("#1"), r"CN=\#1"),
        (name_of("a=b#c"), r"CN=a\=b\#c"),
        (name_of("  x  "), r"CN=\ \ x\ \ "),
        (name_of("admin\0x"), r"CN=admin\00x"),
        (name_of("Jürgen"), "CN=Jürgen"),
        (
            name_of(
                "a", (NameOID.DOMAIN_COMPONENT, "org"), (NameOID.USER_ID, "u1"), (NameOID.STATE_OR_PROVINCE_NAME, "B")
            ),
            "CN=a,ST=B,UID=u1,DC=org",
        ),
        # Java knows no short name for it in RFC 2253, and shows number and DER: IA5String, 7 bytes.
        (name_of("a", (NameOID.EMAIL_ADDRESS, "a@b.org")), "CN=a,1.2.840.113549.1.9.1=#160761406" + "22e6f7267"),
        (
            x509.Name(
                [
                    x509.RelativeDistinguishedName(
                        [
                            x509.NameAttribute(NameOID.COMMON_NAME, "a"),
                            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "b"),
                        ]
                    )
                ]
            ),
            "CN=a+O=b",
        ),
    ],
)
def test_the_subject_reads_as_in_java(authority: Authority, name: x509.Name, text: str) -> None:
    assert subject_text(authority.client(name).der) == text


def test_it_agrees_with_another_reader_where_both_know_the_types(authority: Authority) -> None:
    name = name_of("billing-7", (NameOID.COUNTRY_NAME, "FR"), (NameOID.ORGANIZATIONAL_UNIT_NAME, "Ops <1>"))
    assert subject_text(authority.client(name).der) == name.rfc4514_string()


def test_the_end_of_validity_is_read(authority: Authority) -> None:
    issued = authority.client(name_of("a"))
    assert valid_until_seconds(issued.der) == int(issued.certificate.not_valid_after_utc.timestamp())


def test_bytes_that_are_not_a_certificate_are_refused(authority: Authority) -> None:
    der = authority.client(name_of("a")).certificate.public_bytes(Encoding.DER)
    for length in (0, 1, 5, 40, 90):
        with pytest.raises(CertificateError):
            subject_text(der[:length])


@given(st.binary(max_size=80))
def test_any_bytes_are_refused_in_words(data: bytes) -> None:
    with pytest.raises(CertificateError):
        subject_text(b"\x30" + data)
    with pytest.raises(CertificateError):
        valid_until_seconds(data)


@given(st.integers(0, 300), st.binary(min_size=1, max_size=4))
def test_a_certificate_with_bytes_changed_is_read_or_refused_in_words(position: int, change: bytes) -> None:
    der = bytearray(CERTIFICATE)
    der[position : position + len(change)] = change
    try:
        assert isinstance(subject_text(bytes(der)), str)
    except CertificateError:
        return


CERTIFICATE = Authority(Path("nothing is written")).client(name_of("changed")).der
