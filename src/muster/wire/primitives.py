"""The pieces that generated codecs and the header share: lengths, tagged sections, arrays of numbers.

Pure functions over bytes. Every read takes `(buf, pos)` and gives the value and the position behind it. Reading past the
end shows as IndexError or struct.error here; whoever reads a whole message turns that into a WireError.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import Any, Final

from muster.wire.errors import WireError
from muster.wire.varint import read_uvarint


def read_length(buf: bytes, pos: int, where: str, field: str) -> tuple[int, int]:
    """The length plus one of something that may not be null; for lengths that do not fit a single byte, and for null."""
    length, pos = read_uvarint(buf, pos)
    if length <= 0:
        raise null_field(where, field)
    return length, pos


def read_tag(buf: bytes, pos: int) -> tuple[int, int, int]:
    """Tag, where its payload begins and where it ends."""
    tag, pos = read_uvarint(buf, pos)
    size, pos = read_uvarint(buf, pos)
    end = pos + size
    if size < 0 or end > len(buf):
        raise WireError(f"tagged field {tag} at position {pos} promises {size} bytes, {len(buf) - pos} are left")
    return tag, pos, end


def skip_tagged(buf: bytes, pos: int) -> int:
    """The position behind a tagged section of which no field is known to us."""
    count, pos = read_uvarint(buf, pos)
    for _ in range(count):
        pos = read_tag(buf, pos)[2]
    return pos


SMALL: Final = 33
_ARRAYS: Final = {code: [Struct(f">{count}{code}") for count in range(SMALL)] for code in "iq"}


def _array(code: str, count: int) -> Struct:
    small = _ARRAYS.get(code)
    return small[count] if small and count < SMALL else Struct(f">{count}{code}")


_I32S: Final = [each.pack for each in _ARRAYS["i"]]
_READ_I32S: Final = [each.unpack_from for each in _ARRAYS["i"]]


def i32s(values: Sequence[int]) -> bytes:
    """The elements of an i32 array, without the count. The array type that nearly every message has."""
    count = len(values)
    return _I32S[count](*values) if count < SMALL else Struct(f">{count}i").pack(*values)


def read_i32s(buf: bytes, pos: int, count: int) -> list[int]:
    """The caller has checked that `count` elements are there, so that no huge layout is compiled."""
    if count < SMALL:
        return list(_READ_I32S[count](buf, pos))
    return list(Struct(f">{count}i").unpack_from(buf, pos))


def numbers(code: str, values: Sequence[Any]) -> bytes:
    """The elements of an array of any other fixed-size type, named by its `struct` letter."""
    if code == "16s":
        return b"".join(values)
    return _array(code, len(values)).pack(*values)


def read_numbers(code: str, size: int, buf: bytes, pos: int, count: int) -> list[Any]:
    if code == "16s":
        return [buf[at : at + size] for at in range(pos, pos + size * count, size)]
    return list(_array(code, count).unpack_from(buf, pos))


def null_field(where: str, field: str) -> WireError:
    return WireError(f"{where}: {field} is null and may not be")


def misfit(where: str, field: str, pos: int) -> WireError:
    """Deviates: Kafka ignores the size of a tagged field that it knows and goes on reading wherever the value ended."""
    return WireError(f"{where}: tagged field {field} does not fill the size it promises, near position {pos}")


def too_many(where: str, count: int) -> WireError:
    """A request whose items nobody would want to look at: it is refused before they become objects."""
    return WireError(f"{where}: an array of {count} items is too long; ask for less at a time")


def overrun(where: str, buf: bytes, pos: int) -> WireError:
    """The bytes end before the message does, or a length or count in it is larger than what is left."""
    return WireError(f"{where}: wants more than the {len(buf)} bytes there are, near position {min(pos, len(buf))}")
