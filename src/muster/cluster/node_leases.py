"""How long the lease of each node still lasts, as the database has it. For people who look; no node decides anything by this."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import psycopg

_LEASES: Final = """
SELECT node_id, extract(epoch FROM lease_until - now())::float, is_draining, release FROM muster.nodes ORDER BY node_id
"""


@dataclass(frozen=True, slots=True)
class StoredLease:
    node_id: int
    seconds: float
    """Below zero: it is over, and nobody has noticed yet."""
    is_draining: bool
    release: str


def leases_of_nodes(connection: psycopg.Connection[Any]) -> list[StoredLease]:
    return [StoredLease(*row) for row in connection.execute(_LEASES)]
