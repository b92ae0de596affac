"""Those who still have to show who they are: connections in a TLS handshake or before their SASL authentication ends.

They have a deadline and a limited number of places, for each address and in all. When the places are taken, the one that has
taken longest goes: an honest client needs a moment, so a flood of slow ones crowds out itself and nobody else. They do not count
for `max.connections` before they have shown who they are.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from muster.server.traffic import Traffic


class Newcomer:
    """One place. Given back with `leave`, once or more often."""

    __slots__ = ("_drop", "_newcomers", "_timer", "host")

    def __init__(self, newcomers: Newcomers, host: str, drop: Callable[[], None], timeout_seconds: float) -> None:
        self._newcomers = newcomers
        self.host = host
        self._drop = drop
        self._timer = asyncio.get_running_loop().call_later(timeout_seconds, self._too_slow)

    def leave(self) -> None:
        self._timer.cancel()
        self._newcomers.remove(self)

    def end(self) -> None:
        """Its place is needed, or its time is over."""
        self.leave()
        self._drop()

    def _too_slow(self) -> None:
        self._newcomers.traffic.newcomers_too_slow += 1
        self.end()


class Newcomers:
    def __init__(self, timeout_ms: int, max_per_address: int, max_in_all: int, traffic: Traffic) -> None:
        self._timeout_seconds = timeout_ms / 1000
        self._max_per_address = max_per_address
        self._max_in_all = max_in_all
        self.traffic = traffic
        self._places: dict[Newcomer, None] = {}
        """Oldest first."""
        self._by_host: dict[str, dict[Newcomer, None]] = {}

    def __len__(self) -> int:
        return len(self._places)

    def enter(self, host: str, drop: Callable[[], None]) -> Newcomer:
        """Always gets a place. `drop` is called if it is taken away again."""
        newcomer = Newcomer(self, host, drop, self._timeout_seconds)
        of_host = self._by_host.setdefault(host, {})
        self._places[newcomer] = of_host[newcomer] = None
        if len(of_host) > self._max_per_address:
            self._crowd_out(next(iter(of_host)))
        elif len(self._places) > self._max_in_all:
            self._crowd_out(next(iter(self._places)))
        return newcomer

    def remove(self, newcomer: Newcomer) -> None:
        if newcomer in self._places:
            del self._places[newcomer]
            of_host = self._by_host[newcomer.host]
            del of_host[newcomer]
            if not of_host:
                del self._by_host[newcomer.host]

    def end_all(self) -> None:
        """The server stops."""
        for newcomer in tuple(self._places):
            newcomer.end()

    def _crowd_out(self, oldest: Newcomer) -> None:
        self.traffic.newcomers_crowded_out += 1
        oldest.end()
