"""Refuses a connection pooler that gives each transaction another session of the database.

Nodes keep sessions: limits of time are set for them, statements are prepared in them, the lease's one LISTENs. Behind a
pooler in transaction mode (PgBouncer's `pool_mode = transaction`) all of that would reach somebody else, without an
error. A pooler in session mode is as good as the database itself.
"""

from __future__ import annotations

from typing import Any, Final

from muster.log.contract import StorageError
from muster.log.postgres.line import Line

ROUNDS: Final = 3
_SESSION: Final = "SELECT pg_backend_pid()"
_ADVICE: Final = (
    "give Muster the address of PostgreSQL itself, or a pool in session mode with room for seven sessions a node"
)


def require_sessions(first: Line, second: Line) -> None:
    """StorageError unless each of the two lines has a session of its own. Asks the second one only where there is a pooler."""
    if not first.run(_is_pooled):
        return
    try:
        is_shared = _is_shared(first, second)
    except StorageError as error:
        raise StorageError(
            f"the database is behind a connection pooler that gives no second session ({error}): {_ADVICE}"
        ) from None
    if is_shared:
        raise StorageError(
            f"the database is behind a connection pooler in transaction mode, which cannot be used: {_ADVICE}"
        )


def _is_pooled(connection: Any) -> bool:
    """A pooler gives clients a key of its own to cancel their statements by, since sessions outlive clients; PostgreSQL's
    begins with the process that serves the session."""
    return bool(connection.info.backend_pid != _session(connection))


def _is_shared(first: Line, second: Line) -> bool:
    """A session that changes between two transactions, or that two clients have, is nobody's own.

    A pool gives the session that came back last, or the one that waited longest: in the first case the second line gets the
    first one's, in the other the first line gets another one by itself, unless somebody else is in between.
    """
    own = first.run(_session)
    for _ in range(ROUNDS):

        def look(connection: Any) -> bool:
            with connection.transaction():
                return bool(_session(connection) == own) or first.run(_session) != own

        if first.run(_session) != own or second.run(look):
            return True
    return False


def _session(connection: Any) -> int:
    return int(connection.execute(_SESSION).fetchone()[0])
