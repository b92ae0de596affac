"""A raw client for load: many connections in one process, frames made beforehand where they can be.

Not a client for anybody's programs: it speaks only the versions that the measurements use.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from muster.wire.apis import API_KEYS, request_encoder, response_decoder
from muster.wire.header import decode_response_header, encode_request_header


class RawConnection(asyncio.Protocol):
    """One request after the other; replies in order."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._buffer = b""
        self._waiting: deque[asyncio.Future[bytes]] = deque()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while len(self._buffer) >= 4:
            end = 4 + int.from_bytes(self._buffer[:4], "big")
            if len(self._buffer) < end:
                return
            frame, self._buffer = self._buffer[4:end], self._buffer[end:]
            self._waiting.popleft().set_result(frame)

    def connection_lost(self, exc: Exception | None) -> None:
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_exception(ConnectionError("the server closed the connection"))

    def send(self, frame: bytes) -> asyncio.Future[bytes]:
        assert self._transport is not None
        waiting: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        self._transport.write(frame)
        return waiting

    async def ask(self, name: str, version: int, request: Any) -> Any:
        return decoded(name, version, await self.send(framed(name, version, request)))

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()


def framed(name: str, version: int, request: Any, client_id: str = "bench") -> bytes:
    key = API_KEYS[name]
    message = encode_request_header(key, version, 1, client_id) + request_encoder(key, version)(request)
    return len(message).to_bytes(4, "big") + message


def decoded(name: str, version: int, frame: bytes) -> Any:
    key = API_KEYS[name]
    _, position = decode_response_header(key, version, frame)
    return response_decoder(key, version)(frame, position)


async def connect(host: str, port: int) -> RawConnection:
    _, protocol = await asyncio.get_running_loop().create_connection(RawConnection, host, port)
    return protocol
