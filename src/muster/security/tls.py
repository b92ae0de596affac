"""TLS of one listener: from PEM files and settings to a context, and a new context when the files have changed.

Knows files and OpenSSL, no sockets. A new certificate that cannot be used leaves the old one in service and says so in the log.
The `ssl` module is imported with this one: only servers with a TLS listener pay for it.
"""

from __future__ import annotations

import logging
import os
import ssl
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal

from muster.security.certificate import CertificateError, valid_until_seconds

ClientAuth = Literal["none", "requested", "required"]

_log = logging.getLogger("muster.tls")
_VERSIONS: Final = {"TLSv1.2": ssl.TLSVersion.TLSv1_2, "TLSv1.3": ssl.TLSVersion.TLSv1_3}
_VERIFY: Final = {"none": ssl.CERT_NONE, "requested": ssl.CERT_OPTIONAL, "required": ssl.CERT_REQUIRED}


class TlsError(Exception):
    """The operator's fault: names the setting or the file, and what is wrong with it."""


@dataclass(slots=True, frozen=True)
class TlsSettings:
    keystore_location: str = ""
    """A PEM file with the certificate chain and its private key."""
    certificate_chain: str = ""
    key: str = field(default="", repr=False)
    """The two as PEM text instead of a file."""
    key_password: str = field(default="", repr=False)
    truststore_location: str = ""
    truststore_certificates: str = ""
    client_auth: ClientAuth = "none"
    protocols: tuple[str, ...] = ("TLSv1.2", "TLSv1.3")
    ciphers: tuple[str, ...] = ()


class TlsSource:
    """`context` is the one for connections that come now."""

    def __init__(self, name: str, settings: TlsSettings, wall_clock_seconds: Callable[[], float]) -> None:
        """TlsError if the settings cannot be used."""
        self._name = name
        self._settings = settings
        self._wall_clock_seconds = wall_clock_seconds
        self._stamps = self._look()
        self.context = make_context(settings)
        self.certificate = own_certificate(settings)
        """The one that is shown, as DER."""
        self.valid_until_seconds = certificate_end(settings, self.certificate)
        if self.valid_until_seconds <= wall_clock_seconds():
            _log.warning("listener %s: the server's certificate has expired; clients will refuse it", name)

    def refresh(self, *, even_if_unchanged: bool = False) -> bool:
        """Look at the files, and take what is new in them. Cheap if nothing is. True if there is a new context."""
        stamps = self._look()
        if stamps == self._stamps and not even_if_unchanged:
            return False
        self._stamps = stamps
        try:
            context, certificate = make_context(self._settings), own_certificate(self._settings)
            end = certificate_end(self._settings, certificate)
            if end <= self._wall_clock_seconds() < self.valid_until_seconds:
                raise TlsError("the new certificate has expired")
        except TlsError as error:
            _log.error("listener %s: keeping the certificate that was read before: %s", self._name, error)
            return False
        self.context, self.certificate, self.valid_until_seconds = context, certificate, end
        _log.info("listener %s: certificates read again", self._name)
        return True

    def client_context(self) -> ssl.SSLContext:
        """With the certificate as the files have it now. TlsError if they cannot be used."""
        return client_context(self._settings)

    def _look(self) -> tuple[tuple[int, int, int] | None, ...]:
        return tuple(
            _stamp(path) for path in (self._settings.keystore_location, self._settings.truststore_location) if path
        )


def make_context(settings: TlsSettings) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    unknown = [each for each in settings.protocols if each not in _VERSIONS]
    if unknown or not settings.protocols:
        raise TlsError(f"ssl.enabled.protocols: {','.join(unknown) or 'empty'}; supported are {', '.join(_VERSIONS)}")
    context.minimum_version = min(_VERSIONS[each] for each in settings.protocols)
    context.maximum_version = max(_VERSIONS[each] for each in settings.protocols)
    # A client that renegotiates without end costs it little and us much.
    context.options |= ssl.OP_NO_RENEGOTIATION | ssl.OP_NO_COMPRESSION | ssl.OP_CIPHER_SERVER_PREFERENCE
    if settings.ciphers:
        _set_ciphers(context, settings.ciphers)
    _load_own(context, settings)
    _load_trusted(context, settings)
    context.verify_mode = _VERIFY[settings.client_auth]
    return context


