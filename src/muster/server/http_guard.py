"""What the metrics page and the test controls have in common: one HTTP request a connection, in bounded time and number.

Knows where a request begins to look unlike HTTP, and how long it may take. What is asked and answered is its subclasses'
business. Nobody is asked who they are here, so nobody may be able to hold anything for long: when there are too many
connections the oldest goes, as with clients that have not authenticated yet; first those whose request is not there.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Final

from muster.server.strayed_client import is_kafka_request, log_it, reply_to

MOST_CONNECTIONS: Final = 64
"""At a time, on one address. A scraper needs one."""
REQUEST_SECONDS: Final = 10.0
"""From connecting to the end of the request."""
SEND_SECONDS: Final = 10.0
"""For taking the answer."""
MAX_LINE_BYTES: Final = 4_096

_METHODS: Final = (b"GET", b"HEAD", b"POST", b"PUT", b"DELETE", b"OPTIONS", b"PATCH", b"TRACE", b"CONNECT")
_REQUEST_LINE: Final = re.compile(rb"[A-Z]+ [\x21-\xff]+ HTTP/1\.[01]\r")


class HttpPlaces:
    """The connections of one address, the oldest first."""

    def __init__(self) -> None:
        self._taken: dict[HttpConnection, None] = {}

    def __len__(self) -> int:
        return len(self._taken)

    def enter(self, connection: HttpConnection) -> None:
        if len(self._taken) >= MOST_CONNECTIONS:
            without_request = (each for each in self._taken if not each.is_read)
            next(without_request, next(iter(self._taken))).drop()
        self._taken[connection] = None

    def leave(self, connection: HttpConnection) -> None:
        self._taken.pop(connection, None)

    def drop_all(self) -> None:
        for connection in list(self._taken):
            connection.drop()


class HttpServer:
    """Listens on one address until it is closed."""

    def __init__(self, listening: asyncio.Server, places: HttpPlaces) -> None:
        self._listening = listening
        self._places = places

    @property
    def port(self) -> int:
        """The real one, where port 0 was asked for."""
        return int(self._listening.sockets[0].getsockname()[1])

    def close(self) -> None:
        self._listening.close()
        self._places.drop_all()


async def serve_http(host: str, port: int, connect: Callable[[HttpPlaces], HttpConnection]) -> HttpServer:
    """Listen on an address; `connect` makes what serves one connection. Port 0 picks a free one."""
    places = HttpPlaces()
    return HttpServer(await asyncio.get_running_loop().create_server(lambda: connect(places), host, port), places)


class HttpConnection(asyncio.Protocol):
    def __init__(self, places: HttpPlaces) -> None:
        self._places = places
        self._received = bytearray()
        self._transport: asyncio.Transport | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self.is_read = False
        """The request is there, or was refused: nothing more is looked at."""

    def serve(self, received: bytearray) -> None:
        """More of a request has come. Call `end_of_request` when it is whole, and `send` once; may be overridden alone."""
        raise NotImplementedError

    # ---- what the loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]
        self._deadline = asyncio.get_running_loop().call_later(REQUEST_SECONDS, self.drop)
        self._places.enter(self)

    def data_received(self, data: bytes) -> None:
        if self.is_read:
            return
        self._received += data
        if is_kafka_request(self._received):
            self._turn_away()
            return
        if not may_be_http(self._received):
            self.send("400 Bad Request", "text/plain", b"this port speaks HTTP\n")
            return
        self.serve(self._received)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self.is_read = True
        self._received.clear()
        self._cancel_deadline()
        self._places.leave(self)

    # ---- what subclasses call

    def end_of_request(self) -> None:
        """It is whole: from now on the answer takes as long as it takes."""
        self.is_read = True
        self._cancel_deadline()

    def send(self, status: str, content_type: str, body: bytes, *, with_body: bool = True) -> None:
        """The answer, and the end of the connection."""
        self.end_of_request()
        transport = self._transport
        if transport is None:
            return
        head = (
            f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        transport.write(head.encode() + (body if with_body else b""))
        transport.close()
        self._deadline = asyncio.get_running_loop().call_later(SEND_SECONDS, self.drop)

    def drop(self) -> None:
        """It took too long, or its place is needed."""
        self._places.leave(self)
        if self._transport is not None:
            self._transport.abort()

    def _turn_away(self) -> None:
        """Answer a Kafka client so that it gives up. It has until its deadline to go: closed on, it would try again."""
        transport = self._transport
        if transport is None:
            return
        log_it(transport.get_extra_info("peername"), transport.get_extra_info("sockname"))
        self.is_read = True
        reply = reply_to(self._received)
        if reply:
            transport.write(reply)
        else:
            transport.close()

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def may_be_http(received: bytes | bytearray) -> bool:
    """Whether this is, or may become, an HTTP request. A Kafka or TLS client is seen by its first byte."""
    line, has_end, _ = received[:MAX_LINE_BYTES].partition(b"\n")
    if has_end:
        return _REQUEST_LINE.fullmatch(line) is not None
    if len(line) == MAX_LINE_BYTES:
        return False
    word, has_space, _ = line.partition(b" ")
    return word in _METHODS if has_space else any(method.startswith(word) for method in _METHODS)
