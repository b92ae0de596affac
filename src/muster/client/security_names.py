"""Kafka's client properties that concern security, by librdkafka's and Java's names, and what of them we cannot do.

Turns properties into the fields of `Security`. A security property that is not understood is refused: a connection that is
less secure than its file says must not come about in silence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from muster.client.failure import ClientError
from muster.wire.errors import INVALID_CONFIG

FIELDS: Final = {
    "security.protocol": "protocol",
    "ssl.ca.location": "ca_file",
    "ssl.truststore.location": "ca_file",
    "ssl.ca.pem": "ca_pem",
    "ssl.truststore.certificates": "ca_pem",
    "ssl.certificate.location": "certificate_file",
    "ssl.keystore.location": "certificate_file",
    "ssl.certificate.pem": "certificate_pem",
    "ssl.keystore.certificate.chain": "certificate_pem",
    "ssl.key.location": "key_file",
    "ssl.key.pem": "key_pem",
    "ssl.keystore.key": "key_pem",
    "ssl.key.password": "key_password",
    "enable.ssl.certificate.verification": "verify_certificate",
    "ssl.endpoint.identification.algorithm": "host_check",
    "sasl.mechanism": "mechanism",
    "sasl.mechanisms": "mechanism",
    "sasl.username": "username",
    "sasl.password": "password",
    "muster.oauthbearer.token": "token",
    "muster.oauthbearer.token.file": "token_file",
}
_STORE_TYPES: Final = ("ssl.truststore.type", "ssl.keystore.type")
_STORE_FILES: Final = ("ssl.truststore.location", "ssl.keystore.location")
_HARMLESS: Final = frozenset(
    {*_STORE_TYPES, "ssl.protocol", "ssl.enabled.protocols", "ssl.provider", "security.providers"}
)
"""Understood, or without effect on who trusts whom: TLS 1.2 is the least we speak."""
_PEM_SUFFIXES: Final = (".pem", ".crt", ".cer", ".key")
_JAAS: Final = "sasl.jaas.config"
_JAAS_OPTION: Final = re.compile(r'(\w+)\s*=\s*"((?:[^"\\]|\\.)*)"')


def given(properties: Mapping[str, str]) -> dict[str, str | None]:
    """The fields of `Security` that the properties set, as texts."""
    _refuse_java_stores(properties)
    found: dict[str, str | None] = {}
    for name, value in properties.items():
        if name == _JAAS:
            found.update(_from_jaas(value))
        elif name in FIELDS:
            found[FIELDS[name]] = value
        elif name.startswith(("ssl.", "sasl.", "security.")) and name not in _HARMLESS:
            raise ClientError(INVALID_CONFIG, "set up security", f"property {name} is not supported", "Remove it")
    return found


def yes_or_no(text: str | None, default: bool, name: str) -> bool:
    match (text or "").strip().lower():
        case "":
            return default
        case "true" | "1" | "yes":
            return True
        case "false" | "0" | "no":
            return False
    raise ClientError(INVALID_CONFIG, "set up security", f"{name} is {text!r}", "Write true or false")


def _refuse_java_stores(properties: Mapping[str, str]) -> None:
    for type_name, file_name in zip(_STORE_TYPES, _STORE_FILES, strict=True):
        kind = properties.get(type_name, "").upper()
        file = properties.get(file_name, "")
        if kind not in ("", "PEM") or (file and not kind and not file.lower().endswith(_PEM_SUFFIXES)):
            raise ClientError(
                INVALID_CONFIG,
                "set up security",
                f"{file_name} is a {kind or 'JKS'} store",
                f"Convert it to PEM and set {type_name}=PEM (keytool -importkeystore to PKCS12, then openssl pkcs12)",
            )


def _from_jaas(text: str) -> dict[str, str | None]:
    """User and password out of Java's login line; OAUTHBEARER's callbacks are Java classes and of no use here."""
    options = {name: re.sub(r"\\(.)", r"\1", value) for name, value in _JAAS_OPTION.findall(text)}
    found: dict[str, str | None] = {}
    for name in ("username", "password"):
        if name in options:
            found[name] = options[name]
    return found
