"""The listening sockets and everything connected through them: admission, idle connections, an orderly end.

Knows every connection of the server and the doors they came through. Knows nothing of requests. Made by `serve.py` and by
`running.py`.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Any, Final

from muster.log_limit import LogLimit, tell_what_is_over
from muster.security.guess_delays import GuessDelays
from muster.server.admission import Admission, Verdict
from muster.server.connection import ANONYMOUS, Connection
from muster.server.connection_limits import ConnectionLimits
from muster.server.door import Door
from muster.server.limits import (
    IDLE_SWEEP_MAX_SECONDS,
    IDLE_SWEEP_MIN_SECONDS,
    IDLE_SWEEPS_PER_LIMIT,
    RECEIVED_AT_ONCE_BYTES,
    STOP_FLUSH_SECONDS,
    UNAUTHENTICATED_BYTES,
    UNCOUNTED_BYTES_BEFORE_AUTHENTICATION,
    UNCOUNTED_BYTES_PER_CONNECTION,
)
from muster.server.newcomers import Newcomers
from muster.server.request_budget import RequestBudget
from muster.server.routes import Routes
from muster.server.settings import Settings
from muster.server.traffic import Traffic

if TYPE_CHECKING:
    from muster.security.quotas import Quotas
    from muster.server.throttle import Throttle, Throttling

_log = logging.getLogger("muster.listener")
QUEUED_BYTES: Final = "queued.max.request.bytes"


class Listener:
    """Accepts connections and hands each its routes and the node."""

    def __init__(self, settings: Settings, routes: Routes) -> None:
        self.routes = routes
        self.node: Any = None
        """What handlers are given; set before `start`."""
        self.traffic = Traffic()
        self.max_frame_bytes = settings.integer("socket.request.max.bytes")
        self.max_other_bytes = settings.integer("muster.request.max.bytes")
        """Of a request that is no Produce: all of it becomes objects, so it costs many times its bytes."""
        self.max_entries = settings.integer("muster.request.max.entries")
        self.request_budget = RequestBudget(
            settings.integer(QUEUED_BYTES),
            UNCOUNTED_BYTES_PER_CONNECTION,
            QUEUED_BYTES,
            lowest_limit=self.max_frame_bytes,  # the largest request of all still fits
        )
        self.newcomer_budget = RequestBudget(
            UNAUTHENTICATED_BYTES,
            UNCOUNTED_BYTES_BEFORE_AUTHENTICATION,
            "before authentication",
            lowest_limit=UNAUTHENTICATED_BYTES,
        )
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
        self.refusal_log = LogLimit(
            logging.getLogger("muster.connection"), "connections closed for what they sent", time.monotonic
        )
        self.failure_log = LogLimit(
            logging.getLogger("muster.connection"), "connections closed for a fault while serving them", time.monotonic
        )
        self.tls_log = LogLimit(logging.getLogger("muster.tls"), "TLS connections that failed", time.monotonic)
        self.doors = tuple(Door(self, address) for address in settings.listeners)
        self.settings = settings
        names = tuple(address.name for address in settings.listeners)
        self.admission = Admission(settings, names)
        self.connection_limits = ConnectionLimits(settings, names)
        self.connection_log = LogLimit(_log, "connections that were closed for a limit", time.monotonic)
        self.idle_log = LogLimit(_log, "connections that were closed because they were idle", time.monotonic)
        self.guess_delays = GuessDelays(time.monotonic)
        """Of all doors: who is refused at one may try the next."""
        self.quotas: Quotas | None = None
        self.throttling: Throttling | None = None
        """Both None until there are quotas for the first time."""
        self._max_idle_ms = settings.integer("connections.max.idle.ms")
        self._watch_seconds = settings.integer("muster.ssl.watch.interval.ms") / 1000
        self._sweep: asyncio.TimerHandle | None = None
        self._watch: asyncio.TimerHandle | None = None
        self._all_gone: asyncio.Event = asyncio.Event()

    def prepare(self) -> None:
        """Read certificates and keys. ConfigError if they cannot be used."""
        for door in self.doors:
            door.prepare(self.settings)

    def start_looking(self) -> None:
        """From now on for idle connections and for changed files. The doors are open."""
        self._plan_sweep()
        self._plan_watch()

    # ---- what connections tell

    def admit(self, connection: Connection) -> bool:
        self.connections[connection] = None
        self._all_gone.clear()
        if self.throttling is not None:
            connection.throttle = self._throttle_for(connection)
        if connection.door.tls is None and not self._arrive_plainly(connection):
            return False
        gateway = connection.door.sasl
        if gateway is None:
            return self._has_room(connection)
        from muster.server.sasl_session import SaslSession

        if connection.newcomer is None:  # with TLS it has been one since its handshake
            connection.newcomer = self.newcomers.enter(connection.host, connection.abort)
        connection.sasl = SaslSession(connection, gateway)
        # Everybody may hold one piece more than the budget allows, and there may be many of them.
        connection.limit_receive(UNCOUNTED_BYTES_BEFORE_AUTHENTICATION)
        return True

    def prove(self, connection: Connection) -> bool:
        """A newcomer has shown who it is; False if there is no room for it."""
        self._end_newcomer(connection)
        connection.limit_receive(RECEIVED_AT_ONCE_BYTES)
        return self._has_room(connection)

    def forget(self, connection: Connection) -> None:
        if self.connections.pop(connection, self) is None and connection.door.tls is None:
            self.admission.leave(connection.host)
        self.connection_limits.leave(connection)
        self._end_newcomer(connection)
        if not self.connections:
            self._all_gone.set()

    def _end_newcomer(self, connection: Connection) -> None:
        newcomer, connection.newcomer = connection.newcomer, None
        if newcomer is not None:
            newcomer.leave()
            self.newcomer_budget.forget(connection)

    def _has_room(self, connection: Connection) -> bool:
        principal = connection.principal
        why = self.connection_limits.enter(
            connection, connection.door.address.name, None if principal == ANONYMOUS else principal
        )
        if why is not None:
            self.traffic.connections_over_limit += 1
            self.tell_closed(connection.address, why)
            return False
        self.traffic.connections_accepted += 1
        return True

    def arrive(self, door: Door, host: str, address: str) -> Verdict:
        """Somebody has connected to the door; `admission.leave` when he is gone."""
        now_ms = self.node.clock.ticks_ms() if self.admission.has_rates else 0
        verdict = self.admission.arrive(door.address.name, host, now_ms)
        if not verdict.may_stay:
            self.tell_closed(address, verdict.why)
        return verdict

    def _arrive_plainly(self, connection: Connection) -> bool:
        verdict = self.arrive(connection.door, connection.host, connection.address)
        if not verdict.wait_ms:
            return verdict.may_stay
        if verdict.may_stay:
            connection.mute(verdict.wait_ms)
        else:
            connection.close_later(verdict.wait_ms)
        return True

    def tell_closed(self, address: str, why: str) -> None:
        self.connection_log.warning("closing a new connection from %s: %s", address, why)

    def throttle_all(self) -> None:
        """Quotas have changed: they bear upon requests of those who are here too, or upon nobody's any more."""
        self.admission.quotas = self.quotas if self.quotas else None
        for connection in self.connections:
            connection.throttle = self._throttle_for(connection)

    def _throttle_for(self, connection: Connection) -> Throttle | None:
        if self.quotas is None or self.throttling is None or not self.quotas.has_for_requests:
            return None
        return self.throttling.of(connection)

    # ---- the sweep: idle connections, and lines that were left out of the log

    def _plan_sweep(self) -> None:
        seconds = IDLE_SWEEP_MAX_SECONDS
        if self._max_idle_ms >= 0:
            seconds = min(max(self._max_idle_ms / 1000 / IDLE_SWEEPS_PER_LIMIT, IDLE_SWEEP_MIN_SECONDS), seconds)
        self._sweep = asyncio.get_running_loop().call_later(seconds, self._sweep_and_plan)

    def _sweep_and_plan(self) -> None:
        self.sweep(int(asyncio.get_running_loop().time() * 1000))
        self._plan_sweep()

    def sweep(self, now_ms: int) -> None:
        if self._max_idle_ms >= 0:
            self.close_idle(now_ms)
        tell_what_is_over()

    def close_idle(self, now_ms: int) -> None:
        """One coarse look at all connections. `now_ms` is any clock that only moves forward.

        Deviates: a connection whose request is still in work is not idle, however long that takes; Kafka closes it.
        But one that is being closed is: the request in which it was refused stays in work for ever.
        """
        for connection in tuple(self.connections):
            is_waiting = (connection.call is not None or connection.is_muted) and not connection.closing
            if connection.used or is_waiting:
                connection.used = False
                connection.last_used_ms = now_ms
            elif now_ms - connection.last_used_ms < self._max_idle_ms:
                continue
            elif connection.closing:
                connection.abort()  # it was told long ago, and still does not read its last reply
            else:
                self.traffic.idle_closed += 1
                self.idle_log.info(
                    "closing the connection from %s: idle for %d ms", connection.address, self._max_idle_ms
                )
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
        self.request_budget.close()
        self.newcomer_budget.close()
