"""One client's TCP connection: frames in, one request in work at a time, replies out in order.

Knows when a request is taken, back pressure and what closes a connection (spec 2.1). Frames that have to wait are in its
`Backlog`; what is in a frame is read by its `Intake`.
Here and in `Call.redeem` stands the server's `except Exception` (design law 5): a fault while serving ends this connection
and no other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, cast

from librt.strings import read_i32_be

from muster.server.backlog import Backlog
from muster.server.frame_size import why_refused
from muster.server.intake.intake import Intake
from muster.server.limits import FAREWELL_SECONDS, FRAME_SIZE_BYTES, LOGGED_TEXT_CHARS, WRITE_HIGH_WATER_BYTES
from muster.server.peer import address_text, java_host
from muster.wire.errors import TextTooLong, WireError

if TYPE_CHECKING:
    from muster.runtime.clock import Wake
    from muster.server.call import Call
    from muster.server.channel import Channel
    from muster.server.door import Door
    from muster.server.intake.repeated_request import RepeatedRequest
    from muster.server.newcomers import Newcomer
    from muster.server.routes import Routes
    from muster.server.sasl_session import SaslSession
    from muster.server.throttle import Throttle

ANONYMOUS = "User:ANONYMOUS"

_CLIENT_DOES_NOT_READ: Final = 1
_MUTED: Final = 2


class Connection:
    """The loop calls the asyncio.Protocol methods; `Call` calls `finish`, `guard`, `fail` and `refuse`.

    No subclass of asyncio.Protocol, because a class with an interpreted base cannot be compiled. No loop asks for one.
    """

    __slots__ = (
        "_backlog",
        "_closed",
        "_collected_bytes",
        "_corked",
        "_held",
        "_intake",
        "_is_paused",
        "_listener",
        "_max_frame_bytes",
        "_outgoing",
        "_traffic",
        "_transport",
        "_unmute_wake",
        "_work_bytes",
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
        "repeated",
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
        self.repeated: RepeatedRequest | None = None
        """What the client repeats, the first of a chain: one request for each API of which one was learned."""
        self.call: Call | None = None
        """The one request in work."""
        self.throttle: Throttle | None = None
        """None as long as no quota bears upon requests."""
        self._traffic = listener.traffic
        self.channel: Channel | None = None
        """The transport, where it is one: compiled code calls it directly."""
        self._listener = listener
        self._intake = Intake(door.first_routes, listener.node, listener.traffic, listener.max_entries)
        self._max_frame_bytes = door.first_frame_bytes
        self._transport: asyncio.Transport | None = None
        self._backlog: Backlog | None = None
        """What waits to be served, if anything does."""
        self._outgoing: list[bytes] = []
        self._collected_bytes = 0
        self._corked = False
        """Replies are being collected for one write at the end of this burst."""
        self._closed = False
        """Nothing more can be sent."""
        self._unmute_wake: Wake | None = None
        self._is_paused = False
        """Nothing is read because of what somebody else holds for it; see `hold`."""
        self._work_bytes = 0
        """Size of the request in work, where it came in parts: it counts for the budget until it is answered."""
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
        if self._backlog is None and self.call is None and not self._held and not self.closing:
            length = len(data)
            if length > FRAME_SIZE_BYTES and read_i32_be(data, 0) == length - FRAME_SIZE_BYTES:
                if length - FRAME_SIZE_BYTES > self._max_frame_bytes:
                    self._refuse_frame_size(length - FRAME_SIZE_BYTES)
                    return
                # The common case: one whole frame, and nothing that it would have to wait for.
                if self._serve_repeated(data, FRAME_SIZE_BYTES):
                    return
                self._corked = True
                self._serve(data, FRAME_SIZE_BYTES)
                self._corked = False
                self._send_collected()
                return
        if self.closing:
            return  # nothing more is taken, so nothing more is kept
        if self._backlog is None:
            self._backlog = Backlog()
        try:
            self._backlog.add(data)
        except MemoryError as fault:
            self.fail(fault)
            return
        self._take_frames()

    def eof_received(self) -> bool:
        """The client will send no more: Kafka closes then, whatever is still in work."""
        self.closing = self._closed = True
        return False

    def pause_writing(self) -> None:
        self._held |= _CLIENT_DOES_NOT_READ

    def resume_writing(self) -> None:
        self._held &= ~_CLIENT_DOES_NOT_READ
        self.guard(self._take_frames)

    def connection_lost(self, exc: Exception | None) -> None:
        self.closing = self._closed = True
        self._transport = self.channel = None
        self.repeated = None
        self._intake.forget_repeats()
        self._listener.forget(self)
        self._let_go()
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
        """The request has its reply (or wants none): send it and let the next one begin."""
        self.call = None
        if self._work_bytes:
            self._work_bytes = 0
            if not self._corked:
                self._hold(0 if self._backlog is None else len(self._backlog))
        if self._closed:
            self._traffic.replies_dropped += 1
            return
        if not self._corked:
            if frame is not None:
                self._write(frame)
            if self.closing:
                self.close()
            elif self._backlog is not None:
                # Not from here: whoever released this reply is still at work on its own outcome.
                asyncio.get_running_loop().call_soon(self.guard, self._take_frames)
        elif frame is not None:
            self._outgoing.append(frame)
            self._collected_bytes += len(frame)
            if self._collected_bytes > WRITE_HIGH_WATER_BYTES:
                self._send_collected()

    def guard(self, step: Callable[..., None], *arguments: object) -> None:
        """Run a step of serving this client. What goes wrong in it ends this connection and nothing else."""
        try:
            step(*arguments)
        except Exception as fault:
            self.fail(fault)

    def fail(self, fault: Exception) -> None:
        """A step of serving this client raised this."""
        if self.call is not None:
            self.call.outlives_client = False  # nothing goes on with it
        if isinstance(fault, WireError | TextTooLong):
            self.refuse(self._work_name(), str(fault))
            return
        self._traffic.handler_failures += 1
        self._listener.failure_log.error(
            "closing the connection from %s: serving %s failed", self.address, self._work_name(), exc_info=fault
        )
        if isinstance(fault, MemoryError):
            self._listener.request_budget.lower()
            self.abort()  # what it holds is needed
        else:
            self.close()

    def refuse(self, what: str, why: str) -> None:
        """Close because of what the client sent, with one line that says so (spec 2.1: no reply)."""
        self._traffic.refused_requests += 1
        client_id = self._intake.client_id
        self._listener.refusal_log.warning(
            "closing the connection from %s (client id %r): %s: %s",
            self.address,
            client_id and client_id[:LOGGED_TEXT_CHARS],
            what,
            why,
        )
        self.close()

    def mute(self, duration_ms: int) -> None:
        """Take no further request for so long (KIP-219)."""
        clock = self._listener.node.clock
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
        self.guard(self._take_frames)

    def close_later(self, delay_ms: int) -> None:
        """Take no request, and close in a while: so that coming again at once does not help."""
        clock = self._listener.node.clock
        self.closing = True
        self._unmute_wake = clock.wake_at(clock.ticks_ms() + delay_ms, self.abort)
        if self._transport is not None:
            # Not now: asyncio's transport begins to read after this.
            asyncio.get_running_loop().call_soon(self._transport.pause_reading)

    def use_routes(self, routes: Routes, max_frame_bytes: int) -> None:
        """From the next request on only these are served. How authentication changes what a client may ask, at no cost a
        request."""
        self.repeated = None
        self._intake.use_routes(routes)
        self._max_frame_bytes = max_frame_bytes

    def hand_over(self, protocol: asyncio.BaseProtocol) -> None:
        """What the client sends from now on is for somebody else, until `take_back`."""
        if self._transport is not None:
            self._transport.set_protocol(protocol)

    def take_back(self, data: bytes) -> None:
        """Serve again; `data` came meanwhile."""
        if self._transport is not None:
            self._transport.set_protocol(cast(asyncio.BaseProtocol, self))
            self.read_on()
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
        self._let_go()

    def close(self) -> None:
        """Send what has been written and close."""
        self.closing = True
        self._send_collected()
        self._closed = True
        self._let_go()  # now: the client may take long to read its last reply
        if self._transport is not None:
            self._transport.close()

    def _let_go(self) -> None:
        """Nothing more is served, so nothing more is held for it: a request that was refused in work is never finished."""
        self._backlog = None
        call = self.call
        if call is None or call.answered or not call.outlives_client:
            self._work_bytes = 0
        self._hold(0)

    # ---- requests

    def _take_frames(self) -> None:
        """Serve the whole frames of the backlog until one has to be waited for."""
        backlog = self._backlog
        if backlog is None or self._closed or self._corked:
            return
        self._corked = True
        while self.call is None and not self.closing and not self._held:
            size = backlog.next_size()
            if size is None:
                break
            if not 0 <= size <= self._max_frame_bytes:
                self._refuse_frame_size(size)
                break
            if size > self._listener.max_other_bytes and not backlog.next_is_produce():
                limit = self._listener.max_other_bytes
                self.refuse("a frame", f"size {size} is more than muster.request.max.bytes = {limit}, and no Produce")
                break
            frame = backlog.take(size)
            if frame is None:
                break
            self._work_bytes = size
            if not self._serve_repeated(frame, 0):
                self._serve(frame, 0)
        if self.call is None:
            self._work_bytes = 0
        backlog.drop_taken()
        self._corked = False
        self._send_collected()
        if self._transport is not None and not self.closing:
            self.read_on()
            if not backlog and not backlog.is_held_back:
                self._backlog = None

    def limit_receive(self, size: int) -> None:
        """Take no more than this at once from the client; without effect on asyncio's own transports."""
        limit = getattr(self._transport, "limit_receive", None)
        if limit is not None:
            limit(size)

    def read_on(self) -> None:
        """Read more from the client, or not, by what is held for it and for all."""
        backlog = self._backlog
        if self._transport is None or self.closing:
            return
        if self._is_paused:
            self._is_paused = False
            self._transport.resume_reading()
        if backlog is not None:
            may_read = self._hold(len(backlog))
            is_blocked = self.call is not None or bool(self._held)
            backlog.hold_back(self._transport, is_blocked=is_blocked, may_read=may_read)

    def hold(self, size: int) -> None:
        """Somebody else holds so much of what the client sent, while the connection is handed over."""
        if self._transport is not None and not self._hold(size):
            self._is_paused = True
            self._transport.pause_reading()

    def _hold(self, waiting_bytes: int) -> bool:
        """False: over the budget, so nothing more may be read for now."""
        listener = self._listener
        budget = listener.request_budget if self.newcomer is None else listener.newcomer_budget
        return budget.hold(self, waiting_bytes + self._work_bytes)

    def _serve_repeated(self, frame: bytes, position: int) -> bool:
        """False: it is no request that the client repeats, or it has to be read as a whole all the same."""
        repeated = self.repeated
        if self.throttle is not None:
            return False  # what it counts and says is worked out for each request anew
        try:
            while repeated is not None:
                if repeated.matches(frame, position):
                    if not repeated.serve(self, frame, position):
                        return False
                    self._traffic.requests += 1
                    return True
                repeated = repeated.next
        except Exception as fault:
            self.fail(fault)
            return True
        return False

    def _serve(self, frame: bytes, position: int) -> None:
        """The frame's request begins at `position`."""
        try:
            self._intake.serve(self, frame, position)
        except Exception as fault:
            self.fail(fault)

    def _refuse_frame_size(self, size: int) -> None:
        self.refuse("a frame", why_refused(size, self._max_frame_bytes, is_newcomer=self.newcomer is not None))

    def _work_name(self) -> str:
        return "a request" if self.call is None else repr(self.call)

    # ---- replies

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
