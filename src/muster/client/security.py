"""Who we are and whom we trust: TLS and SASL settings, made from Kafka's client properties.

    Security()                                                             plain TCP, nobody in particular
    Security.of({"security.protocol": "SASL_SSL", "ssl.ca.location": "ca.pem",
                 "sasl.mechanism": "SCRAM-SHA-512", "sasl.username": "ada", "sasl.password": "..."})
    Security.of(read_properties("client.properties"))                      what --command-config names

Takes librdkafka's and Java's names where they mean the same; certificates and keys are PEM. Properties that have nothing
to do with security are left alone. Secrets are not in the repr. Opens no connection.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from muster.client.failure import ClientError
from muster.client.security_names import given, yes_or_no
from muster.security.sasl import MECHANISMS
from muster.wire.errors import INVALID_CONFIG

PROTOCOLS: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")


@dataclass(frozen=True, slots=True, kw_only=True)
class Security:
    """PEM parts are file paths, or the PEM text itself where the name ends in `_pem`. No CA means the system's."""

    protocol: str = "PLAINTEXT"
    ca_file: str | None = None
    ca_pem: str | None = None
    certificate_file: str | None = None
    certificate_pem: str | None = None
    key_file: str | None = None
    key_pem: str | None = field(default=None, repr=False)
    key_password: str | None = field(default=None, repr=False)
    verify_certificate: bool = True
    verify_host_name: bool = True
    mechanism: str | None = None
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    """Bearer token of OAUTHBEARER, as it is sent."""
    token_file: str | None = None
    """Read anew for each authentication, so that something else can keep it fresh."""

    def __post_init__(self) -> None:
        if self.protocol not in PROTOCOLS:
            raise _wrong(f"security.protocol is {self.protocol!r}", f"Choose one of {', '.join(PROTOCOLS)}")
        if self.wants_sasl:
            self._check_sasl()
        if (self.certificate_file or self.certificate_pem) is None and (self.key_file or self.key_pem) is not None:
            raise _wrong("there is a key without its certificate", "Set ssl.certificate.location too")

    def _check_sasl(self) -> None:
        if self.mechanism not in MECHANISMS:
            raise _wrong(f"sasl.mechanism is {self.mechanism!r}", f"Choose one of {', '.join(MECHANISMS)}")
        if self.mechanism == "OAUTHBEARER":
            if not self.token and not self.token_file:
                raise _wrong("OAUTHBEARER has no token", "Set muster.oauthbearer.token.file to a file that holds one")
        elif not self.username or self.password is None:
            raise _wrong(f"{self.mechanism} has no user or password", "Set sasl.username and sasl.password")

    @property
    def wants_tls(self) -> bool:
        return self.protocol in ("SSL", "SASL_SSL")

    @property
    def wants_sasl(self) -> bool:
        return self.protocol in ("SASL_PLAINTEXT", "SASL_SSL")

    @classmethod
    def of(cls, properties: Mapping[str, str]) -> Security:
        """From client properties by librdkafka's or Java's names; ClientError names what cannot be used, and why."""
        found = given(properties)
        host_check = found.pop("host_check", "https") or ""
        return cls(
            protocol=(found.pop("protocol", None) or "PLAINTEXT").upper(),
            mechanism=(found.pop("mechanism", None) or "").upper() or None,
            verify_host_name=host_check.lower() not in ("", "none"),
            verify_certificate=yes_or_no(
                found.pop("verify_certificate", None), True, "enable.ssl.certificate.verification"
            ),
            **found,  # the rest are texts by the names of the fields
        )


PLAINTEXT: Final = Security()


def _wrong(detail: str, hint: str) -> ClientError:
    return ClientError(INVALID_CONFIG, "set up security", detail, hint)
