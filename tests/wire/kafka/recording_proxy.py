"""A proxy between clients and a broker that keeps every request and response body of the APIs it is asked to watch.

Threads and blocking sockets: it serves a script that records a real Kafka, never a test. Knows headers, not bodies.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Collection
from contextlib import suppress
from threading import Lock, Thread
from typing import NamedTuple, TypeAlias

from muster.wire.apis import APIS
from muster.wire.header import decode_response_header

Asked: TypeAlias = dict[int, tuple[str, int, int]]
"""Correlation id -> client, API key and version of a request on one connection that has no response yet."""

_REQUEST_START = struct.Struct(">hhih")


class Body(NamedTuple):
    """What went over the wire behind the header. `client` is the client id of the connection's request."""

    client: str
    api: str
    version: int
    direction: str
    body: str
    """In hex."""


class RecordingProxy:
    """Listens from the start; connections are passed on from `forward_to` on."""

    def __init__(self, watched: Collection[int]) -> None:
        self.bodies: list[Body] = []
        self._watched = frozenset(watched)
        self._lock = Lock()
        self._target: tuple[str, int] | None = None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]

    def forward_to(self, host: str, port: int) -> None:
        """Again after the broker was started again on another port."""
        first = self._target is None
        self._target = (host, port)
        if first:
            Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            assert self._target is not None
            try:
                broker = socket.create_connection(self._target)
            except OSError:  # it is being started again
                client.close()
                continue
            asked: Asked = {}
            Thread(target=self._pump, args=(client, broker, asked, self._note_request), daemon=True).start()
            Thread(target=self._pump, args=(broker, client, asked, self._note_response), daemon=True).start()

    def _pump(
        self, source: socket.socket, sink: socket.socket, asked: Asked, note: Callable[[bytes, Asked], None]
    ) -> None:
        try:
            while frame := _read_frame(source):
                note(frame, asked)
                sink.sendall(struct.pack(">i", len(frame)) + frame)
        except OSError:
            pass
        finally:
            for each in (source, sink):
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)

    def _note_request(self, frame: bytes, asked: Asked) -> None:
        key, version, correlation_id, length = _REQUEST_START.unpack_from(frame)
        if key not in self._watched:
            return
        position = _REQUEST_START.size + max(length, 0)
        client = frame[_REQUEST_START.size : position].decode()
        if APIS[key].is_flexible(version):
            assert frame[position] == 0, "a request header with tagged fields"
            position += 1
        asked[correlation_id] = client, key, version
        self._keep(Body(client, APIS[key].name, version, "request", frame[position:].hex()))

    def _note_response(self, frame: bytes, asked: Asked) -> None:
        (correlation_id,) = struct.unpack_from(">i", frame)
        if correlation_id in asked:
            client, key, version = asked.pop(correlation_id)
            _, position = decode_response_header(key, version, frame)
            self._keep(Body(client, APIS[key].name, version, "response", frame[position:].hex()))

    def _keep(self, body: Body) -> None:
        with self._lock:
            self.bodies.append(body)


def _read_frame(source: socket.socket) -> bytes:
    """Empty at the end of the connection."""
    head = _read(source, 4)
    return _read(source, struct.unpack(">i", head)[0]) if head else b""


def _read(source: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        piece = source.recv(size - len(parts))
        if not piece:
            return b""
        parts += piece
    return bytes(parts)
