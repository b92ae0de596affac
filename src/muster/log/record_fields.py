"""Reading and writing the fields of coordinator records: strings, bytes, arrays, in both of Kafka's encodings (spec 2.1, 5.1).

`FieldReader` walks one key or value and says what was wrong and where; it knows neither record types nor versions, which
are `record_codec`'s, `group_value`'s and `transaction_value`'s business. Not for the wire: messages have generated code.
"""

from __future__ import annotations

from struct import Struct
from typing import Final

from muster.log.contract import StorageError
from muster.wire.errors import WireError
from muster.wire.varint import read_uvarint, uvarint

I8 = Struct(">b")
I16 = Struct(">h")
I32 = Struct(">i")
I64 = Struct(">q")

MAX_STRING_BYTES: Final = 32_767
"""Kafka writes no longer string into a record, and reads none, in either encoding."""


class RecordError(StorageError):
    """Bytes that are no coordinator record, or a record that has no bytes. Whoever reads the log adds file and offset."""


class FieldReader:
    """A position in one record's key or value. `flexible` picks the compact encodings of strings, bytes and arrays."""

    __slots__ = ("buffer", "flexible", "position", "what")

    def __init__(self, buffer: bytes, what: str) -> None:
        self.buffer = buffer
        self.what = what
        self.position = 0
        self.flexible = False

    def error(self, problem: str) -> RecordError:
        shown = self.buffer[:48].hex() + ("..." if len(self.buffer) > 48 else "")
        return RecordError(f"{self.what}: {problem} (at byte {self.position} of {len(self.buffer)}: {shown})")

    def i8(self, field: str) -> int:
        return self._number(I8, field)

    def i16(self, field: str) -> int:
        return self._number(I16, field)

    def i32(self, field: str) -> int:
        return self._number(I32, field)

    def i64(self, field: str) -> int:
        return self._number(I64, field)

    def string(self, field: str) -> str:
        text = self.nullable_string(field)
        if text is None:
            raise self.error(f"{field} is null and may not be")
        return text

    def nullable_string(self, field: str) -> str | None:
        length = self._uvarint(field) - 1 if self.flexible else self.i16(field)
        if length < 0:
            return None
        if length > MAX_STRING_BYTES:
            raise self.error(f"{field} says it has {length} bytes, a string has at most {MAX_STRING_BYTES}")
        # As Kafka reads strings: bytes that are not UTF-8 become U+FFFD.
        return self.take(length, field).decode("utf-8", "replace")

    def octets(self, field: str) -> bytes:
        length = self._uvarint(field) - 1 if self.flexible else self.i32(field)
        if length < 0:
            raise self.error(f"{field} is null and may not be")
        return self.take(length, field)

    def count(self, field: str) -> int:
        """The length of an array whose elements have at least one byte each."""
        count = self.nullable_count(field)
        if count is None:
            raise self.error(f"{field} is null and may not be")
        return count

    def nullable_count(self, field: str) -> int | None:
        """The same, None for null."""
        count = self._uvarint(field) - 1 if self.flexible else self.i32(field)
        if count < 0:
            return None
        if count > len(self.buffer) - self.position:
            raise self.error(f"{field} says it has {count} elements, more than there are bytes left")
        return count

    def tags(self) -> dict[int, bytes]:
        """A tagged-field section, unread; empty where the encoding has none. Of a repeated tag the last one counts."""
        found: dict[int, bytes] = {}
        if self.flexible:
            for _ in range(self._uvarint("number of tagged fields")):
                tag = self._uvarint("tag")
                found[tag] = self.take(self._uvarint(f"size of tagged field {tag}"), f"tagged field {tag}")
        return found

    def take(self, length: int, field: str) -> bytes:
        start = self.position
        end = start + length
        if end > len(self.buffer):
            raise self.error(f"{field} needs {length} bytes, {len(self.buffer) - start} are left")
        self.position = end
        return self.buffer[start:end]

    def _number(self, layout: Struct, field: str) -> int:
        number: int = layout.unpack(self.take(layout.size, field))[0]
        return number

    def _uvarint(self, field: str) -> int:
        """Unsigned: a length beyond 31 bits is refused as too long, not read as null."""
        try:
            number, self.position = read_uvarint(self.buffer, self.position)
        except IndexError:
            raise self.error(f"{field} is a varint that the bytes end in") from None
        except WireError:
            raise self.error(f"{field} is a varint of more than 5 bytes") from None
        return number & 0xFFFFFFFF


def string_field(text: str, field: str) -> bytes:
    """A non-flexible string: i16 length, UTF-8."""
    octets = string_octets(text, field)
    return I16.pack(len(octets)) + octets


def nullable_string_field(text: str | None, field: str) -> bytes:
    return b"\xff\xff" if text is None else string_field(text, field)


def octets_field(octets: bytes) -> bytes:
    """Non-flexible bytes: i32 length."""
    return I32.pack(len(octets)) + octets


def string_octets(text: str, field: str) -> bytes:
    try:
        octets = text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        octets = text.encode("utf-8", "replace")
    if len(octets) > MAX_STRING_BYTES:
        raise RecordError(
            f"{field} has {len(octets)} bytes of UTF-8, a record holds at most {MAX_STRING_BYTES}: use a shorter one"
        )
    return octets


def compact_string_field(text: str, field: str) -> bytes:
    """A flexible string: length + 1 as a varint, UTF-8."""
    octets = string_octets(text, field)
    return uvarint(len(octets) + 1) + octets


def compact_count(count: int | None) -> bytes:
    """The length of a flexible array."""
    return b"\x00" if count is None else uvarint(count + 1)


def tagged_section(tags: dict[int, bytes]) -> bytes:
    """What ends a flexible struct. Tags ascend."""
    parts = [uvarint(len(tags))]
    for tag, octets in tags.items():
        parts += (uvarint(tag), uvarint(len(octets)), octets)
    return b"".join(parts)
