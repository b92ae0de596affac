"""Client properties: Java's file format, both families of names, and secrets that stay secret."""

from __future__ import annotations

from pathlib import Path

import pytest

from muster.client.addresses import Address, parse_bootstrap
from muster.client.failure import ClientError
from muster.client.properties import parse_properties, read_properties
from muster.client.security import Security


def test_the_format_is_javas() -> None:
    text = r"""
# a comment
! another
security.protocol=SASL_SSL
sasl.mechanism : PLAIN
sasl.username ada
with.colon\:in.key = value \
    goes on \u00e9\t.
empty
trailing=backslash\\
"""
    assert parse_properties(text) == {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "PLAIN",
        "sasl.username": "ada",
        "with.colon:in.key": "value goes on \u00e9\t.",
        "empty": "",
        "trailing": "backslash\\",
    }


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ClientError, match=r"read .*client.properties: INVALID_CONFIG: No such file"):
        read_properties(tmp_path / "client.properties")


def test_both_families_of_names_mean_the_same() -> None:
    librdkafka = Security.of(
        {
            "security.protocol": "sasl_ssl",
            "ssl.ca.location": "ca.pem",
            "ssl.certificate.location": "me.pem",
            "ssl.key.password": "k",
            "ssl.endpoint.identification.algorithm": "none",
            "sasl.mechanisms": "SCRAM-SHA-512",
            "sasl.username": "ada",
            "sasl.password": 'p"w',
            "group.id": "is of no interest here",
        }
    )
    java = Security.of(
        {
            "security.protocol": "SASL_SSL",
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": "ca.pem",
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": "me.pem",
            "ssl.key.password": "k",
            "ssl.endpoint.identification.algorithm": "",
            "sasl.mechanism": "SCRAM-SHA-512",
            "sasl.jaas.config": "org.apache.kafka.common.security.scram.ScramLoginModule required "
            'username="ada" password="p\\"w";',
        }
    )
    assert librdkafka == java
    assert not java.verify_host_name


def test_secrets_are_in_no_repr() -> None:
    security = Security(
        protocol="SASL_SSL",
        mechanism="PLAIN",
        username="ada",
        password="hidden-1",
        token="hidden-2",
        certificate_pem="shown",
        key_pem="hidden-3",
        key_password="hidden-4",
    )
    assert "ada" in repr(security)
    assert "hidden" not in repr(security)


@pytest.mark.parametrize(
    ("properties", "complaint"),
    [
        ({"security.protocol": "TLS"}, "security.protocol is 'TLS'.*Choose one of PLAINTEXT"),
        ({"security.protocol": "SASL_SSL"}, "sasl.mechanism is None"),
        ({"security.protocol": "SASL_SSL", "sasl.mechanism": "GSSAPI"}, "sasl.mechanism is 'GSSAPI'"),
        ({"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN"}, "has no user or password"),
        ({"security.protocol": "SASL_SSL", "sasl.mechanism": "OAUTHBEARER"}, "has no token"),
        ({"ssl.truststore.location": "trust.jks"}, "is a JKS store.*Convert it to PEM"),
        ({"ssl.keystore.location": "k", "ssl.keystore.type": "PKCS12"}, "is a PKCS12 store"),
        ({"ssl.cipher.suites": "X"}, "ssl.cipher.suites is not supported"),
        ({"ssl.key.location": "k.pem"}, "a key without its certificate"),
        ({"enable.ssl.certificate.verification": "maybe"}, "Write true or false"),
    ],
)
def test_what_cannot_be_used_is_refused_and_never_passed_over(properties: dict[str, str], complaint: str) -> None:
    with pytest.raises(ClientError, match=f"set up security: INVALID_CONFIG: .*{complaint}"):
        Security.of(properties)


def test_bootstrap_lists_are_read_and_wrong_ones_named() -> None:
    assert parse_bootstrap("a:1, SSL://b:2,[::1]:3") == [Address("a", 1), Address("b", 2), Address("::1", 3)]
    assert str(Address("::1", 3)) == "[::1]:3"
    for wrong in ("", "a", "a:x", ":1", "a:70000"):
        with pytest.raises(ClientError, match=r"read bootstrap.servers: INVALID_CONFIG.*Write HOST:PORT"):
            parse_bootstrap(wrong)
