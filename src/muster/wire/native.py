"""The pieces that codecs of the native dialect share: texts, octets, counts and tags over `librt.strings`.

The same facts as `primitives`, in the form that mypyc turns into machine code: positions are 64-bit numbers, a read gives
the value and the position behind it, and both stay in registers. Whatever wants more bytes than there are raises
IndexError; the codec that called says which message it was. Interpreted all this is slow: then the struct dialect is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeVar

from librt.strings import (
    BytesWriter,
    read_i16_be,
    read_i32_be,
    read_i64_be,
    write_i16_be,
    write_i32_be,
    write_i64_be,
)
from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from muster.wire.errors import WireError
from muster.wire.i32_array import I32Array
from muster.wire.primitives import null_field

_BEHIND_THE_END: Final = "behind the end"
_SPARE_BYTES: Final = 65536
"""Of a longer message the room is given back."""
_MAX_I16: Final = 32767
_MAX_I32: Final = 2147483647
T = TypeVar("T")


# Writers: the last one is used again, with the room that it has grown to. Taken away while it is in use, so that nobody else,
# in another thread or in the midst of this message, can write into it.


class _Spare:
    __slots__ = ("writer",)

    def __init__(self) -> None:
        self.writer: BytesWriter | None = None


_spare: Final = _Spare()


def begun() -> BytesWriter:
    """A writer for one message."""
    writer = _spare.writer
    if writer is None:
        return BytesWriter()
    _spare.writer = None
    return writer


def finished(out: BytesWriter) -> bytes:
    """What was written; the writer is not to be used any more."""
    octets = out.getvalue()
    if len(octets) <= _SPARE_BYTES:
        out.truncate(0)
        _spare.writer = out
    return octets


# Numbers that librt has no function for


def read_i8(buf: bytes, at: i64) -> i64:
    value: i64 = buf[at]
    return value - 256 if value > 127 else value


def read_u16(buf: bytes, at: i64) -> i64:
    value = i64(read_i16_be(buf, at))
    return value + 65536 if value < 0 else value


def read_u32(buf: bytes, at: i64) -> i64:
    value = i64(read_i32_be(buf, at))
    return value + 4294967296 if value < 0 else value


def read_uuid(buf: bytes, at: i64) -> bytes:
    return octets(buf, at, at + 16)


def write_i8(out: BytesWriter, value: int) -> None:
    if not -128 <= value <= 127:
        raise ValueError(f"{value} does not fit into 8 bits")
    out.append(value & 0xFF)


def write_u16(out: BytesWriter, value: int) -> None:
    write_i16_be(out, value - 65536 if value > _MAX_I16 else value)


def write_u32(out: BytesWriter, value: int) -> None:
    write_i32_be(out, value - 4294967296 if value > _MAX_I32 else value)


def write_uuid(out: BytesWriter, value: bytes) -> None:
    if len(value) != 16:
        raise ValueError(f"a UUID has 16 bytes, not {len(value)}")
    out.write(value)


# Varints: the form of `varint` for compiled code. Every text and array of a heartbeat or commit begins with one, and every record
# that is written has five. mypyc keeps an `i64` in a register; an `int` is checked at each step, and boxed on its way into a
# writer, ten times the cost. Interpreted it is the slower of the two.


def read_uvarint(buf: bytes, at: i64) -> tuple[i64, i64]:
    """As `varint.read_uvarint`."""
    value: i64 = 0
    shift: i64 = 0
    start = at
    while shift < 35:
        byte: i64 = buf[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            value &= 0xFFFFFFFF
            return (value - 0x100000000 if value & 0x80000000 else value), at
        shift += 7
    raise WireError(f"a varint of more than five bytes at position {start}")


def write_uvarint(out: BytesWriter, number: i64) -> None:
    while number > 0x7F:
        out.append(u8(number & 0x7F | 0x80))
        number >>= 7
    out.append(u8(number))


def uvarint_size(number: i64) -> i64:
    """Bytes of the unsigned varint."""
    size: i64 = 1
    while number > 0x7F:
        size += 1
        number >>= 7
    return size


def write_zigzag(out: BytesWriter, number: i64) -> None:
    """The zigzag varint of a number that is not negative."""
    write_uvarint(out, number << 1)


def zigzag_size(number: i64) -> i64:
    """Bytes of the zigzag varint of a number that is not negative."""
    return uvarint_size(number << 1)


# Texts and octets


def octets(buf: bytes, at: i64, end: i64) -> bytes:
    if end > len(buf):
        raise IndexError(_BEHIND_THE_END)
    return buf[at:end]


def text(buf: bytes, at: i64, end: i64) -> str:
    if at == end and at <= len(buf):
        return ""
    raw = octets(buf, at, end)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("utf-8", "replace")


def read_str(buf: bytes, at: i64, where: str, field: str) -> tuple[str, i64]:
    size = i64(read_i16_be(buf, at))
    if size < 0:
        raise null_field(where, field)
    return text(buf, at + 2, at + 2 + size), at + 2 + size


def read_nullable_str(buf: bytes, at: i64) -> tuple[str | None, i64]:
    size = i64(read_i16_be(buf, at))
    if size < 0:
        return None, at + 2
    return text(buf, at + 2, at + 2 + size), at + 2 + size


def read_compact_str(buf: bytes, at: i64, where: str, field: str) -> tuple[str, i64]:
    size, at = read_uvarint(buf, at)
    if size <= 0:
        raise null_field(where, field)
    return text(buf, at, at + size - 1), at + size - 1


def read_nullable_compact_str(buf: bytes, at: i64) -> tuple[str | None, i64]:
    size, at = read_uvarint(buf, at)
    if size <= 0:
        return None, at
    return text(buf, at, at + size - 1), at + size - 1


def read_bytes(buf: bytes, at: i64, where: str, field: str) -> tuple[bytes, i64]:
    size = i64(read_i32_be(buf, at))
    if size < 0:
        raise null_field(where, field)
    return octets(buf, at + 4, at + 4 + size), at + 4 + size


def read_nullable_bytes(buf: bytes, at: i64) -> tuple[bytes | None, i64]:
    size = i64(read_i32_be(buf, at))
    if size < 0:
        return None, at + 4
    return octets(buf, at + 4, at + 4 + size), at + 4 + size


def read_compact_bytes(buf: bytes, at: i64, where: str, field: str) -> tuple[bytes, i64]:
    size, at = read_uvarint(buf, at)
    if size <= 0:
        raise null_field(where, field)
    return octets(buf, at, at + size - 1), at + size - 1


def read_nullable_compact_bytes(buf: bytes, at: i64) -> tuple[bytes | None, i64]:
    size, at = read_uvarint(buf, at)
    if size <= 0:
        return None, at
    return octets(buf, at, at + size - 1), at + size - 1


def write_str(out: BytesWriter, value: str) -> None:
    raw = value.encode()
    write_i16_be(out, len(raw))
    out.write(raw)


def write_nullable_str(out: BytesWriter, value: str | None) -> None:
    if value is None:
        write_i16_be(out, -1)
    else:
        write_str(out, value)


def write_compact_str(out: BytesWriter, value: str) -> None:
    if not value:  # as the metadata of nearly every committed offset is
        out.append(1)
        return
    raw = value.encode()
    write_uvarint(out, len(raw) + 1)
    out.write(raw)


def write_nullable_compact_str(out: BytesWriter, value: str | None) -> None:
    if value is None:
        out.append(0)
    else:
        write_compact_str(out, value)


def write_bytes(out: BytesWriter, value: bytes) -> None:
    write_i32_be(out, len(value))
    out.write(value)


def write_nullable_bytes(out: BytesWriter, value: bytes | None) -> None:
    if value is None:
        write_i32_be(out, -1)
    else:
        write_bytes(out, value)


def write_compact_bytes(out: BytesWriter, value: bytes) -> None:
    write_uvarint(out, len(value) + 1)
    out.write(value)


def write_nullable_compact_bytes(out: BytesWriter, value: bytes | None) -> None:
    if value is None:
        out.append(0)
    else:
        write_compact_bytes(out, value)


# Arrays


def as_list(items: Sequence[T]) -> list[T]:
    """To go through: the compiler knows how to do that with a list, for any other sequence it needs an iterator."""
    return items if isinstance(items, list) else list(items)


# Counts of arrays: -1 is null. Nothing is allocated before the bytes for so many elements are known to be there.


def read_count(buf: bytes, at: i64, least: i64, where: str, field: str) -> tuple[i64, i64]:
    count, at = read_nullable_count(buf, at, least)
    if count < 0:
        raise null_field(where, field)
    return count, at


def read_nullable_count(buf: bytes, at: i64, least: i64) -> tuple[i64, i64]:
    count = i64(read_i32_be(buf, at))
    return _checked(buf, at + 4, count, least), at + 4


def read_compact_count(buf: bytes, at: i64, least: i64, where: str, field: str) -> tuple[i64, i64]:
    count, at = read_nullable_compact_count(buf, at, least)
    if count < 0:
        raise null_field(where, field)
    return count, at


def read_nullable_compact_count(buf: bytes, at: i64, least: i64) -> tuple[i64, i64]:
    count, at = read_uvarint(buf, at)
    return _checked(buf, at, count - 1, least), at


def _checked(buf: bytes, at: i64, count: i64, least: i64) -> i64:
    if count < 0:
        return -1
    if count * least > len(buf) - at:
        raise IndexError(_BEHIND_THE_END)
    return count


def read_i32s(buf: bytes, at: i64, count: i64) -> Any:
    """An `I32Array`, typed so that it may stand in a field which says that it holds a sequence. The caller has checked that so
    many are there."""
    numbers = vec[i32]([0] * count)
    for index in range(count):
        numbers[index] = read_i32_be(buf, at + index * 4)
    return I32Array(numbers)


def write_i32s(out: BytesWriter, values: Sequence[int]) -> None:
    for value in values:
        write_i32_be(out, value)


def read_i64s(buf: bytes, at: i64, count: i64) -> list[int]:
    values: list[int] = []
    for index in range(count):
        values.append(read_i64_be(buf, at + index * 8))
    return values


def write_i64s(out: BytesWriter, values: Sequence[int]) -> None:
    for value in values:
        write_i64_be(out, value)


# Tagged sections


def read_tag(buf: bytes, at: i64) -> tuple[i64, i64, i64]:
    """Tag, where its payload begins and where it ends."""
    tag, at = read_uvarint(buf, at)
    size, at = read_uvarint(buf, at)
    if size < 0 or at + size > len(buf):
        raise WireError(f"tagged field {tag} at position {at} promises {size} bytes, {len(buf) - at} are left")
    return tag, at, at + size


def skip_tags(buf: bytes, at: i64) -> i64:
    """The position behind a tagged section of which no field is known to us."""
    count, at = read_uvarint(buf, at)
    while count > 0:
        _, _, at = read_tag(buf, at)
        count -= 1
    return at


def write_tag(out: BytesWriter, tag: i64, payload: BytesWriter) -> None:
    write_uvarint(out, tag)
    write_uvarint(out, len(payload))
    out.write(payload.getvalue())
