"""Varints: seven bits a byte, low bits first. Unsigned in messages, zigzag (the sign is the lowest bit) in records.

Every read takes `(buf, pos)` and gives the number and the position behind it. Reading past the end shows as IndexError:
whoever reads a whole message, record or batch knows what to call it. The form for 64-bit registers is in `native`.
"""

from __future__ import annotations

from typing import Final

from muster.wire.errors import CorruptBatch, WireError


def read_uvarint(buf: bytes, pos: int) -> tuple[int, int]:
    """An unsigned varint of at most five bytes, as a signed 32-bit number, which is how Kafka keeps it.

    So a length with the top bit set is negative, and negative means null (spec 2.1).
    """
    value = shift = 0
    for at in range(pos, pos + 5):
        byte = buf[at]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            value &= 0xFFFFFFFF
            return (value - 0x100000000 if value & 0x80000000 else value), at + 1
        shift += 7
    raise WireError(f"a varint of more than five bytes at position {pos}")


def uvarint(value: int) -> bytes:
    """The unsigned varint of a number that is not negative."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


_MAX_SHIFT: Final = 63


def read_zigzag(buf: bytes, pos: int) -> tuple[int, int]:
    """A zigzag varint of at most ten bytes, as records use them for lengths, deltas and timestamps."""
    byte = buf[pos]
    pos += 1
    if byte < 0x80:
        return (byte >> 1) ^ -(byte & 1), pos
    raw = byte & 0x7F
    shift = 7
    while True:
        byte = buf[pos]
        pos += 1
        raw |= (byte & 0x7F) << shift
        if byte < 0x80:
            return (raw >> 1) ^ -(raw & 1), pos
        shift += 7
        if shift > _MAX_SHIFT:
            raise CorruptBatch("a varint goes on for more than ten bytes", pos)


def zigzag(number: int) -> bytes:
    """The zigzag varint of a signed 64-bit number; for 32-bit numbers it is the same bytes."""
    return _SMALL[number] if 0 <= number < 2048 else _zigzag(number)


def _zigzag(number: int) -> bytes:
    return uvarint((number << 1) ^ (number >> 63))


_SMALL: Final = tuple(_zigzag(number) for number in range(2048))
"""Lengths and offset deltas are nearly always small: a table look-up instead of a loop."""
