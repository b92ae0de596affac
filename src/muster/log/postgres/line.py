"""One connection to the database: made when it is needed, made again when it broke, never waited for without an end.

Speaks `psycopg` and turns its errors into StorageError. A connection belongs to one thread at a time. Secrets of the
URL stay in here.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from contextlib import suppress
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TypeVar

from muster.log.contract import StorageError
from muster.log.postgres.patience import watch
from muster.log.postgres.turn import Turn

if TYPE_CHECKING:
    import psycopg

R = TypeVar("R")

_LIMITS: Final = """
SELECT set_config('statement_timeout', %s, false), set_config('idle_in_transaction_session_timeout', %s, false),
    (SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'idle_session_timeout')
"""
"""A statement and not `options` of the connection: PgBouncer refuses those. PostgreSQL 13 has no `idle_session_timeout`."""

CONNECT_SECONDS: Final = 2
STATEMENT_MS: Final = 10_000
FAIL_FAST_SECONDS: Final = 0.5
"""After a failed attempt nobody waits for another one during this time."""
IDLE_IN_TRANSACTION_MS: Final = 1_000
"""A process that is frozen between two statements must not keep its locks: who takes over waits for them."""
GRACE: Final = 1.25
"""Of the patience: the server ends a statement that takes too long by itself, and what it says then is better than silence."""


class ConnectionLost(StorageError):
    """The database went away in the middle: what was under way may or may not have happened."""


class Line:
    """A connection in autocommit mode; transactions are opened where they are needed."""

    def __init__(self, url: str, purpose: str, patience_ms: int = STATEMENT_MS) -> None:
        """`patience_ms`: how long a statement may take, and how long a silent network is believed in."""
        self._url = url
        self._patience_ms = patience_ms
        self._purpose = purpose
        self._connection: psycopg.Connection[Any] | None = None
        self._down_until_s = 0.0
        self._down_because = ""
        self.due_s = inf
        """When somebody has to end a wait that is going on."""
        self.is_held = False
        """Somebody else found that the database is away: no attempt is made here until it is back."""
        self.turn: Turn | None = None
        """Where a thread uses the connection in turns with the loop: given back for as long as the database is waited for."""

    def run(self, work: Callable[[psycopg.Connection[Any]], R]) -> R:
        """Do something with the connection. StorageError if it failed, ConnectionLost if nobody knows whether it did."""
        if self.turn is None:
            return self._run(work)
        if not self.turn.is_mine:
            raise StorageError("the database is not asked in the loop: this is a mistake of the server")
        with self.turn.given_back():
            return self._run(work)

    def _run(self, work: Callable[[psycopg.Connection[Any]], R]) -> R:
        import psycopg

        connection = self.connect()
        self.due_s = monotonic() + self._patience_ms / 1000 * GRACE
        try:
            return work(connection)
        except psycopg.Error as error:
            if connection.closed or connection.broken or isinstance(error, psycopg.errors.AdminShutdown):
                self.close()
                raise ConnectionLost(f"the database went away: {_said(error)}") from None
            raise StorageError(f"the database refused: {_said(error)}") from None
        finally:
            self.due_s = inf

    def read(self, work: Callable[[psycopg.Connection[Any]], R]) -> R:
        """As `run`, for work that changes nothing: if the connection broke since it was used last, as all do when the database
        is restarted, it is made again and nobody has to know."""
        was_open = self.is_open
        try:
            return self.run(work)
        except ConnectionLost:
            if not was_open:
                raise
            return self.run(work)

    @property
    def is_open(self) -> bool:
        return self._connection is not None

    def cut(self) -> None:
        """End the connection under whoever waits for it, from another thread. Never raises: it may be closed meanwhile."""
        import psycopg

        connection = self._connection
        if connection is None:
            return
        with suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(connection.fileno())) as end:
            end.shutdown(socket.SHUT_RDWR)

    def connect(self) -> psycopg.Connection[Any]:
        import psycopg

        if self._connection is not None and not self._connection.closed:
            return self._connection
        self.close()
        if self.is_held:
            raise StorageError("the database cannot be reached")
        if monotonic() < self._down_until_s:
            raise StorageError(self._down_because)
        try:
            self._connection = psycopg.connect(
                self._url,
                autocommit=True,
                connect_timeout=CONNECT_SECONDS,
                application_name=f"muster {self._purpose}",
                keepalives_idle=5,
                keepalives_interval=2,
                keepalives_count=3,
                tcp_user_timeout=self._patience_ms,
            )
            watch(self)
            self.due_s = monotonic() + self._patience_ms / 1000 * GRACE
            self._connection.execute(_LIMITS, (str(self._patience_ms), str(IDLE_IN_TRANSACTION_MS)))
        except (psycopg.Error, ValueError) as error:
            self.close()
            self._down_until_s = monotonic() + FAIL_FAST_SECONDS
            self._down_because = f"the database cannot be reached: {_said(error)}"
            raise StorageError(self._down_because) from None
        finally:
            self.due_s = inf
        return self._connection

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _said(error: Exception) -> str:
    """The first line of what the database or the library says; none of them repeats the password."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
