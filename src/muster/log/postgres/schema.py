"""Which steps a database has taken, what a node must speak to use it, and how a change of it is told to the others.

The state is read in a way that works with every version: rows whole, as JSON. A column that an older database does not
have is then missing from the answer, where a statement that names it would fail.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from muster.log.contract import StorageError
from muster.log.postgres.schema_steps import NEWEST, OLDEST

if TYPE_CHECKING:
    import psycopg

CHANNEL: Final = "muster"
"""Where NOTIFY says that documents, nodes or owners changed. Its payload is a hint; whoever hears it reads the
tables."""

_STATE: Final = "SELECT to_jsonb(row) FROM muster.schema_version AS row ORDER BY version DESC LIMIT 1"


class SchemaState(NamedTuple):
    version: int
    """The last step that was taken. 0: there are no tables."""
    required: int
    """What a node has to speak at least: the last contract step that was taken. Releases up to 0.2 compare this one."""


def schema_state(connection: psycopg.Connection[Any]) -> SchemaState:
    exists = connection.execute("SELECT to_regclass(%s)", ("muster.schema_version",)).fetchone()
    if exists is None or exists[0] is None:
        return SchemaState(0, 0)
    found = connection.execute(_STATE).fetchone()
    if found is None:
        return SchemaState(0, 0)
    required = int(found[0]["version"])
    return SchemaState(max(int(found[0].get("expanded") or 0), required), required)


def check(connection: psycopg.Connection[Any]) -> SchemaState:
    """StorageError with what to do, unless this release works with the tables of the database."""
    state = schema_state(connection)
    if state.version == 0:
        raise StorageError("the database has no tables of Muster yet: run `muster store migrate URL` once")
    if state.version < OLDEST:
        raise StorageError(
            f"the database has schema version {state.version}, this release speaks {spoken(OLDEST, NEWEST)}: "
            "run `muster store migrate URL`"
        )
    refuse_newer(state, NEWEST)
    return state


def refuse_newer(state: SchemaState, newest: int) -> None:
    """`newest`: what is spoken at most."""
    if state.required > newest:
        raise StorageError(
            f"the database needs nodes that speak schema version {state.required}, this release knows versions up to "
            f"{newest}: it was migrated by a newer release of Muster, run that one"
        )


def spoken(oldest: int, newest: int) -> str:
    """A range of versions, for people."""
    return str(newest) if oldest == newest else f"{oldest} to {newest}"


def tell_others(connection: psycopg.Connection[Any], what: str) -> None:
    """Part of every transaction that changes documents, nodes or owners: counted, so that a poll sees it, and said at once."""
    connection.execute("UPDATE muster.cluster SET changes = changes + 1")
    connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, what))
