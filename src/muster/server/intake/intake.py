"""From a frame to a request in work: its header and body are read, and what the client repeats is learned.

Knows request headers, the client id, and which requests were learned. Knows no API: `Routes` does. Knows no socket: `Connection`
gives it whole frames, one at a time, and has the answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from librt.strings import read_i16_be, read_i32_be
from mypy_extensions import i32, i64

from muster.server.call import Call
from muster.server.intake.repeated_request import BEFORE_PAYLOAD, PREFIX_BYTES, RepeatedRequest
from muster.server.limits import LARGE_REQUEST_BYTES
from muster.server.reply_size import check_entries
from muster.wire.errors import WireError

if TYPE_CHECKING:
    from muster.runtime.node import Node
    from muster.server.connection import Connection
    from muster.server.routes import Route, Routes
    from muster.server.traffic import Traffic


class Intake:
    """Of one connection, which is told to it with each frame: so neither keeps the other alive when the client has gone."""

    __slots__ = (
        "_client_id_bytes",
        "_max_entries",
        "_node",
        "_repeated",
        "_route",
        "_route_prefix",
        "_routes",
        "_traffic",
        "client_id",
    )

    def __init__(self, routes: Routes, node: Node, traffic: Traffic, max_entries: int) -> None:
        self._repeated: list[RepeatedRequest] = []
        """One for each API whose requests repeat, made with its first request."""
        self._route: Route | None = None
        """Of the last request that was read."""
        self._route_prefix: i32 = 0
        self.client_id: str | None = None
        self._client_id_bytes = b""
        self._traffic = traffic
        self._max_entries = max_entries
        self._node = node
        self._routes = routes

    def serve(self, connection: Connection, frame: bytes, position: i64) -> None:
        """Read the request that begins at `position` and ends where the bytes end, have it handled, and perhaps learn it.

        What this raises is the client's fault or ours.
        """
        if len(frame) < position + PREFIX_BYTES:
            raise WireError(f"the frame ends after {len(frame) - position} bytes, inside its header")
        prefix = read_i32_be(frame, position)
        route = self._route
        if route is None or prefix != self._route_prefix:
            route = self._find_route(prefix)
        start = position + BEFORE_PAYLOAD
        body = self._read_header(frame, start, route)
        self._serve_whole(self._begin(connection, route, frame, position), frame, start, body)
        if self._repeated:
            connection.repeated = self._chained()

    def use_routes(self, routes: Routes) -> None:
        """From the next request on only these are served."""
        self._routes = routes
        self._route = None
        self.forget_repeats()

    def forget_repeats(self) -> None:
        """Also when the client has gone: a request in work may keep the connection for a while, which must not keep groups."""
        self._repeated.clear()

    # ---- serving

    def _begin(self, connection: Connection, route: Route, frame: bytes, position: i64) -> Call:
        """From here on it is the request in work."""
        call = Call(connection, route, read_i32_be(frame, position + PREFIX_BYTES), self.client_id)
        connection.call = call
        self._traffic.requests += 1
        throttle = connection.throttle
        if throttle is not None:
            throttle.begin(len(frame))
        return call

    def _serve_whole(self, call: Call, frame: bytes, start: i64, body: i64) -> None:
        """The payload begins at `start`, the body at `body`."""
        route = call.route
        throttle = call.connection.throttle
        request = route.decode(frame, body)
        if len(frame) > LARGE_REQUEST_BYTES:
            check_entries(request, self._max_entries)
        route.handle(call, request, self._node)
        if throttle is not None:
            throttle.rest()
        elif route.learn is not None and not call.connection.closing:
            self._repeated_of(route).learn(call, request, self._node, frame, start, body)

    def _chained(self) -> RepeatedRequest | None:
        """What was learned and not forgotten, as the connection has it: it looks at nothing else for a heartbeat."""
        first: RepeatedRequest | None = None
        for repeated in self._repeated:
            if repeated.is_learned:
                repeated.next = first
                first = repeated
        return first

    def _repeated_of(self, route: Route) -> RepeatedRequest:
        for repeated in self._repeated:
            if repeated.api_key == route.api_key:
                return repeated
        repeated = RepeatedRequest(route)
        self._repeated.append(repeated)
        return repeated

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
