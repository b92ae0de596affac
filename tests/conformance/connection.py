"""One client connection that sends whole frames, or damaged ones, and reads answers when it is told to.

Blocking sockets; asking whether an answer has come never waits. Called by the player.
"""

from __future__ import annotations

import select
import socket
import struct
from collections import deque
from dataclasses import dataclass
from typing import Any, Final

from tests.conformance import codec
from tools.codecs.schema import Api

REPLY_SECONDS: Final = 30
AT_A_TIME: Final = 200
"""Requests that are sent before their answers are read, where there are many."""
CLOSED: Final = "connection closed"


class NoAnswer(Exception):
    """An answer that should have come did not."""


@dataclass(frozen=True)
class Pending:
    """A request whose answer has not been read; `api` is None for raw bytes."""

    api: Api | None
    version: int
    correlation_id: int


class Connection:
    def __init__(self, host: str, port: int, client_id: str | None) -> None:
        self.client_id = client_id
        self._address = (host, port)
        self._socket: socket.socket | None = None
        self._next_correlation_id = 1
        self.pending: deque[Pending] = deque()

    def send(self, frame: bytes, pending: Pending, piecewise: bool = False) -> None:
        if self._socket is None:
            self._socket = socket.create_connection(self._address, REPLY_SECONDS)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.pending.append(pending)
        try:
            if not piecewise:
                self._socket.sendall(frame)
                return
            for at in range(len(frame)):
                self._socket.sendall(frame[at : at + 1])
        except OSError:
            pass  # the peer has closed; reading will say so

    def send_many(self, frame: bytes, times: int) -> None:
        """The same frame over and over, and its answers thrown away."""
        for left in range(times, 0, -AT_A_TIME):
            count = min(left, AT_A_TIME)
            self.send(frame * count, Pending(None, 0, 0))
            self.pending.clear()
            for _ in range(count):
                self._read_frame()

    def correlation_id(self) -> int:
        self._next_correlation_id += 1
        return self._next_correlation_id

    def has_answer(self) -> bool:
        if self._socket is None:
            return False
        readable, _, _ = select.select([self._socket], [], [], 0)
        return bool(readable)

    def take(self) -> Any:
        """The answer to the oldest request: a tree, or `CLOSED`."""
        if not self.pending:
            raise NoAnswer("no request of this connection is waiting for an answer")
        asked = self.pending.popleft()
        try:
            frame = self._read_frame()
        except TimeoutError:
            name = asked.api.name if asked.api else "raw bytes"
            raise NoAnswer(f"no answer to {name} within {REPLY_SECONDS} s") from None
        except (ConnectionError, EOFError):
            self.close()
            return CLOSED
        return _read(frame, asked)

    def ask(self, api: Api, version: int, body: codec.Tree) -> Any:
        """An undamaged request and its answer."""
        number = self.correlation_id()
        tags = b"\0" if codec.is_flexible(api, version) else None
        header = codec.request_header(api.key, version, number, self.client_id, tags)
        payload = header + codec.encode_request(api, version, body)
        self.send(struct.pack(">i", len(payload)) + payload, Pending(api, version, number))
        return self.take()

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = None
        self.pending.clear()

    def _read_frame(self) -> bytes:
        (size,) = struct.unpack(">i", self._read_exactly(4))
        return self._read_exactly(size)

    def _read_exactly(self, size: int) -> bytes:
        assert self._socket is not None
        parts = bytearray()
        while len(parts) < size:
            piece = self._socket.recv(size - len(parts))
            if not piece:
                raise EOFError
            parts += piece
        return bytes(parts)


def _read(frame: bytes, asked: Pending) -> Any:
    (number,) = struct.unpack_from(">i", frame)
    if asked.api is None:
        return {"raw": frame[4:].hex()}
    if number != asked.correlation_id:
        return {"wrong_correlation_id": number - asked.correlation_id}
    position = 4
    if codec.has_flexible_response_header(asked.api, asked.version):
        if frame[4]:
            return {"header_with_tags": frame.hex()}
        position = 5
    try:
        return codec.decode_response(asked.api, asked.version, frame, position)
    except (IndexError, ValueError, struct.error) as error:
        return {"unreadable": f"{type(error).__name__}: {error}", "frame": frame.hex()}
