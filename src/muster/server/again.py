"""A request like the one before: the same bytes but for some numbers in it. It is served without being read anew.

What a connection remembers of such a request. An API whose requests come like that has a `learn` beside its `handle`, which
makes one of these; `Connection` asks whether the next request fits. Knows bytes, not what they mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from librt.strings import read_i64_be
from librt.vecs import vec
from mypy_extensions import i64, mypyc_attr

if TYPE_CHECKING:
    from muster.server.call import Call
    from muster.server.routes import Route

_NUMBER_BYTES: Final = 8


@mypyc_attr(allow_interpreted_subclasses=True)
class Again:
    """The bytes behind the correlation id, and where in them the numbers stand that may differ."""

    __slots__ = ("_numbers_at", "_octets", "body_at", "has_served", "route")

    def __init__(self, route: Route, octets: bytes, body_at: int, numbers_at: vec[i64]) -> None:
        """`numbers_at`: positions of 64-bit numbers in `octets`, ascending, none overlapping another."""
        self.route = route
        self.body_at = body_at
        """Where the body begins in them."""
        self.has_served = False
        self._octets = octets
        self._numbers_at = numbers_at

    def fits(self, frame: bytes, start: i64) -> bool:
        """Whether this is what the frame has from `start` on, whatever the numbers are."""
        octets = self._octets
        if len(frame) - start != len(octets):
            return False
        at: i64 = 0
        for number_at in self._numbers_at:
            if not _same(frame, start, octets, at, number_at):
                return False
            at = number_at + _NUMBER_BYTES
        return _same(frame, start, octets, at, len(octets))

    def serve(self, call: Call, frame: bytes, start: i64) -> bool:
        """Serve a request that fits; False, and nothing done, if it has to go the whole way all the same."""
        raise NotImplementedError


def _same(frame: bytes, start: i64, octets: bytes, at: i64, end: i64) -> bool:
    while at + _NUMBER_BYTES <= end:
        if read_i64_be(frame, start + at) != read_i64_be(octets, at):
            return False
        at += _NUMBER_BYTES
    while at < end:
        if frame[start + at] != octets[at]:
            return False
        at += 1
    return True
