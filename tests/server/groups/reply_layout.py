"""Writes replies by hand, field by field with the versions that have them: the tables of spec 2.3 once more.

Shares nothing with the codecs of the product, so that a fault there does not cancel out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from struct import pack

LAST = 99


class Body:
    """One struct in one version. `since` and `until` say which versions have a field."""

    def __init__(self, version: int, flexible_from: int) -> None:
        self.version = version
        self.flexible_from = flexible_from
        self._bytes = bytearray()

    @property
    def is_flexible(self) -> bool:
        return self.version >= self.flexible_from

    def i8(self, value: int, since: int = 0, until: int = LAST) -> Body:
        return self._put(pack(">b", value), since, until)

    def i16(self, value: int, since: int = 0, until: int = LAST) -> Body:
        return self._put(pack(">h", value), since, until)

    def i32(self, value: int, since: int = 0, until: int = LAST) -> Body:
        return self._put(pack(">i", value), since, until)

    def i64(self, value: int, since: int = 0, until: int = LAST) -> Body:
        return self._put(pack(">q", value), since, until)

    def uuid(self, value: bytes, since: int = 0, until: int = LAST) -> Body:
        return self._put(value, since, until)

    def text(self, value: str | None, since: int = 0, until: int = LAST) -> Body:
        raw = None if value is None else value.encode()
        return self._put(self._length(raw, ">h") + (raw or b""), since, until)

    def blob(self, value: bytes, since: int = 0, until: int = LAST) -> Body:
        return self._put(self._length(value, ">i") + value, since, until)

    def array(self, items: Iterable[Callable[[Body], Body]], since: int = 0, until: int = LAST) -> Body:
        inner = [item(Body(self.version, self.flexible_from)).done() for item in items]
        return self._put(self._length(inner, ">i") + b"".join(inner), since, until)

    def done(self) -> bytes:
        return bytes(self._bytes) + (b"\0" if self.is_flexible else b"")

    def framed(self, correlation_id: int) -> bytes:
        """With the header in front: a flexible version has a tagged section there too."""
        return pack(">i", correlation_id) + (b"\0" if self.is_flexible else b"") + self.done()

    def _put(self, content: bytes, since: int, until: int) -> Body:
        if since <= self.version <= until:
            self._bytes += content
        return self

    def _length(self, value: bytes | list[bytes] | None, old: str) -> bytes:
        size = -1 if value is None else len(value)
        return _uvarint(size + 1) if self.is_flexible else pack(old, size)


def _uvarint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))
