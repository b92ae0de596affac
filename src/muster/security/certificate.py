"""What is read of an X.509 certificate: its subject as Java writes it, and until when it is valid. Nothing is verified here.

Kafka's principal of a TLS client is the text of RFC 2253: the most special part first, known types by their short names, others
as number and hex. Python's `getpeercert` keeps neither the types' numbers nor the kinds of text, so the DER is read.
"""

from __future__ import annotations

from calendar import timegm
from collections.abc import Iterator
from time import strptime
from typing import Final

_SEQUENCE: Final = 0x30
_SET: Final = 0x31
_EXPLICIT_VERSION: Final = 0xA0
_UTC_TIME: Final = 0x17
_TEXT_CODECS: Final = {
    0x0C: "utf-8",  # UTF8String
    0x13: "ascii",  # PrintableString
    0x14: "latin-1",  # TeletexString
    0x16: "ascii",  # IA5String
    0x1C: "utf-32-be",  # UniversalString
    0x1E: "utf-16-be",  # BMPString
}
_SHORT_NAMES: Final = {
    "2.5.4.3": "CN",
    "2.5.4.6": "C",
    "2.5.4.7": "L",
    "2.5.4.8": "ST",
    "2.5.4.9": "STREET",
    "2.5.4.10": "O",
    "2.5.4.11": "OU",
    "0.9.2342.19200300.100.1.25": "DC",
    "0.9.2342.19200300.100.1.1": "UID",
}
"""Those that RFC 2253 names; Java writes every other type as its number."""


class CertificateError(ValueError):
    """Bytes that are not a certificate."""


def subject_text(der: bytes) -> str:
    """The subject in RFC 2253 form, such as `CN=alice,OU=billing,O=Acme,C=DE`."""
    parts = [_part(content) for tag, content in _items(_fields(der)[4][1]) if tag == _SET]
    return ",".join(reversed(parts))


def valid_until_seconds(der: bytes) -> int:
    """The last moment of validity, by the wall clock."""
    times = list(_items(_fields(der)[3][1]))
    if len(times) != 2:
        raise CertificateError("its validity is not two times")
    tag, content = times[1]
    text = content.decode("ascii", "replace")
    try:
        # strptime reads years 69 to 99 as 19xx; X.509 puts the border at 50, and nothing so old matters here.
        return timegm(strptime(text, "%y%m%d%H%M%SZ" if tag == _UTC_TIME else "%Y%m%d%H%M%SZ"))
    except ValueError:
        raise CertificateError("its validity is not a time") from None


def _fields(der: bytes) -> list[tuple[int, bytes]]:
    """Serial number, signature, issuer, validity, subject, key and more: the signed part, without the version."""
    try:
        ((_, certificate),) = _items(der)
        _, signed = next(_items(certificate))
        fields = [each for each in _items(signed) if each[0] != _EXPLICIT_VERSION]
    except (ValueError, StopIteration):
        raise CertificateError("it is not an X.509 certificate") from None
    if len(fields) < 6:
        raise CertificateError("it is not an X.509 certificate")
    return fields


def _items(data: bytes) -> Iterator[tuple[int, bytes]]:
    """(tag, content) of each DER element."""
    position = 0
    while position < len(data):
        tag, content, position = _element(data, position)
        yield tag, content


def _element(data: bytes, position: int) -> tuple[int, bytes, int]:
    if position + 2 > len(data):
        raise CertificateError("it ends too early")
    tag, length = data[position], data[position + 1]
    position += 2
    if length >= 0x80:
        size = length & 0x7F
        if not 1 <= size <= 4:
            raise CertificateError("an element of unknown length")
        length = int.from_bytes(data[position : position + size], "big")
        position += size
    end = position + length
    if end > len(data):
        raise CertificateError("it ends too early")
    return tag, data[position:end], end


def _part(content: bytes) -> str:
    """One relative distinguished name; mostly one type and value, more are joined by `+`."""
    values = []
    for tag, pair in _items(content):
        parts = list(_pair_elements(pair))
        if tag != _SEQUENCE or len(parts) != 2:
            raise CertificateError("its subject is not a name")
        (_, number, _), (kind, value, whole) = parts
        values.append(_type_and_value(_dotted(number), kind, value, whole))
    return "+".join(values)


def _pair_elements(pair: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    position = 0
    while position < len(pair):
        begin = position
        tag, content, position = _element(pair, position)
        yield tag, content, pair[begin:position]


def _type_and_value(number: str, kind: int, value: bytes, whole: bytes) -> str:
    name, codec = _SHORT_NAMES.get(number), _TEXT_CODECS.get(kind)
    if name is None or codec is None:
        return f"{name or number}=#{whole.hex()}"
    try:
        return f"{name}={_escaped(value.decode(codec))}"
    except UnicodeDecodeError:
        return f"{name}=#{whole.hex()}"


def _escaped(text: str) -> str:
    """RFC 2253 section 2.4, with Java's choice of what is escaped: `=` and `#` everywhere, every space at the ends, and zero
    as two digits."""
    inner = text.strip(" \r")
    begin = text.index(inner)
    escaped = "".join(f"\\{letter}" if letter in ',=+<>#;"\\' else letter for letter in inner).replace("\0", "\\00")
    before, after = text[:begin], text[begin + len(inner) :]
    return "".join(f"\\{letter}" for letter in before) + escaped + "".join(f"\\{letter}" for letter in after)


def _dotted(number: bytes) -> str:
    """An object identifier as people write it."""
    if not number:
        raise CertificateError("a type without a number")
    arcs = []
    value = 0
    for byte in number:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            arcs.append(value)
            value = 0
    first = min(arcs[0] // 40, 2) if arcs else 0
    return ".".join(map(str, (first, arcs[0] - 40 * first, *arcs[1:]))) if arcs else ""
