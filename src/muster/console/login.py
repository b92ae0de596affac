"""The login: a SASL user of the cluster and a password, which are tried there. The console knows no users of its own."""

from __future__ import annotations

import asyncio
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


class TooManyLogins(Exception):
    """The queue is full. Says what to do."""


class Login:
    def __init__(self, base: Security, observers: Observers) -> None:
        self._base = base
        self._observers = observers
        self._turns = asyncio.Semaphore(MOST_AT_ONCE)
        self._waiting = 0

    @property
    def mechanism(self) -> str:
        """The one to offer first."""
        return self._base.mechanism if self._base.mechanism in MECHANISMS else MECHANISMS[0]

    async def verify(self, user: str, password: str, mechanism: str) -> Security:
        """Log in to the cluster as this user; returns the credentials for later connections. ClientError if it refuses,
        TooManyLogins if it cannot be asked now."""
        security = self._security(user, password, mechanism)
        await self._wait_for_turn()
        try:
            async with self._observers.cluster(security) as cluster:
                await cluster.refresh([])
        finally:
            self._turns.release()
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
