"""A request like the one before: the same bytes but for some numbers in it. It is served without being read anew.

What a connection remembers of such a request, and when it tries to. An API whose requests come like that has a `learn` beside
its `handle`, which makes an `Again`; `Intake` asks whether the next request fits. Knows bytes, not what they mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from librt.strings import read_i64_be
from librt.vecs import vec
from mypy_extensions import i64, mypyc_attr

from muster.server.limits import LEARNED_IN_VAIN, LEARNED_REQUEST_BYTES

if TYPE_CHECKING:
    from muster.runtime.node import Node
    from muster.server.call import Call
    from muster.server.routes import Route

_NUMBER_BYTES: Final = 8


@mypyc_attr(allow_interpreted_subclasses=True)
class Again:
    """The bytes behind the correlation id, and where in them the numbers stand that may differ."""

    __slots__ = ("_begins", "_numbers_at", "_octets", "body_at", "has_served", "route")

    def __init__(self, route: Route, octets: bytes, body_at: int, numbers_at: vec[i64]) -> None:
        """`numbers_at`: positions of 64-bit numbers in `octets`, ascending, none overlapping another."""
        self.route = route
        self.body_at = body_at
        """Where the body begins in them."""
        self.has_served = False
        self._octets = octets
        self._numbers_at = numbers_at
        self._begins = octets[: numbers_at[0]] if len(numbers_at) else octets
        """Up to the first number: the longest piece that is the same, which is compared as a whole."""

    def fits(self, frame: bytes, start: i64) -> bool:
        """Whether this is what the frame has from `start` on, whatever the numbers are."""
        octets = self._octets
        begins = self._begins
        at: i64 = len(begins)
        if len(frame) - start != len(octets) or frame[start : start + at] != begins:
            return False
        for number_at in self._numbers_at:
            if not _same(frame, start, octets, at, number_at):
                return False
            at = number_at + _NUMBER_BYTES
        return _same(frame, start, octets, at, len(octets))

    def serve(self, call: Call, frame: bytes, start: i64) -> bool:
        """Serve a request that fits; False, and nothing done, if it has to go the whole way all the same."""
        raise NotImplementedError


class Learning:
    """What a connection has learned. Made with its first request that can be learned: most connections send none."""

    __slots__ = ("_in_vain", "_last_bytes", "again")

    def __init__(self) -> None:
        self.again: Again | None = None
        """The last one that was learned."""
        self._last_bytes = 0
        """How long the last request was that could have been."""
        self._in_vain = 0

    def learn(self, call: Call, request: object, node: Node, frame: bytes, start: int, body: int) -> None:
        """After the second request of the same length, unless the client never sends one again.

        The frame has the request's bytes behind the correlation id from `start` on, its body from `body` on.
        """
        length = len(frame) - start
        if length != self._last_bytes:
            self._last_bytes = length
            return
        if self._in_vain >= LEARNED_IN_VAIN or length > LEARNED_REQUEST_BYTES:
            return
        learn = call.route.learn
        assert learn is not None
        self.forget()
        self.again = learn(call, request, node, frame[start:], body - start)
        if self.again is None:
            self._in_vain += 1

    def forget(self) -> None:
        again = self.again
        if again is not None:
            self._in_vain = 0 if again.has_served else self._in_vain + 1
            self.again = None


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
