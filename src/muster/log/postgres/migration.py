"""`muster store migrate`: takes the steps that a database lacks, one transaction each, while nodes serve clients (decision 0021).

Nodes never wait for long: a step that does not get its locks in a moment gives them up and tries again. A contract step
is refused as long as a live node would not understand what it leaves behind.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from muster.log.contract import StorageError
from muster.log.postgres.node_versions import NodeVersions, live_versions
from muster.log.postgres.schema import SchemaState, refuse_newer, schema_state, spoken, tell_others
from muster.log.postgres.schema_steps import MIGRATIONS, SPEAKERS, Step

if TYPE_CHECKING:
    import psycopg

_LOCK: Final = 0x6D7573746572
"""The advisory lock of whoever migrates: the letters of `muster`."""
LOCK_MS: Final = 300
"""While a step waits for a table, renewals of leases wait behind it: well below a lease."""
ATTEMPTS: Final = 30
PAUSE_SECONDS: Final = 0.2
PATIENCE_MS: Final = 600_000
"""Of the connection: a step may have much to do. A network that has gone silent is noticed long before."""

_OLDEST_USER: Final = """
SELECT pid, application_name FROM pg_stat_activity JOIN pg_locks USING (pid) JOIN pg_class ON pg_class.oid = relation
WHERE relnamespace = 'muster'::regnamespace AND granted AND pid <> pg_backend_pid() ORDER BY xact_start LIMIT 1
"""


def migrate(
    connection: psycopg.Connection[Any],
    cluster_id: str,
    steps: Sequence[Step] = MIGRATIONS,
    say: Callable[[str], None] = lambda line: None,
) -> tuple[int, int]:
    """Bring the database to the last of the steps; returns the versions before and after. Safe to run side by side. `say` is told
    what is waited for.

    StorageError if a contract step has to wait for nodes, with the steps before it taken.
    """
    before = _begin(connection, steps, say)
    after = before
    while after < len(steps):
        after = _take_next(connection, cluster_id, steps, say)
    return before, after


def _wait_for_others(connection: psycopg.Connection[Any], say: Callable[[str], None]) -> None:
    """Until nobody else migrates, for the rest of the transaction."""
    if connection.execute("SELECT pg_try_advisory_xact_lock(%s)", (_LOCK,)).fetchone() != (True,):
        say("another `muster store migrate` is at work; waiting for it")
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))


def _begin(connection: psycopg.Connection[Any], steps: Sequence[Step], say: Callable[[str], None]) -> int:
    import psycopg

    with connection.transaction():
        _wait_for_others(connection, say)
        # IF NOT EXISTS asks for the right to make schemas even where this one exists, and its owner may lack it.
        if connection.execute("SELECT to_regnamespace('muster')").fetchone() == (None,):
            try:
                connection.execute("CREATE SCHEMA muster")
            except psycopg.errors.InsufficientPrivilege:
                raise StorageError(
                    f"the role {connection.info.user} may not make the schema: let the owner of the database say "
                    f'`CREATE SCHEMA muster AUTHORIZATION "{connection.info.user}"`, then run this again'
                ) from None
        if connection.execute("SELECT to_regclass('muster.schema_version')").fetchone() == (None,):
            connection.execute("CREATE TABLE muster.schema_version (version integer NOT NULL)")
        state = schema_state(connection)
    refuse_newer(state, len(steps))
    return state.version


def _take_next(
    connection: psycopg.Connection[Any], cluster_id: str, steps: Sequence[Step], say: Callable[[str], None]
) -> int:
    """Returns the version that the database has then: another process may have been quicker."""
    import psycopg

    for attempt in range(ATTEMPTS):
        try:
            with connection.transaction():
                _wait_for_others(connection, say)
                state = schema_state(connection)
                if state.version >= len(steps):
                    return state.version
                connection.execute("SELECT set_config('lock_timeout', %s, true)", (str(LOCK_MS),))
                _take(connection, cluster_id, state, steps[state.version])
                return state.version + 1
        except psycopg.errors.LockNotAvailable:
            if attempt == 0:
                most_s = ATTEMPTS * (LOCK_MS / 1_000 + PAUSE_SECONDS)
                say(f"the tables are in use{_by_whom(connection)}; waiting for {most_s:.0f} s at most")
            time.sleep(PAUSE_SECONDS)
    raise StorageError(
        f"the tables stay in use{_by_whom(connection)}, whose transaction does not end: end it, then run this again"
    )


def _by_whom(connection: psycopg.Connection[Any]) -> str:
    user = connection.execute(_OLDEST_USER).fetchone()
    return "" if user is None else f", by process {user[0]} of the database ({user[1] or 'without a name'})"


def _take(connection: psycopg.Connection[Any], cluster_id: str, state: SchemaState, step: Step) -> None:
    version = state.version + 1
    if state.version and step.is_contract:
        _refuse_while_spoken_less(connection, state, version)
    connection.execute(step.statements)
    if state.version == 0:
        connection.execute("INSERT INTO muster.schema_version (version) VALUES (%s)", (version,))
        connection.execute("INSERT INTO muster.cluster (cluster_id) VALUES (%s)", (cluster_id,))
    if step.is_contract:
        connection.execute("UPDATE muster.schema_version SET version = %s", (version,))
    if version >= SPEAKERS:
        connection.execute("UPDATE muster.schema_version SET expanded = %s", (version,))
    tell_others(connection, f"schema version {version}")


def _refuse_while_spoken_less(connection: psycopg.Connection[Any], state: SchemaState, version: int) -> None:
    """Nobody registers or renews until the step is taken. A process whose lease is over loses its row: when it comes
    back it has to register, and is refused then."""
    connection.execute("LOCK TABLE muster.nodes IN SHARE ROW EXCLUSIVE MODE")
    connection.execute("DELETE FROM muster.nodes WHERE lease_until < now()")
    behind = [node for node in live_versions(connection, state) if node.newest < version]
    if behind:
        raise StorageError(
            f"schema version {version} has to wait, the database stays at {state.version}: "
            f"{', '.join(map(_named, behind))}; upgrade or stop these nodes, then run this again"
        )


def _named(node: NodeVersions) -> str:
    return f"node {node.node_id} (release {node.release}) speaks {spoken(node.oldest, node.newest)}"
