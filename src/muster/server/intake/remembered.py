"""A request that its client sends again and again, the same but for its correlation id: what was read from it is kept.

Kept by the connection it came on, for routes whose requests are like that. When it has come again, `expect` asks its API for
something that answers it from then on without serving it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy_extensions import i32, i64

if TYPE_CHECKING:
    from muster.runtime.node import Node
    from muster.server.call import Call
    from muster.server.intake.standing_beat import StandingBeat
    from muster.server.routes import Route


class Remembered:
    __slots__ = ("_rest", "_route", "request")

    def __init__(self, route: Route, rest: bytes, request: object) -> None:
        """`rest`: its bytes behind the correlation id."""
        self._route = route
        self._rest = rest
        self.request = request

    def is_again(self, route: Route, frame: bytes, start: i64) -> bool:
        """Whether the frame has the same from `start` on."""
        return route is self._route and frame[start:] == self._rest

    def expect(self, call: Call, node: Node, prefix: i32, answer: bytes) -> StandingBeat | None:
        """It came again and was answered with this frame; None if the next one has to be served as well."""
        expect = self._route.expect
        beat = None if expect is None else expect(call, self.request, node)
        if beat is not None:
            beat.know(prefix, self._rest, answer)
        return beat
