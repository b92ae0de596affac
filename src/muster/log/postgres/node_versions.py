"""What nodes say of themselves: which versions of the schema they speak. A contract step asks, and so does `muster cluster status`.

What was said counts for the process that said it: a node of release 0.2 that takes over the row of a newer one leaves
these columns as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from muster.log.postgres.schema import SchemaState
from muster.log.postgres.schema_steps import NEWEST, OLDEST, SPEAKERS

if TYPE_CHECKING:
    from uuid import UUID

    import psycopg

SILENT: Final = SPEAKERS - 1
"""Releases up to 0.2 say nothing, and speak one version: this one, or the one before in a database that has no other."""

_SAY: Final = """
UPDATE muster.nodes SET schema_oldest = %s, schema_newest = %s, schema_said_by = incarnation
WHERE node_id = %s AND incarnation = %s
"""
_LIVE: Final = """
SELECT node_id, release, to_jsonb(node) FROM muster.nodes AS node WHERE lease_until >= now() ORDER BY node_id
"""


class NodeVersions(NamedTuple):
    node_id: int
    release: str
    oldest: int
    newest: int


def say_versions(connection: psycopg.Connection[Any], state: SchemaState, node_id: int, incarnation: UUID) -> bool:
    """Say what this release speaks; False if the database has no place for it yet."""
    if state.version < SPEAKERS:
        return False
    connection.execute(_SAY, (OLDEST, NEWEST, node_id, incarnation))
    return True


def live_versions(connection: psycopg.Connection[Any], state: SchemaState) -> list[NodeVersions]:
    """Of every live node, in the order of their ids."""
    return [_said(node_id, release, row, state) for node_id, release, row in connection.execute(_LIVE)]


def newest_said(row: dict[str, Any]) -> int:
    """`row`: of `muster.nodes`, as JSON."""
    return int(row["schema_newest"]) if _has_said(row) else SILENT


def _has_said(row: dict[str, Any]) -> bool:
    return bool(row.get("schema_said_by") == row["incarnation"])


def _said(node_id: int, release: str, row: dict[str, Any], state: SchemaState) -> NodeVersions:
    if _has_said(row):
        return NodeVersions(node_id, release, row["schema_oldest"], row["schema_newest"])
    only = min(SILENT, state.version)
    return NodeVersions(node_id, release, only, only)
