"""The tables, and how a database gets them: numbered steps, each once, under a lock that all nodes respect.

A database that is older than this release is migrated only when the operator says so (`muster store migrate`); one
that is newer is refused. What each column means is written in docs/cluster.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from muster.log.contract import StorageError

if TYPE_CHECKING:
    import psycopg

CHANNEL: Final = "muster"
"""Where NOTIFY says that documents, nodes or owners changed. Its payload is a hint; whoever hears it reads the
tables."""

_LOCK: Final = 0x6D7573746572
"""The advisory lock of whoever migrates: the letters of `muster`."""

_FIRST: Final = """
CREATE TABLE muster.cluster (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    cluster_id text NOT NULL,
    changes bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE muster.documents (
    name text PRIMARY KEY,
    version bigint NOT NULL,
    content bytea NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE muster.nodes (
    node_id integer PRIMARY KEY,
    incarnation uuid NOT NULL,
    rack text,
    endpoints jsonb NOT NULL,
    release text NOT NULL,
    lease_until timestamptz NOT NULL,
    is_draining boolean NOT NULL DEFAULT false,
    started_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE muster.partitions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic text NOT NULL,
    partition integer NOT NULL,
    topic_id uuid NOT NULL,
    owner integer,
    epoch integer NOT NULL DEFAULT -1,
    start_offset bigint NOT NULL DEFAULT 0,
    end_offset bigint NOT NULL DEFAULT 0,
    clean_offset bigint NOT NULL DEFAULT 0,
    UNIQUE (topic, partition)
);
CREATE TABLE muster.batches (
    partition_id bigint NOT NULL REFERENCES muster.partitions ON DELETE CASCADE,
    base_offset bigint NOT NULL,
    next_offset bigint NOT NULL,
    segment_base bigint NOT NULL,
    max_timestamp bigint NOT NULL,
    appended_at_ms bigint NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (partition_id, base_offset)
);
ALTER TABLE muster.batches ALTER content SET STORAGE EXTERNAL;
"""

_TRANSACTIONS: Final = """
ALTER TABLE muster.partitions ADD COLUMN has_transactions boolean NOT NULL DEFAULT false;
"""

MIGRATIONS: Final = (_FIRST, _TRANSACTIONS)
"""Step n brings a database from version n to n + 1. Steps that a release has shipped never change."""

VERSION: Final = len(MIGRATIONS)


def tell_others(connection: psycopg.Connection[Any], what: str) -> None:
    """Part of every transaction that changes documents, nodes or owners: counted, so that a poll sees it, and said at once."""
    connection.execute("UPDATE muster.cluster SET changes = changes + 1")
    connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, what))


def migrate(connection: psycopg.Connection[Any], cluster_id: str) -> tuple[int, int]:
    """Bring the database to this release's version; returns the versions before and after. Safe to run side by side."""
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        connection.execute("CREATE SCHEMA IF NOT EXISTS muster")
        connection.execute("CREATE TABLE IF NOT EXISTS muster.schema_version (version integer NOT NULL)")
        before = _version(connection)
        if before > VERSION:
            raise StorageError(_too_new(before))
        for step in MIGRATIONS[before:]:
            connection.execute(step)
        if before == 0:
            connection.execute("INSERT INTO muster.schema_version VALUES (%s)", (VERSION,))
            connection.execute("INSERT INTO muster.cluster (cluster_id) VALUES (%s)", (cluster_id,))
        else:
            connection.execute("UPDATE muster.schema_version SET version = %s", (VERSION,))
    return before, VERSION


def check(connection: psycopg.Connection[Any]) -> None:
    """StorageError with what to do, unless the database has exactly this release's tables."""
    exists = connection.execute("SELECT to_regclass(%s)", ("muster.schema_version",)).fetchone()
    version = _version(connection) if exists is not None and exists[0] is not None else 0
    if version == 0:
        raise StorageError("the database has no tables of Muster yet: run `muster store migrate URL` once")
    if version < VERSION:
        raise StorageError(
            f"the database has schema version {version}, this release needs {VERSION}: stop the nodes of the older release, "
            "then run `muster store migrate URL`"
        )
    if version > VERSION:
        raise StorageError(_too_new(version))


def _version(connection: psycopg.Connection[Any]) -> int:
    row = connection.execute("SELECT max(version) FROM muster.schema_version").fetchone()
    return int(row[0]) if row is not None and row[0] is not None else 0


def _too_new(version: int) -> str:
    return (
        f"the database has schema version {version}, this release knows versions up to {VERSION}: "
        "it was migrated by a newer release of Muster, run that one"
    )
