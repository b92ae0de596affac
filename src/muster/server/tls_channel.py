"""TLS on one connection: what the socket brings becomes plain bytes for a `Connection`, and its replies become TLS records.

Stands between the loop's transport and the connection, and looks like a transport to it. Does TLS in memory (ssl.MemoryBIO)
rather than by the loop, so that a client in its handshake is seen, counted and timed, and has no connection yet.
"""

from __future__ import annotations

import asyncio
import ssl
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, cast

from muster.security.certificate import CertificateError, subject_text
from muster.security.principal_rules import MappingError
from muster.server.connection import Connection
from muster.server.door import Door
from muster.server.newcomers import Newcomer
from muster.server.peer import address_text, java_host

if TYPE_CHECKING:
    from muster.runtime.clock import Wake

_READ_BYTES: Final = 256 * 1024
_NOT_TLS: Final = frozenset({"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "PACKET_LENGTH_TOO_LONG", "RECORD_LAYER_FAILURE"})
"""What OpenSSL calls it when a client speaks Kafka, or HTTP, where a handshake should begin."""


class TlsChannel(asyncio.Protocol):
    """The loop calls the asyncio.Protocol methods, the connection those of a transport."""

    __slots__ = (
        "_closed",
        "_door",
        "_host",
        "_incoming",
        "_newcomer",
        "_outgoing",
        "_peer",
        "_protocol",
        "_tls",
        "_transport",
        "_wait",
    )

    def __init__(self, door: Door) -> None:
        assert door.tls is not None
        self._door = door
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._tls = door.tls.context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._transport: asyncio.Transport | None = None
        self._protocol: asyncio.Protocol | None = None
        """Whom the plain bytes are for; None during the handshake."""
        self._newcomer: Newcomer | None = None
        self._peer = "an unknown address"
        self._host = "/unknown"
        self._wait: Wake | None = None
        """Set while it has to wait before its handshake, or before it is closed."""
        self._closed = False

    # ---- what the loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        peername = transport.get_extra_info("peername")
        self._peer = address_text(peername)
        self._host = java_host(peername)
        listener = self._door.listener
        verdict = listener.arrive(self._door, self._host, self._peer)
        if not verdict.may_stay and not verdict.wait_ms:
            self.abort()
            return
        if verdict.wait_ms:
            clock = listener.node.clock
            then = self._end_wait if verdict.may_stay else self.abort
            self._wait = clock.wake_at(clock.ticks_ms() + verdict.wait_ms, then)
        self._newcomer = listener.newcomers.enter(self._host, self.abort)

    def data_received(self, data: bytes) -> None:
        if self._closed:
            return
        self._incoming.write(data)
        if self._wait is not None:
            self.pause_reading()
            return
        self._go_on()

    def _end_wait(self) -> None:
        self._wait = None
        if not self._closed:
            self.resume_reading()
            self._go_on()

    def _go_on(self) -> None:
        if self._protocol is None:
            self._shake_hands()
        if self._protocol is not None:
            self._read()

    def eof_received(self) -> bool:
        if self._protocol is not None:
            self._protocol.eof_received()
        return False

    def pause_writing(self) -> None:
        if self._protocol is not None:
            self._protocol.pause_writing()

    def resume_writing(self) -> None:
        if self._protocol is not None:
            self._protocol.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._closed = True
        if self._wait is not None:
            self._wait.cancel()
        self._door.listener.admission.leave(self._host)
        self._leave()
        protocol, self._protocol = self._protocol, None
        if protocol is not None:
            protocol.connection_lost(exc)

    # ---- the handshake

    def _shake_hands(self) -> None:
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            self._flush()
            return
        except (ssl.SSLError, ValueError) as error:
            self._flush()  # the alert, which tells the client why
            self._fail(_words(error))
            return
        self._flush()
        try:
            principal = self._principal()
        except (CertificateError, MappingError) as error:
            self._fail(f"the client's certificate: {error}")
            return
        self._begin(principal)

    def _begin(self, principal: str | None) -> None:
        connection = Connection(self._door)
        if principal is not None:
            connection.principal = principal
        if self._door.sasl is not None:
            connection.newcomer, self._newcomer = self._newcomer, None
        self._leave()
        self._protocol = cast(asyncio.Protocol, connection)
        connection.connection_made(cast(asyncio.Transport, self))

    def _principal(self) -> str | None:
        """Of a client that has shown a certificate, which OpenSSL has verified."""
        der = self._tls.getpeercert(True)
        if der is None or self._door.principal_rules is None:
            return None
        return f"User:{self._door.principal_rules.name_of(subject_text(der))}"

    def _fail(self, why: str) -> None:
        listener = self._door.listener
        listener.traffic.tls_failures += 1
        listener.tls_log.warning(
            "closing the connection from %s to listener %s: %s", self._peer, self._door.address.name, why
        )
        self._closed = True
        self._leave()
        assert self._transport is not None
        self._transport.close()

    def _leave(self) -> None:
        newcomer, self._newcomer = self._newcomer, None
        if newcomer is not None:
            newcomer.leave()

    # ---- plain bytes

    def _read(self) -> None:
        tls, incoming = self._tls, self._incoming
        parts: list[bytes] = []
        ended = False
        try:
            # Mostly one record holds one request, and then no second, failing read is needed.
            while not ended and (incoming.pending or tls.pending() or not parts):
                part = tls.read(_READ_BYTES)
                parts.append(part)
                ended = not part
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLZeroReturnError:
            ended = True
        except ssl.SSLError as error:
            self._fail(_words(error))
            return
        if self._outgoing.pending:
            self._flush()
        data = parts[0] if len(parts) == 1 else b"".join(parts)
        if data and self._protocol is not None:
            self._protocol.data_received(data)
        if ended:
            self.eof_received()
            self.close()

    def _flush(self) -> None:
        data = self._outgoing.read()
        if data and self._transport is not None:
            self._transport.write(data)

    # ---- what the connection sees as its transport

    def write(self, data: bytes) -> None:
        if self._closed:
            return
        tls = self._tls
        try:
            written = tls.write(data)
            while written < len(data):
                written += tls.write(memoryview(data)[written:])
        except ssl.SSLError as error:
            self._fail(_words(error))
            return
        assert self._transport is not None
        self._transport.write(self._outgoing.read())

    def close(self) -> None:
        if self._closed or self._transport is None:
            return
        self._closed = True
        with suppress(ssl.SSLError):
            self._tls.unwrap()  # writes its farewell, then complains that the client's has not come
        self._flush()
        self._transport.close()

    def abort(self) -> None:
        self._closed = True
        if self._transport is not None:
            self._transport.abort()

    def pause_reading(self) -> None:
        if self._transport is not None:
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        if self._transport is not None and not self._closed:
            self._transport.resume_reading()

    def limit_receive(self, size: int) -> None:
        limit = getattr(self._transport, "limit_receive", None)
        if limit is not None:
            limit(size)

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        assert self._transport is not None
        self._transport.set_write_buffer_limits(high, low)

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self._protocol = cast(asyncio.Protocol, protocol)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return default if self._transport is None else self._transport.get_extra_info(name, default)


def _words(error: Exception) -> str:
    reason = getattr(error, "reason", None) or type(error).__name__
    if reason in _NOT_TLS:
        return f"it does not speak TLS ({reason})"
    return f"TLS failed: {reason.replace('_', ' ').lower()}"
