"""The TLS context of a `Security`. Reads its PEM files; says which one cannot be used."""

from __future__ import annotations

import os
import ssl
from pathlib import Path
from tempfile import mkstemp

from muster.client.failure import ClientError
from muster.client.security import Security
from muster.wire.errors import INVALID_CONFIG


def tls_context(security: Security) -> ssl.SSLContext:
    """TLS 1.2 or newer. Made once and used for all connections of a cluster."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.check_hostname = security.verify_host_name and security.verify_certificate
    if security.verify_certificate:
        _trust(context, security)
    else:
        context.verify_mode = ssl.CERT_NONE
    if security.certificate_file is not None or security.certificate_pem is not None:
        _show_certificate(context, security)
    return context


def _trust(context: ssl.SSLContext, security: Security) -> None:
    if security.ca_file is None and security.ca_pem is None:
        context.load_default_certs()
        return
    try:
        context.load_verify_locations(cafile=security.ca_file, cadata=security.ca_pem)
    except (OSError, ssl.SSLError) as error:
        raise _unusable("certificates of authorities", security.ca_file or "ssl.ca.pem", error) from None


def _show_certificate(context: ssl.SSLContext, security: Security) -> None:
    """The certificate file may hold the key as well, as Java's PEM keystores do."""
    temporary: list[str] = []
    try:
        certificate = security.certificate_file or _written(security.certificate_pem, temporary)
        key = security.key_file or (_written(security.key_pem, temporary) if security.key_pem else None)
        assert certificate is not None
        # Without a password OpenSSL would ask on the terminal.
        context.load_cert_chain(certificate, key, password=security.key_password or "")
    except (OSError, ssl.SSLError, ValueError) as error:
        where = security.certificate_file or "ssl.certificate.pem"
        raise _unusable("certificate or key", where, error) from None
    finally:
        for name in temporary:
            Path(name).unlink()


def _written(text: str | None, temporary: list[str]) -> str:
    """OpenSSL reads chains and keys from files only. The file is for this user alone, and gone at once."""
    handle, name = mkstemp(prefix="muster-", suffix=".pem")
    temporary.append(name)
    with os.fdopen(handle, "w") as file:
        file.write(text or "")
    return name


def _unusable(what: str, where: str, error: Exception) -> ClientError:
    reason = getattr(error, "strerror", None) or getattr(error, "reason", None) or str(error)
    return ClientError(INVALID_CONFIG, f"load {what} from {where}", str(reason), "Give a PEM file and its key password")
