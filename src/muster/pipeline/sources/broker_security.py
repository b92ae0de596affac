"""TLS and SASL towards brokers: from Kafka's client properties to what travels with a job, and to what Spark's connector takes.

`muster.client` knows what the properties mean. Here their files are read once where the command runs, so that workers on other
machines need none of them, and the same settings are said in the words of the Java client.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from muster.client.failure import ClientError
from muster.client.properties import read_properties
from muster.client.security import Security
from muster.pipeline.sources.failure import SourceError

_LOGIN = {
    "PLAIN": "org.apache.kafka.common.security.plain.PlainLoginModule",
    "SCRAM-SHA-256": "org.apache.kafka.common.security.scram.ScramLoginModule",
    "SCRAM-SHA-512": "org.apache.kafka.common.security.scram.ScramLoginModule",
}


def security_in(file: str) -> Security:
    """What a file of client properties says (`--command-config`)."""
    try:
        return security_of(read_properties(file))
    except ClientError as error:
        raise SourceError(str(error)) from None


def security_of(properties: Mapping[str, str]) -> Security:
    """With the content of the files that the properties name; only a token's file is read anew each time."""
    try:
        found = Security.of(properties)
    except ClientError as error:
        raise SourceError(str(error)) from None
    return replace(
        found,
        ca_file=None,
        ca_pem=_content(found.ca_file, found.ca_pem),
        certificate_file=None,
        certificate_pem=_content(found.certificate_file, found.certificate_pem),
        key_file=None,
        key_pem=_content(found.key_file, found.key_pem),
    )


def _content(file: str | None, given: str | None) -> str | None:
    if file is None:
        return given
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{file} cannot be read as PEM: {error}") from None


def client_properties(security: Security) -> dict[str, str]:
    """The properties that `security_of` makes this of: how it travels in the options of a data source."""
    said = {
        "security.protocol": security.protocol,
        "ssl.ca.location": security.ca_file,
        "ssl.ca.pem": security.ca_pem,
        "ssl.certificate.location": security.certificate_file,
        "ssl.certificate.pem": security.certificate_pem,
        "ssl.key.location": security.key_file,
        "ssl.key.pem": security.key_pem,
        "ssl.key.password": security.key_password,
        "enable.ssl.certificate.verification": None if security.verify_certificate else "false",
        "ssl.endpoint.identification.algorithm": None if security.verify_host_name else "none",
        "sasl.mechanism": security.mechanism,
        "sasl.username": security.username,
        "sasl.password": security.password,
        "muster.oauthbearer.token": security.token,
        "muster.oauthbearer.token.file": security.token_file,
    }
    return {name: value for name, value in said.items() if value is not None}


def java_properties(security: Security) -> dict[str, str]:
    """The same for Kafka's Java client, which Spark's connector is made of."""
    said = {"security.protocol": security.protocol}
    if security.wants_tls:
        said |= _java_tls(security)
    if security.wants_sasl:
        said |= _java_sasl(security)
    return said


def _java_tls(security: Security) -> dict[str, str]:
    if not security.verify_certificate:
        raise SourceError("Spark's connector cannot trust any certificate: give ssl.ca.location, or use --reader own")
    said: dict[str, str] = {}
    if security.ca_pem is not None:
        said |= {"ssl.truststore.type": "PEM", "ssl.truststore.certificates": security.ca_pem}
    if security.certificate_pem is not None:
        said |= {"ssl.keystore.type": "PEM", "ssl.keystore.certificate.chain": security.certificate_pem}
        said["ssl.keystore.key"] = security.key_pem or security.certificate_pem
        if security.key_password is not None:
            said["ssl.key.password"] = security.key_password
    if not security.verify_host_name:
        said["ssl.endpoint.identification.algorithm"] = ""
    return said


def _java_sasl(security: Security) -> dict[str, str]:
    module = _LOGIN.get(security.mechanism or "")
    if module is None:
        raise SourceError(f"{security.mechanism} needs Java classes of its own in Spark's connector: use --reader own")
    options = f"username={_quoted(security.username or '')} password={_quoted(security.password or '')}"
    return {"sasl.mechanism": security.mechanism or "", "sasl.jaas.config": f"{module} required {options};"}


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
