"""The login: a SASL user of the cluster and a password, which are tried there. The console knows no users of its own."""

from __future__ import annotations

import asyncio
import ipaddress
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

from muster.client.failure import ClientError
from muster.client.security import Security
from muster.console.observers import Observers
from muster.wire.errors import INVALID_CONFIG

MECHANISMS: Final = ("SCRAM-SHA-512", "SCRAM-SHA-256", "PLAIN")
MOST_AT_ONCE: Final = 4
"""Whoever guesses passwords waits in this queue, and for the cluster's own delay after each wrong one."""
MOST_WAITING: Final = 50
"""In the queue; each has a form in memory."""
MOST_OF_ONE: Final = 3
"""Under way or in the queue from one place (`place_of`), so that nobody has all turns for himself."""
_IPV6_NETWORK_BITS: Final = 64
"""Whoever has one IPv6 address commonly has all with the same first half."""


class TooManyLogins(Exception):
    """The queue is full, or has enough from one place. Says what to do."""


async def _never_gone() -> bool:
    return False


class Login:
    def __init__(self, base: Security, observers: Observers) -> None:
        self._base = base
        self._observers = observers
        self._turns = asyncio.Semaphore(MOST_AT_ONCE)
        self._waiting = 0
        self._from: Counter[str] = Counter()
        """Under way or in the queue, by the place that they come from."""

    @property
    def mechanism(self) -> str:
        """The one to offer first."""
        return self._base.mechanism if self._base.mechanism in MECHANISMS else MECHANISMS[0]

    async def verify(
        self,
        user: str,
        password: str,
        mechanism: str,
        place: str = "",
        is_gone: Callable[[], Awaitable[bool]] = _never_gone,
    ) -> Security:
        """Log in to the cluster as this user; returns the credentials for later connections. ClientError if it refuses,
        TooManyLogins if it cannot be asked now, or if whoever asked `is_gone` when it is his turn."""
        security = self._security(user, password, mechanism)
        if self._from[place] >= MOST_OF_ONE:
            raise TooManyLogins(
                "Too many logins from where you are, or of this user, are under way: try again in a moment."
            )
        self._from[place] += 1
        try:
            await self._wait_for_turn()
            try:
                if await is_gone():
                    raise TooManyLogins("The browser has hung up.")
                async with self._observers.cluster(security) as cluster:
                    await cluster.refresh([])
            finally:
                self._turns.release()
        finally:
            self._from -= Counter([place])  # drops places that have none any more
        return security

    async def _wait_for_turn(self) -> None:
        if self._waiting >= MOST_WAITING:
            raise TooManyLogins("Too many people are logging in just now: try again in a moment.")
        self._waiting += 1
        try:
            await self._turns.acquire()
        finally:
            self._waiting -= 1

    def _security(self, user: str, password: str, mechanism: str) -> Security:
        """TLS as on the command line; nothing else of what it says about who acts."""
        if mechanism not in MECHANISMS:
            raise ClientError(
                INVALID_CONFIG, "log in", f"mechanism {mechanism!r}", f"Choose one of {', '.join(MECHANISMS)}"
            )
        return replace(
            self._base,
            protocol="SASL_SSL" if self._base.wants_tls else "SASL_PLAINTEXT",
            mechanism=mechanism,
            username=user,
            password=password,
            token=None,
            token_file=None,
            certificate_file=None,
            certificate_pem=None,
            key_file=None,
            key_pem=None,
            key_password=None,
        )


def place_of(address: str, user: str, *, is_behind_proxy: bool) -> str:
    """Whose logins are counted together: those of one address or IPv6 network. Behind a proxy all come from the proxy's address,
    so there it is those of one user name."""
    if is_behind_proxy:
        return f"user {user}"
    try:
        number = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if number.version == 4:
        return address
    return str(ipaddress.ip_network((number, _IPV6_NETWORK_BITS), strict=False))