def _set_ciphers(context: ssl.SSLContext, ciphers: tuple[str, ...]) -> None:
    """OpenSSL's names; those of TLS 1.3 cannot be chosen."""
    try:
        context.set_ciphers(":".join(ciphers))
    except ssl.SSLError:
        raise TlsError(f"ssl.cipher.suites: OpenSSL knows none of {', '.join(ciphers)}") from None


def _load_own(context: ssl.SSLContext, settings: TlsSettings) -> None:
    if settings.keystore_location:
        _load_chain(context, settings.keystore_location, settings.key_password, settings.keystore_location)
        return
    if not settings.certificate_chain or not settings.key:
        raise TlsError(
            "a TLS listener needs a certificate: set ssl.keystore.location to a PEM file with chain and key,"
            " or ssl.keystore.certificate.chain and ssl.keystore.key"
        )
    # OpenSSL reads keys from files alone; this one is readable by us alone and gone in a moment.
    with tempfile.NamedTemporaryFile("w", prefix="muster-", suffix=".pem") as file:
        file.write(f"{settings.key}\n{settings.certificate_chain}\n")
        file.flush()
        _load_chain(context, file.name, settings.key_password, "ssl.keystore.key")


def _load_chain(context: ssl.SSLContext, path: str, password: str, called: str) -> None:
    asked = False

    def tell_password() -> str:
        # Without this OpenSSL would ask at the terminal.
        nonlocal asked
        asked = True
        return password

    try:
        context.load_cert_chain(path, password=tell_password)
    except ssl.SSLError as error:
        if asked:
            problem = "ssl.key.password does not open the key" if password else "the key needs ssl.key.password"
        elif error.reason == "KEY_VALUES_MISMATCH":
            problem = "the key does not belong to the certificate"
        else:
            problem = "it is not a PEM file with a certificate chain and its private key"
        raise TlsError(f"{called}: {problem}") from None
    except OSError as error:
        raise TlsError(f"{called}: cannot be read: {error.strerror}") from None
    except ValueError as error:  # such as a password that is too long
        raise TlsError(f"{called}: cannot be read ({type(error).__name__})") from None


def _load_trusted(context: ssl.SSLContext, settings: TlsSettings) -> None:
    try:
        if settings.truststore_location:
            context.load_verify_locations(cafile=settings.truststore_location)
        elif settings.truststore_certificates:
            context.load_verify_locations(cadata=settings.truststore_certificates)
        elif settings.client_auth != "none":
            raise TlsError(
                f"ssl.client.auth={settings.client_auth} needs ssl.truststore.location: a PEM file with the authorities that"
                " sign clients"
            )
    except ssl.SSLError:
        raise TlsError(
            f"{settings.truststore_location or 'ssl.truststore.certificates'}: is not PEM with certificates"
        ) from None
    except OSError as error:
        raise TlsError(f"{settings.truststore_location}: cannot be read: {error.strerror}") from None


def own_certificate(settings: TlsSettings) -> bytes:
    """The server's own certificate, without the rest of its chain, as DER."""
    text = settings.certificate_chain
    try:
        if settings.keystore_location:
            with open(settings.keystore_location, encoding="ascii", errors="replace") as file:
                text = file.read()
        begin, end = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"
        return ssl.PEM_cert_to_DER_cert(text[text.index(begin) : text.index(end) + len(end)])
    except OSError as error:
        raise TlsError(f"{_called(settings)}: cannot be read: {error.strerror}") from None
    except ValueError:
        raise TlsError(f"{_called(settings)}: the certificate cannot be read") from None


def certificate_end(settings: TlsSettings, certificate: bytes) -> int:
    """When the server's own certificate ends."""
    try:
        return valid_until_seconds(certificate)
    except (CertificateError, ValueError):
        raise TlsError(f"{_called(settings)}: the certificate cannot be read") from None


def _called(settings: TlsSettings) -> str:
    return settings.keystore_location or "ssl.keystore.certificate.chain"


def client_context(settings: TlsSettings) -> ssl.SSLContext:
    """For a node that talks to another one's listener: shows the certificate of its own, and leaves it to `node_proof` to find out
    whom it talks to. TlsError as for a server."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = min(_VERSIONS[each] for each in settings.protocols)
    context.maximum_version = max(_VERSIONS[each] for each in settings.protocols)
    _load_own(context, settings)
    return context


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
