"""From a frame to a request in work: its header is read and its body, or it is known again by what the client sent before.

Knows request headers, the name a client goes by, and what it sends again and again. Knows no API: `Routes` does. Knows no
socket: `Connection` gives it whole frames, one at a time, and has the answers.

    a heartbeat as before      Remembered; when it has come again, a StandingBeat is left with the connection
    the last commit's shape    Again, of Learning
    anything else              read as a whole
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from librt.strings import read_i16_be, read_i32_be
from mypy_extensions import i32, i64

from muster.server.call import Call
from muster.server.intake.again import Learning
from muster.server.intake.remembered import Remembered
from muster.server.limits import LARGE_REQUEST_BYTES, REMEMBERED_REQUEST_BYTES
from muster.server.reply_size import check_entries
from muster.wire.errors import WireError

if TYPE_CHECKING:
    from muster.runtime.node import Node
    from muster.server.connection import Connection
    from muster.server.routes import Route, Routes
    from muster.server.traffic import Traffic

_PREFIX_BYTES: Final = 4
"""api key and version"""
_BEFORE_CLIENT: Final = 8
"""With the correlation id; then comes who the client says it is."""


class Intake:
    """Of one connection, which is told to it with each frame: so neither keeps the other alive when the client has gone."""

    __slots__ = (
        "_client_id_bytes",
        "_learning",
        "_node",
        "_remembered",
        "_route",
        "_route_prefix",
        "_routes",
        "_traffic",
        "client_id",
    )

    def __init__(self, routes: Routes, node: Node, traffic: Traffic) -> None:
        self._route: Route | None = None
        """Of the last request."""
        self._route_prefix: i32 = 0
        self._remembered: Remembered | None = None
        """The last request of a kind that comes again and again."""
        self._learning: Learning | None = None
        """Of requests that come again with other numbers in them."""
        self.client_id: str | None = None
        self._client_id_bytes = b""
        self._traffic = traffic
        self._node = node
        self._routes = routes

    def serve(self, connection: Connection, frame: bytes, position: i64) -> None:
        """The request that begins at `position` and ends where the bytes end. What it raises is the client's fault or ours."""
        if len(frame) < position + _PREFIX_BYTES:
            raise WireError(f"the frame ends after {len(frame) - position} bytes, inside its header")
        prefix = read_i32_be(frame, position)
        route = self._route
        if route is None or prefix != self._route_prefix:
            route = self._find_route(prefix)
        start = position + _BEFORE_CLIENT
        known = self._remembered
        if known is not None and known.is_again(route, frame, start):
            self._serve_remembered(self._begin(connection, route, frame, position), known)
            return
        learning = self._learning
        again = learning.again if learning is not None else None
        if again is not None and again.route is route and again.fits(frame, start):
            body = start + again.body_at
            call = self._begin(connection, route, frame, position)
            if connection.throttle is None and again.serve(call, frame, start):
                return
        else:
            body = self._read_header(frame, start, route)
            call = self._begin(connection, route, frame, position)
        self._serve_whole(call, frame, start, body)

    def use_routes(self, routes: Routes) -> None:
        """From the next request on only these are served."""
        self._routes = routes
        self._route = None

    def forget_learned(self) -> None:
        """The client has gone. What it waits for may keep its connection for a while, but not what was learned of groups."""
        self._learning = None

    # ---- the ways of serving

    def _begin(self, connection: Connection, route: Route, frame: bytes, position: i64) -> Call:
        """From here on it is the request in work."""
        call = Call(connection, route, read_i32_be(frame, position + _PREFIX_BYTES), self.client_id)
        connection.call = call
        self._traffic.requests += 1
        throttle = connection.throttle
        if throttle is not None:
            throttle.begin(len(frame))
        return call

    def _serve_remembered(self, call: Call, known: Remembered) -> None:
        connection = call.connection
        throttle = connection.throttle
        call.route.handle(call, known.request, self._node)
        if throttle is not None:
            throttle.rest()
            return
        answer = connection.lone_answer()
        if answer is not None:
            connection.beat = known.expect(call, self._node, self._route_prefix, answer)

    def _serve_whole(self, call: Call, frame: bytes, start: i64, body: i64) -> None:
        """`start` is behind the correlation id."""
        route = call.route
        throttle = call.connection.throttle
        request = route.decode(frame, body)
        if len(frame) > LARGE_REQUEST_BYTES:
            check_entries(request)
        if route.repeats and len(frame) - start <= REMEMBERED_REQUEST_BYTES - _BEFORE_CLIENT:
            self._remembered = Remembered(route, frame[start:], request)
        route.handle(call, request, self._node)
        if route.learn is not None:
            if self._learning is None:
                self._learning = Learning()
            self._learning.learn(call, request, self._node, frame, start, body)
        if throttle is not None:
            throttle.rest()

    # ---- reading

    def _find_route(self, prefix: int) -> Route:
        """Apart from the one before, which mostly serves again: a look-up by a number makes an object of it."""
        route = self._routes.prepared.get(prefix)
        if route is None:
            route = self._routes.find(prefix)
        self._route = route
        self._route_prefix = prefix
        return route

    def _read_header(self, frame: bytes, position: i64, route: Route) -> int:
        """Where the body begins, if the client id stands at `position`; that is kept from request to request."""
        if len(frame) < position + 2:
            raise WireError(f"{route.name} v{route.version}: the frame ends inside its header")
        # No i16 when compiled: it is added to positions beyond 32 KiB.
        length = i64(read_i16_be(frame, position))
        position += 2
        if length < 0:
            if self.client_id is not None:
                self._call_client(None, b"")
        else:
            end = position + length
            if end > len(frame):
                raise WireError(
                    f"{route.name} v{route.version}: client id of {length} bytes at position {position}"
                    f" in a frame of {len(frame)}"
                )
            raw = frame[position:end]
            if raw != self._client_id_bytes or self.client_id is None:
                self._call_client(raw.decode("utf-8", "replace"), raw)
            position = end
        return route.behind_tags(frame, position) if route.flexible_request else position

    def _call_client(self, client_id: str | None, raw: bytes) -> None:
        self.client_id = client_id
        self._client_id_bytes = raw
        self._remembered = None  # what is remembered was sent under the name before
        if self._learning is not None:
            self._learning.forget()
