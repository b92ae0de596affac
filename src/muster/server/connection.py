"""One client's TCP connection: frames in, one request in work at a time, replies out in order.

Knows framing, request headers, back pressure and what closes a connection (spec 2.1). Knows no API: `Routes` does.
Here and in `Call.redeem` stands the server's `except Exception` (design law 5): a fault while serving ends this connection
and no other.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from struct import Struct
from typing import TYPE_CHECKING, Final, cast

from librt.strings import read_i16_be, read_i32_be
from mypy_extensions import i32

from muster.server.again import Learning
from muster.server.call import Call
from muster.server.frame_size import why_refused
from muster.server.limits import (
    FAREWELL_SECONDS,
    FRAME_SIZE_BYTES,
    LOGGED_TEXT_CHARS,
    REMEMBERED_REQUEST_BYTES,
    WAITING_BYTES_PER_CONNECTION,
    WRITE_HIGH_WATER_BYTES,
)
from muster.server.peer import address_text, java_host
from muster.server.remembered import Remembered
from muster.wire.errors import WireError

if TYPE_CHECKING:
    from muster.runtime.clock import Wake
    from muster.server.channel import Channel
    from muster.server.door import Door
    from muster.server.newcomers import Newcomer
    from muster.server.routes import Route, Routes
    from muster.server.sasl_session import SaslSession
    from muster.server.standing_beat import StandingBeat
    from muster.server.throttle import Throttle

ANONYMOUS = "User:ANONYMOUS"

_log = logging.getLogger("muster.connection")
_frame_size = Struct(">i").unpack_from
_PREFIX_BYTES: Final = 4
"""api key and version"""
_BEFORE_CLIENT: Final = 8
"""With the correlation id; then comes who the client says it is."""
_CLIENT_DOES_NOT_READ: Final = 1
_MUTED: Final = 2


class Connection:
    """The loop calls the asyncio.Protocol methods; `Call` calls `finish`, `guard`, `fail` and `refuse`.

    No subclass of asyncio.Protocol, because a class with an interpreted base cannot be compiled. No loop asks for one.
    """

    __slots__ = (
        "_beat",
        "_buffer",
        "_client_id",
        "_client_id_bytes",
        "_closed",
        "_collected_bytes",
        "_corked",
        "_held",
        "_learning",
        "_listener",
        "_max_frame_bytes",
        "_node",
        "_outgoing",
        "_reading_paused",
        "_remembered",
        "_route",
        "_route_prefix",
        "_routes",
        "_traffic",
        "_transport",
        "_unmute_wake",
        "address",
        "advertised",
        "call",
        "channel",
        "closing",
        "door",
        "host",
        "last_used_ms",
        "newcomer",
        "principal",
        "sasl",
        "throttle",
        "unconfirmed_bytes",
        "used",
    )

    def __init__(self, door: Door) -> None:
        listener = door.listener
        # First what a heartbeat needs that is known already: side by side, in few cache lines.
        self.used = True
        """Set by traffic, cleared by the sweep for idle connections: cheaper than reading a clock for each request."""
        self.closing = False
        """No further request is taken."""
        self._held = 0
        """Why no request is taken though none is in work: bits, 0 for no reason."""
        self._beat: StandingBeat | None = None
        """Of the remembered request, where that is answered without being served."""
        self.call: Call | None = None
        """The one request in work."""
        self.throttle: Throttle | None = None
        """None as long as no quota bears upon requests."""
        self._traffic = listener.traffic
        self.channel: Channel | None = None
        """The transport, where it is one: compiled code calls it directly."""
        self._listener = listener
        self._node = listener.node
        self._routes = door.first_routes
        self._route: Route | None = None
        """Of the last request."""
        self._route_prefix: i32 = 0
        self._max_frame_bytes = door.first_frame_bytes
        self._transport: asyncio.Transport | None = None
        self._buffer = bytearray()
        self._outgoing: list[bytes] = []
        self._collected_bytes = 0
        self._corked = False
        """Replies are being collected for one write at the end of this burst."""
        self._closed = False
        """Nothing more can be sent."""
        self._reading_paused = False
        self._unmute_wake: Wake | None = None
        self._client_id: str | None = None
        self._client_id_bytes = b""
        self._remembered: Remembered | None = None
        """The last request of a kind that comes again and again."""
        self._learning: Learning | None = None
        """Of requests that come again with other numbers in them."""
        self.unconfirmed_bytes = 0
        """Produced through this connection and not durable yet."""
        self.last_used_ms = 0
        self.address = "an unknown address"
        self.host = "/unknown"
        self.principal = ANONYMOUS
        self.door = door
        """The listener through which the client came."""
        self.advertised = door.advertised
        """The address of this server, for clients of that listener."""
        self.newcomer: Newcomer | None = None
        """Its place among those who still have to show who they are."""
        self.sasl: SaslSession | None = None
        """Its way to a principal; None where nobody is asked for one."""

    # ---- what the loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport = cast(asyncio.Transport, transport)  # or a channel, or TLS: what has its methods
        self._transport = transport
        peername = transport.get_extra_info("peername")
        self.address = address_text(peername)
        self.host = java_host(peername)
        if not self._listener.admit(self):
            self.close()
            return
        transport.set_write_buffer_limits(high=WRITE_HIGH_WATER_BYTES)

    def data_received(self, data: bytes) -> None:
        self.used = True
        beat = self._beat
        if beat is not None and self.call is None and not self._held and not self.closing and self.throttle is None:
            answer = beat.answer(data)
            if answer is not None:
                self._traffic.requests += 1
                self._write(answer)
                return
        if not self._buffer and self.call is None and not self._held and not self.closing:
            length = len(data)
            if length > FRAME_SIZE_BYTES and read_i32_be(data, 0) == length - FRAME_SIZE_BYTES:
                if length - FRAME_SIZE_BYTES > self._max_frame_bytes:
                    self._refuse_frame_size(length - FRAME_SIZE_BYTES)
                    return
                # The common case: one whole frame, and nothing that it would have to wait for.
                self._corked = True
                try:
                    self._serve(data, FRAME_SIZE_BYTES)
                except Exception as fault:
                    self.fail(fault)
                self._corked = False
                self._send_collected()
                return
        if self.closing:
            return  # nothing more is taken, so nothing more is kept
        self._beat = None  # what comes next may be the rest of a frame, whatever it looks like
        self._buffer += data
        self._take_frames()

    def eof_received(self) -> bool:
        """The client will send no more: Kafka closes then, whatever is still in work."""
        self.closing = self._closed = True
        return False

    def pause_writing(self) -> None:
        self._held |= _CLIENT_DOES_NOT_READ

    def resume_writing(self) -> None:
        self._held &= ~_CLIENT_DOES_NOT_READ
        self._take_frames()

    def connection_lost(self, exc: Exception | None) -> None:
        self.closing = self._closed = True
        self._transport = self.channel = None
        self._learning = self._beat = None
        self._buffer = bytearray()
        self._listener.forget(self)
        if self._unmute_wake is not None:
            self._unmute_wake.cancel()
        if self.sasl is not None:
            self.sasl.end()
        if self.call is not None and self.call.abandon is not None:
            self.call.abandon()

    @property
    def is_gone(self) -> bool:
        return self._transport is None

    # ---- what a call does

    def finish(self, frame: bytes | None) -> None:
        """The request in work has its reply (or wants none): send it and let the next one begin."""
        self.call = None
        if self._closed:
            self._traffic.replies_dropped += 1
            return
        if frame is not None:
            self._outgoing.append(frame)
            self._collected_bytes += len(frame)
        if not self._corked:
            self._send_collected()
            if self.closing:
                self.close()
            elif self._buffer or self._reading_paused:
                # Not from here: whoever released this reply is still at work on its own outcome.
                asyncio.get_running_loop().call_soon(self._take_frames)
        elif self._collected_bytes > WRITE_HIGH_WATER_BYTES:
            self._send_collected()

    def guard(self, step: Callable[..., None], *arguments: object) -> None:
        """Run a step of serving this client. What goes wrong in it ends this connection and nothing else."""
        try:
            step(*arguments)
        except Exception as fault:
            self.fail(fault)

    def fail(self, fault: Exception) -> None:
        """A step of serving this client raised this."""
        if isinstance(fault, WireError):
            self.refuse(self._work_name(), str(fault))
            return
        self._traffic.handler_failures += 1
        _log.error("closing the connection from %s: serving %s failed", self.address, self._work_name(), exc_info=fault)
        self.close()

    def refuse(self, what: str, why: str) -> None:
        """Close because of what the client sent, with one line that says so (spec 2.1: no reply)."""
        self._traffic.refused_requests += 1
        self._listener.refusal_log.warning(
            "closing the connection from %s (client id %r): %s: %s",
            self.address,
            self._client_id and self._client_id[:LOGGED_TEXT_CHARS],
            what,
            why,
        )
        self.close()

    def mute(self, duration_ms: int) -> None:
        """Take no further request for so long (KIP-219)."""
        clock = self._node.clock
        self._held |= _MUTED
        if self._unmute_wake is not None:
            self._unmute_wake.cancel()
        self._unmute_wake = clock.wake_at(clock.ticks_ms() + duration_ms, self._unmute)

    @property
    def is_muted(self) -> bool:
        return bool(self._held & _MUTED)

    def _unmute(self) -> None:
        self._unmute_wake = None
        self._held &= ~_MUTED
        self._take_frames()

    def close_later(self, delay_ms: int) -> None:
        """Take no request, and close in a while: so that coming again at once does not help."""
        clock = self._node.clock
        self.closing = True
        self._unmute_wake = clock.wake_at(clock.ticks_ms() + delay_ms, self.abort)
        if self._transport is not None:
            self._reading_paused = True
            # Not now: asyncio's transport begins to read after this.
            asyncio.get_running_loop().call_soon(self._transport.pause_reading)

    def use_routes(self, routes: Routes, max_frame_bytes: int) -> None:
        """From the next request on only these are served. How authentication changes what a client may ask, at no cost a
        request."""
        self._routes = routes
        self._route = self._beat = None
        self._max_frame_bytes = max_frame_bytes

    def hand_over(self, protocol: asyncio.BaseProtocol) -> None:
        """What the client sends from now on is for somebody else, until `take_back`."""
        if self._transport is not None:
            self._transport.set_protocol(protocol)

    def take_back(self, data: bytes) -> None:
        """Serve again; `data` came meanwhile."""
        if self._transport is not None:
            self._transport.set_protocol(cast(asyncio.BaseProtocol, self))
            if data:
                self.data_received(data)

    def send_bare(self, data: bytes) -> None:
        """Bytes outside of any reply, while the connection is handed over."""
        if self._transport is not None and not self._closed:
            self._transport.write(data)

    # ---- closing

    def close_when_idle(self) -> None:
        """Take no further requests; close now unless a reply is still owed (graceful stop)."""
        self.closing = True
        if self.call is None:
            self.close()

    def part(self) -> None:
        """Take nothing more, and close when the client has had time to read what it was told."""
        self.closing = True
        if self._transport is not None:
            self._transport.pause_reading()
            asyncio.get_running_loop().call_later(FAREWELL_SECONDS, self.close)

    def abort(self) -> None:
        """Close without waiting for the client to read anything."""
        self.closing = self._closed = True
        if self._transport is not None:
            self._transport.abort()

    def close(self) -> None:
        """Send what has been written and close."""
        self.closing = True
        self._send_collected()
        self._closed = True
        if self._transport is not None:
            self._transport.close()

    # ---- requests

    def _take_frames(self) -> None:
        """Serve the whole frames in the buffer until one has to be waited for."""
        if self._closed or self._corked:
            return
        buffer = self._buffer
        position = 0
        self._corked = True
        while self.call is None and not self.closing and not self._held:
            body = position + FRAME_SIZE_BYTES
            if len(buffer) < body:
                break
            (size,) = _frame_size(buffer, position)
            if not 0 <= size <= self._max_frame_bytes:
                self._refuse_frame_size(size)
                break
            if len(buffer) < body + size:
                break
            position = body + size
            self.guard(self._serve, bytes(buffer[body:position]), 0)
        if position:
            del buffer[:position]
        self._corked = False
        self._send_collected()
        self._pause_or_resume_reading()

    def _serve(self, frame: bytes, position: int) -> None:
        """Read the header, then the body, then hand over. The frame ends where the bytes end."""
        if len(frame) < position + _PREFIX_BYTES:
            raise WireError(f"the frame ends after {len(frame) - position} bytes, inside its header")
        prefix = read_i32_be(frame, position)
        route = self._route
        if route is None or prefix != self._route_prefix:
            route = self._find_route(prefix)
        known = self._remembered
        is_repeated = known is not None and known.is_again(route, frame, position + _BEFORE_CLIENT)
        learning = self._learning
        again = learning.again if learning is not None else None
        is_known = again is not None and again.route is route and again.fits(frame, position + _BEFORE_CLIENT)
        if is_repeated:
            body = 0
        elif again is not None and is_known:
            body = position + _BEFORE_CLIENT + again.body_at
        else:
            body = self._read_header(frame, position, route)
        call = Call(self, route, read_i32_be(frame, position + _PREFIX_BYTES), self._client_id)
        self.call = call
        self._traffic.requests += 1
        throttle = self.throttle
        if throttle is not None:
            throttle.begin(len(frame))
        elif again is not None and is_known and again.serve(call, frame, position + _BEFORE_CLIENT):
            return
        request = known.request if known is not None and is_repeated else route.decode(frame, body)
        if route.repeats and not is_repeated and len(frame) - position <= REMEMBERED_REQUEST_BYTES:
            self._remembered = Remembered(route, frame[position + _BEFORE_CLIENT :], request)
        route.handle(call, request, self._node)
        if route.learn is not None:
            if learning is None:
                learning = self._learning = Learning()
            learning.learn(call, request, self._node, frame, position + _BEFORE_CLIENT, body)
        if throttle is not None:
            throttle.rest()
        elif known is not None and is_repeated and not self._buffer and len(self._outgoing) == 1:
            self._beat = known.expect(call, self._node, self._route_prefix, self._outgoing[0])

    def _find_route(self, prefix: int) -> Route:
        """Apart from the one before, which mostly serves again: a look-up by a number makes an object of it."""
        route = self._routes.prepared.get(prefix)
        if route is None:
            route = self._routes.find(prefix)
        self._route = route
        self._route_prefix = prefix
        return route

    def _read_header(self, frame: bytes, position: int, route: Route) -> int:
        """Where the body begins; the client id is kept from request to request."""
        if len(frame) < position + _BEFORE_CLIENT + 2:
            raise WireError(f"{route.name} v{route.version}: the frame ends inside its header")
        # Not an i16 when compiled: it is added to positions beyond 32 KiB.
        length: int = read_i16_be(frame, position + _BEFORE_CLIENT)
        position += _BEFORE_CLIENT + 2
        if length < 0:
            if self._client_id is not None:
                self._call_client(None, b"")
        else:
            end = position + length
            if end > len(frame):
                raise WireError(
                    f"{route.name} v{route.version}: client id of {length} bytes at position {position}"
                    f" in a frame of {len(frame)}"
                )
            raw = frame[position:end]
            if raw != self._client_id_bytes or self._client_id is None:
                self._call_client(raw.decode("utf-8", "replace"), raw)
            position = end
        return route.behind_tags(frame, position) if route.flexible_request else position

    def _call_client(self, client_id: str | None, raw: bytes) -> None:
        self._client_id = client_id
        self._client_id_bytes = raw
        self._remembered = None  # what is remembered was sent under the name before
        if self._learning is not None:
            self._learning.forget()

    def _refuse_frame_size(self, size: int) -> None:
        self.refuse("a frame", why_refused(size, self._max_frame_bytes, is_newcomer=self.newcomer is not None))

    def _work_name(self) -> str:
        return "a request" if self.call is None else repr(self.call)

    # ---- back pressure

    def _send_collected(self) -> None:
        outgoing = self._outgoing
        if outgoing and not self._closed:
            self._write(outgoing[0] if len(outgoing) == 1 else b"".join(outgoing))
            outgoing.clear()
            self._collected_bytes = 0

    def _write(self, data: bytes) -> None:
        channel = self.channel
        if channel is not None:
            channel.write(data)
        else:
            assert self._transport is not None
            self._transport.write(data)

    def _pause_or_resume_reading(self) -> None:
        """Bytes pile up only while a request is in work or the client does not read; then not beyond a limit."""
        transport = self._transport
        if transport is None or self.closing:
            return
        blocked = self.call is not None or bool(self._held)
        pause = blocked and len(self._buffer) > WAITING_BYTES_PER_CONNECTION
        if pause and not self._reading_paused:
            transport.pause_reading()
        elif self._reading_paused and not pause:
            transport.resume_reading()
        self._reading_paused = pause
