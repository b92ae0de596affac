"""Connections that mean no good: some say nothing, some a byte a second, some stop in the middle of a request and vanish."""

from __future__ import annotations

import asyncio
import socket
import struct

from bench.raw_client import framed
from muster.wire.generated.api_versions import ApiVersionsRequest

_REQUEST = framed("ApiVersions", 0, ApiVersionsRequest())
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class RudeClients:
    def __init__(self, port: int, of_each_kind: int, drip_seconds: float = 1.0, vanish_seconds: float = 0.5) -> None:
        self._port = port
        self._drip_seconds = drip_seconds
        self._vanish_seconds = vanish_seconds
        self._tasks = [
            asyncio.create_task(kind())
            for kind in (self._silent, self._dripping, self._vanishing)
            for _ in range(of_each_kind)
        ]
        self.bytes_dripped = 0
        self.vanished = 0

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        failures = [task.exception() for task in self._tasks if not task.cancelled()]
        assert not failures, f"a rude client ended by itself: {failures[0]!r}"

    async def _silent(self) -> None:
        with await self._connect():
            await asyncio.Event().wait()

    async def _dripping(self) -> None:
        """A request that takes for ever to arrive; then the next."""
        loop = asyncio.get_running_loop()
        with await self._connect() as connection:
            while True:
                for byte in _REQUEST:
                    await loop.sock_sendall(connection, bytes([byte]))
                    self.bytes_dripped += 1
                    await asyncio.sleep(self._drip_seconds)

    async def _vanishing(self) -> None:
        """Half a request, then the connection is reset; again and again."""
        loop = asyncio.get_running_loop()
        while True:
            with await self._connect() as connection:
                await loop.sock_sendall(connection, _REQUEST + _REQUEST[: len(_REQUEST) // 2])
                await asyncio.sleep(self._vanish_seconds)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
            self.vanished += 1

    async def _connect(self) -> socket.socket:
        connection = socket.socket()
        connection.setblocking(False)
        await asyncio.get_running_loop().sock_connect(connection, ("127.0.0.1", self._port))
        return connection
