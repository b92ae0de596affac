"""The listening socket and everything connected through it: admission, idle connections, an orderly end.

Knows every connection of the server. Knows nothing of requests. Made by `serve.py` and by `running.py`.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from muster.server.connection import Connection
from muster.server.endpoint import Endpoint
from muster.server.limits import (
    IDLE_SWEEP_MAX_SECONDS,
    IDLE_SWEEP_MIN_SECONDS,
    IDLE_SWEEPS_PER_LIMIT,
    LISTEN_BACKLOG,
    STOP_FLUSH_SECONDS,
)
from muster.server.routes import Routes
from muster.server.settings import Settings
from muster.server.traffic import Traffic

_log = logging.getLogger("muster.listener")


class Listener:
    """Accepts connections and hands each its routes and the node."""

    def __init__(self, settings: Settings, routes: Routes) -> None:
        self.routes = routes
        self.node: Any = None
        """What handlers are given; set before `start`."""
        self.traffic = Traffic()
        self.max_frame_bytes = settings.integer("socket.request.max.bytes")
        self.connections: dict[Connection, None] = {}
        self._max_connections = settings.integer("max.connections")
        self._max_idle_ms = settings.integer("connections.max.idle.ms")
        self._server: asyncio.Server | None = None
        self._sweep: asyncio.TimerHandle | None = None
        self._all_gone: asyncio.Event = asyncio.Event()

    async def open(self, endpoint: Endpoint) -> Endpoint:
        """Listen; returns the address with the real port. OSError if the address cannot be had."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(
            lambda: Connection(self),
            endpoint.host or None,
            endpoint.port,
            backlog=LISTEN_BACKLOG,
            reuse_address=True,
            start_serving=False,
        )
        port = self._server.sockets[0].getsockname()[1]
        return Endpoint(endpoint.host, port)

    async def start(self) -> None:
        """Accept from now on. Apart from `open`, so that the node knows its port before the first client comes."""
        assert self._server is not None
        await self._server.start_serving()
        self._plan_sweep()

    # ---- what connections tell

    def admit(self, connection: Connection) -> bool:
        """Deviates: Kafka leaves connections over max.connections unaccepted; here they are accepted and closed."""
        self.connections[connection] = None
        self._all_gone.clear()
        if len(self.connections) > self._max_connections:
            self.traffic.connections_over_limit += 1
            _log.warning(
                "closing a new connection from %s: max.connections = %d", connection.address, self._max_connections
            )
            return False
        self.traffic.connections_accepted += 1
        return True

    def forget(self, connection: Connection) -> None:
        self.connections.pop(connection, None)
        if not self.connections:
            self._all_gone.set()

    # ---- idle connections

    def _plan_sweep(self) -> None:
        if self._max_idle_ms < 0:
            return
        seconds = self._max_idle_ms / 1000 / IDLE_SWEEPS_PER_LIMIT
        seconds = min(max(seconds, IDLE_SWEEP_MIN_SECONDS), IDLE_SWEEP_MAX_SECONDS)
        self._sweep = asyncio.get_running_loop().call_later(seconds, self._sweep_and_plan)

    def _sweep_and_plan(self) -> None:
        self.close_idle(int(asyncio.get_running_loop().time() * 1000))
        self._plan_sweep()

    def close_idle(self, now_ms: int) -> None:
        """One coarse look at all connections. `now_ms` is any clock that only moves forward.

        Deviates: a connection whose request is still in work is not idle, however long that takes; Kafka closes it.
        """
        for connection in tuple(self.connections):
            if connection.used or connection.call is not None:
                connection.used = False
                connection.last_used_ms = now_ms
            elif now_ms - connection.last_used_ms < self._max_idle_ms:
                continue
            elif connection.closing:
                connection.abort()  # it was told long ago, and still does not read its last reply
            else:
                self.traffic.idle_closed += 1
                _log.info("closing the connection from %s: idle for %d ms", connection.address, self._max_idle_ms)
                connection.close()

    # ---- the end

    def stop_accepting(self) -> None:
        """No new connections and no new requests; replies that are owed may still come."""
        if self._sweep is not None:
            self._sweep.cancel()
        if self._server is not None:
            self._server.close()
        for connection in tuple(self.connections):
            connection.close_when_idle()

    async def close(self) -> None:
        """Send what has been written, then close everything; who does not read in time is cut off."""
        self.stop_accepting()
        for connection in tuple(self.connections):
            connection.close()
        if self.connections:
            self._all_gone.clear()
            try:
                await asyncio.wait_for(self._all_gone.wait(), STOP_FLUSH_SECONDS)
            except TimeoutError:
                _log.warning("cutting off %d connections that do not read their last reply", len(self.connections))
                for connection in tuple(self.connections):
                    connection.abort()
