"""A client that sends exactly the bytes a test says, and reads replies with the client side of the codecs."""

from __future__ import annotations

import socket
from struct import pack, unpack
from types import TracebackType
from typing import Any, Self

from muster.wire.apis import API_KEYS, request_encoder, response_decoder
from muster.wire.header import decode_response_header, encode_request_header

PATIENCE_SECONDS = 60.0
"""For a reply that must come. Not waited out unless the test fails."""


def frame(payload: bytes) -> bytes:
    return pack(">i", len(payload)) + payload


def request_frame(
    api: str, version: int, message: object, correlation_id: int = 7, client_id: str | None = "raw"
) -> bytes:
    key = API_KEYS[api]
    return frame(
        encode_request_header(key, version, correlation_id, client_id) + request_encoder(key, version)(message)
    )


class RawClient:
    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        self.socket = socket.create_connection((host, port), timeout=PATIENCE_SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def ask(
        self, api: str, version: int, message: object, correlation_id: int = 7, client_id: str | None = "raw"
    ) -> Any:
        """Send one request and read its reply."""
        self.send(request_frame(api, version, message, correlation_id, client_id))
        return self.read(api, version, correlation_id)

    def read(self, api: str, version: int, correlation_id: int = 7) -> Any:
        """The next reply, which must be this one's."""
        reply = self.read_frame()
        key = API_KEYS[api]
        correlated, position = decode_response_header(key, version, reply)
        assert correlated == correlation_id
        return response_decoder(key, version)(reply, position)

    def read_frame(self) -> bytes:
        (size,) = unpack(">i", self._exactly(4))
        return self._exactly(size)

    def is_closed_by_server(self) -> bool:
        """True if the next thing that comes is the end of the connection. Waits for whatever comes."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def _exactly(self, count: int) -> bytes:
        received = bytearray()
        while len(received) < count:
            chunk = self.socket.recv(count - len(received))
            if not chunk:
                raise EOFError(f"closed after {len(received)} of {count} bytes")
            received += chunk
        return bytes(received)

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
