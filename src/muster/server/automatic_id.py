"""A node id from the store, for nodes that nobody counts: pods of a Deployment, machines of a group that grows and shrinks.

Each start gets one that no node had before. An id that came back at another address would mislead clients, which
remember the address of a node they know. As Kafka's generated ids they begin above 1000.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from muster.extras import install_command
from muster.topics.config_types import ConfigError

if TYPE_CHECKING:
    import psycopg

DOCUMENT: Final = "node-ids.json"

_NEXT: Final = """
WITH highest AS (
    SELECT greatest(1000, (SELECT max(node_id) FROM muster.nodes), (SELECT max(owner) FROM muster.partitions)) AS id
)
INSERT INTO muster.documents AS document (name, version, content)
SELECT %(name)s, 1, convert_to(json_build_object('last', highest.id + 1)::text, 'UTF8') FROM highest
ON CONFLICT (name) DO UPDATE SET version = document.version + 1, changed_at = now(), content = convert_to(
    json_build_object('last', greatest(
        (convert_from(document.content, 'UTF8')::json ->> 'last')::integer, (SELECT id FROM highest)
    ) + 1)::text, 'UTF8')
RETURNING (convert_from(content, 'UTF8')::json ->> 'last')::integer
"""
"""Two that ask at once wait for each other at the row."""


def next_node_id(url: str) -> int:
    """StorageError if the database cannot be asked."""
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise ConfigError(f"muster.store: psycopg is not installed: {install_command('postgres')}") from None
    from muster.log.postgres.line import Line
    from muster.log.postgres.schema import check

    def take(connection: psycopg.Connection[Any]) -> int:
        check(connection)
        row = connection.execute(_NEXT, {"name": DOCUMENT}).fetchone()
        assert row is not None, "RETURNING of an upsert"
        return int(row[0])

    line = Line(url, "takes a node id")
    try:
        return line.run(take)
    finally:
        line.close()
