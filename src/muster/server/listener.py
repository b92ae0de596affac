"""The listening sockets and everything connected through them: admission, idle connections, an orderly end.

Knows every connection of the server and the doors they came through. Knows nothing of requests. Made by `serve.py` and by
`running.py`.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

from muster.server.connection import Connection
from muster.server.door import Door
from muster.server.limits import (
    IDLE_SWEEP_MAX_SECONDS,
    IDLE_SWEEP_MIN_SECONDS,
    IDLE_SWEEPS_PER_LIMIT,
    STOP_FLUSH_SECONDS,
)
from muster.server.log_limit import LogLimit
from muster.server.newcomers import Newcomers
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
        self.newcomers = Newcomers(
            settings.integer("muster.authentication.timeout.ms"),
            settings.integer("muster.authentication.max.per.address"),
            settings.integer("muster.authentication.max"),
            self.traffic,
        )
        self.authentication_log = LogLimit(
            logging.getLogger("muster.sasl"), "authentications that failed", time.monotonic
        )
        self.tls_log = LogLimit(logging.getLogger("muster.tls"), "TLS connections that failed", time.monotonic)
        self.doors = tuple(Door(self, address) for address in settings.listeners)
        self._settings = settings
        self._unproven = 0
        """Connections that are newcomers still: they do not count for max.connections."""
        self._max_connections = settings.integer("max.connections")
        self._max_idle_ms = settings.integer("connections.max.idle.ms")
        self._watch_seconds = settings.integer("muster.ssl.watch.interval.ms") / 1000
        self._sweep: asyncio.TimerHandle | None = None
        self._watch: asyncio.TimerHandle | None = None
        self._all_gone: asyncio.Event = asyncio.Event()

    def prepare(self) -> None:
        """Read certificates and keys. ConfigError if they cannot be used."""
        for door in self.doors:
            door.prepare(self._settings)

    async def start(self) -> None:
        """Accept from now on. Apart from opening the doors, so that the node knows its port before the first client comes."""
        for door in self.doors:
            await door.start()
        self._plan_sweep()
        self._plan_watch()

    # ---- what connections tell

    def admit(self, connection: Connection) -> bool:
        self.connections[connection] = None
        self._all_gone.clear()
        gateway = connection.door.sasl
        if gateway is None:
            return self._has_room(connection)
        from muster.server.sasl_session import SaslSession

        if connection.newcomer is None:  # with TLS it has been one since its handshake
            connection.newcomer = self.newcomers.enter(connection.host, connection.abort)
        self._unproven += 1
        connection.sasl = SaslSession(connection, gateway)
        return True

    def prove(self, connection: Connection) -> bool:
        """A newcomer has shown who it is; False if there is no room for it."""
        self._end_newcomer(connection)
        return self._has_room(connection)

    def forget(self, connection: Connection) -> None:
        self.connections.pop(connection, None)
        self._end_newcomer(connection)
        if not self.connections:
            self._all_gone.set()

    def _end_newcomer(self, connection: Connection) -> None:
        newcomer, connection.newcomer = connection.newcomer, None
        if newcomer is not None:
            self._unproven -= 1
            newcomer.leave()

    def _has_room(self, connection: Connection) -> bool:
        """Deviates: Kafka leaves connections over max.connections unaccepted; here they are accepted and closed."""
        if len(self.connections) - self._unproven > self._max_connections:
            self.traffic.connections_over_limit += 1
            _log.warning(
                "closing a new connection from %s: max.connections = %d", connection.address, self._max_connections
            )
            return False
        self.traffic.connections_accepted += 1
        return True

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

    # ---- files of certificates and keys

    def refresh(self, *, even_if_unchanged: bool = False) -> None:
        """Take new certificates and keys for connections that come from now on."""
        for door in self.doors:
            door.refresh(even_if_unchanged=even_if_unchanged)

    def _plan_watch(self) -> None:
        if self._watch_seconds and any(door.has_files for door in self.doors):
            self._watch = asyncio.get_running_loop().call_later(self._watch_seconds, self._look_at_files)

    def _look_at_files(self) -> None:
        self.refresh()
        self._plan_watch()

    # ---- the end

    def stop_accepting(self) -> None:
        """No new connections and no new requests; replies that are owed may still come."""
        for timer in (self._sweep, self._watch):
            if timer is not None:
                timer.cancel()
        for door in self.doors:
            door.close()
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
        self.newcomers.end_all()
