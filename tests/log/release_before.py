"""What a node of release 0.2 says to a database."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

REGISTER_AS_0_2 = """
INSERT INTO muster.nodes (node_id, incarnation, rack, endpoints, release, lease_until)
VALUES (%(node_id)s, %(incarnation)s, NULL, '{}', %(release)s, now() + make_interval(secs => %(lease_s)s))
ON CONFLICT (node_id) DO UPDATE SET incarnation = excluded.incarnation, release = excluded.release,
    lease_until = excluded.lease_until
"""


def come(connection: Any, node_id: int, *, lease_s: float = 600, release: str = "0.2.0") -> UUID:
    """A node of a release that says nothing of what it speaks, with a row for as long as the test takes."""
    incarnation = uuid4()
    values = {"node_id": node_id, "incarnation": incarnation, "release": release, "lease_s": lease_s}
    connection.execute(REGISTER_AS_0_2, values)
    return incarnation
