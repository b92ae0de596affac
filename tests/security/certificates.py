"""Certificates for tests, made on the spot: an authority, servers and clients signed by it, and ones that are wrong in one way."""

from __future__ import annotations

import datetime
import ipaddress
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = datetime.timedelta(days=1)


def name_of(common_name: str, *more: tuple[x509.ObjectIdentifier, str]) -> x509.Name:
    """In the order of the certificate: `more` first, the common name last."""
    attributes = [x509.NameAttribute(kind, text) for kind, text in more]
    return x509.Name([*attributes, x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


@dataclass
class Issued:
    """A certificate with its key, in a PEM file each way that somebody may want it."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey
    folder: Path
    name: str

    @property
    def certificate_pem(self) -> str:
        return self.certificate.public_bytes(serialization.Encoding.PEM).decode()

    def key_pem(self, password: str | None = None) -> str:
        encryption: serialization.KeySerializationEncryption = serialization.NoEncryption()
        if password is not None:
            encryption = serialization.BestAvailableEncryption(password.encode())
        kind = serialization.PrivateFormat.PKCS8
        return self.key.private_bytes(serialization.Encoding.PEM, kind, encryption).decode()

    @property
    def der(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.DER)

    @property
    def certificate_file(self) -> str:
        return self._write("crt", self.certificate_pem)

    @property
    def key_file(self) -> str:
        return self._write("key", self.key_pem())

    @property
    def keystore(self) -> str:
        """Chain and key in one file, as ssl.keystore.location wants it."""
        return self._write("pem", self.key_pem() + self.certificate_pem)

    def _write(self, ending: str, text: str) -> str:
        path = self.folder / f"{self.name}.{ending}"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
        return str(path)


class Authority:
    def __init__(self, folder: Path, name: str = "authority") -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = name_of(f"Test {name}")
        self.root = Issued(self._sign(self._name, self._key, is_authority=True), self._key, folder, name)

    @property
    def file(self) -> str:
        return self.root.certificate_file

    def server(self, host: str = "localhost", *, expired: bool = False, name: str = "server") -> Issued:
        """For `host`, and for 127.0.0.1 if that is localhost."""
        names: list[x509.GeneralName] = [x509.DNSName(host)]
        if host == "localhost":
            names.append(x509.IPAddress(ipaddress.ip_address("127.0.0.1")))
        return self._issue(name_of(host), name, names, expired=expired)

    def client(self, subject: x509.Name, *, expired: bool = False, name: str = "client") -> Issued:
        return self._issue(subject, name, [], expired=expired)

    def _issue(self, subject: x509.Name, name: str, names: list[x509.GeneralName], *, expired: bool) -> Issued:
        key = ec.generate_private_key(ec.SECP256R1())
        return Issued(self._sign(subject, key, names, expired=expired), key, self._folder, name)

    def _sign(
        self,
        subject: x509.Name,
        key: ec.EllipticCurvePrivateKey,
        names: list[x509.GeneralName] | None = None,
        *,
        expired: bool = False,
        is_authority: bool = False,
    ) -> x509.Certificate:
        now = datetime.datetime.now(datetime.UTC)
        begin, end = (now - 3 * DAY, now - DAY) if expired else (now - DAY, now + 30 * DAY)
        own = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(begin)
            .not_valid_after(end)
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
            .add_extension(own, critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
        )
        if is_authority:
            usage = dict.fromkeys(
                (
                    "digital_signature",
                    "content_commitment",
                    "key_encipherment",
                    "data_encipherment",
                    "key_agreement",
                    "encipher_only",
                    "decipher_only",
                ),
                False,
            )
            builder = builder.add_extension(x509.KeyUsage(**usage, key_cert_sign=True, crl_sign=True), critical=True)
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return builder.sign(self._key, hashes.SHA256())
