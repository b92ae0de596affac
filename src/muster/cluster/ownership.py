"""Nodes and owners in the database: registering, renewing a lease, reading the whole picture, carrying out a plan.

Statements and transactions, nothing else; when they are run is `membership`'s business. All times are the database's
(decision 0012).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Final

from muster.cluster.plan import Slot, plan_leaders
from muster.cluster.view import ClusterView, NodeEntry
from muster.log.contract import NOBODY, Leader
from muster.log.postgres.deletion import OF_TOPICS, PUT_ASIDE_SINCE
from muster.log.postgres.node_versions import newest_said, say_versions
from muster.log.postgres.schema import check, tell_others

if TYPE_CHECKING:
    from uuid import UUID

    import psycopg

_PLAN_LOCK: Final = 0x6D7573706C61
"""The advisory lock of whoever plans."""

_RENEW: Final = """
UPDATE muster.nodes SET lease_until = now() + make_interval(secs => %(lease_s)s)
WHERE node_id = %(node_id)s AND incarnation = %(incarnation)s
RETURNING is_draining
"""
_REGISTER: Final = """
INSERT INTO muster.nodes (node_id, incarnation, rack, endpoints, release, lease_until)
VALUES (%(node_id)s, %(incarnation)s, %(rack)s, %(endpoints)s, %(release)s, now() + make_interval(secs => %(lease_s)s))
ON CONFLICT (node_id) DO UPDATE SET incarnation = excluded.incarnation, rack = excluded.rack,
    endpoints = excluded.endpoints, release = excluded.release, lease_until = excluded.lease_until,
    is_draining = false, started_at = now()
WHERE nodes.lease_until < now() OR nodes.incarnation = excluded.incarnation
RETURNING node_id
"""
_NEWS: Final = """
SELECT changes, (SELECT extract(epoch FROM min(lease_until) - now())::float FROM muster.nodes) FROM muster.cluster
"""
_NODES: Final = "SELECT to_jsonb(node) FROM muster.nodes AS node WHERE lease_until >= now() ORDER BY node_id"
_SLOTS: Final = f"""
SELECT topic, partition, owner, epoch, {OF_TOPICS} FROM muster.partitions WHERE {OF_TOPICS} OR %s
"""  # noqa: S608
_MOVE: Final = """
WITH held AS MATERIALIZED (
    SELECT partition.id, move.owner FROM muster.partitions AS partition
    JOIN unnest(%s::text[], %s::integer[], %s::integer[]) AS move(topic, partition, owner)
        ON partition.topic = move.topic AND partition.partition = move.partition
    ORDER BY partition.id FOR NO KEY UPDATE OF partition
)
UPDATE muster.partitions AS partition SET owner = held.owner, epoch = partition.epoch + 1
FROM held WHERE partition.id = held.id
"""
_BEGIN_EPOCHS: Final = """
WITH held AS MATERIALIZED (
    SELECT id FROM muster.partitions WHERE owner = %(node_id)s ORDER BY id FOR NO KEY UPDATE
)
UPDATE muster.partitions AS partition SET owner = %(owner)s, epoch = partition.epoch + 1
FROM held WHERE partition.id = held.id
"""
"""Rows are locked in the order of `log.postgres.fence`. Whoever appended first is waited for: its records count."""


@dataclass(slots=True, frozen=True)
class Registration:
    """What a node says of itself. The incarnation tells two processes with the same node id apart."""

    node_id: int
    incarnation: UUID
    endpoints: Mapping[str, tuple[str, int]]
    rack: str | None
    release: str
    lease_ms: int

    def values(self) -> dict[str, Any]:
        from psycopg.types.json import Jsonb

        return {
            "node_id": self.node_id,
            "incarnation": self.incarnation,
            "endpoints": Jsonb({name: list(address) for name, address in self.endpoints.items()}),
            "rack": self.rack,
            "release": self.release,
            "lease_s": self.lease_ms / 1000,
        }


def renew(connection: psycopg.Connection[Any], me: Registration) -> bool:
    """False if the database does not know this process (any more): then it has to register."""
    return connection.execute(_RENEW, me.values()).fetchone() is not None


def register(connection: psycopg.Connection[Any], me: Registration) -> bool:
    """False if another process with this node id has a lease. Partitions that the id still owns get a new epoch: this
    process knows nothing of what an earlier one had begun. StorageError if the tables are not what this release speaks
    (any more): a migration that has to know who is there waits for this transaction, or is seen by it."""
    with connection.transaction():
        if connection.execute(_REGISTER, me.values()).fetchone() is None:
            return False
        say_versions(connection, check(connection), me.node_id, me.incarnation)
        _claim_again(connection, me.node_id)
        tell_others(connection, f"node {me.node_id} is here")
    return True


def reclaim(connection: psycopg.Connection[Any], node_id: int) -> None:
    """Begin a new epoch of everything that the node owns, so that nothing of an older life can still be appended."""
    with connection.transaction():
        _claim_again(connection, node_id)
        tell_others(connection, f"node {node_id} begins anew")


def _claim_again(connection: psycopg.Connection[Any], node_id: int) -> None:
    connection.execute(_BEGIN_EPOCHS, {"node_id": node_id, "owner": node_id})


def news(connection: psycopg.Connection[Any]) -> tuple[int, float]:
    """How often the cluster changed so far, and in how many seconds the first lease is over, if nobody renews it."""
    row = connection.execute(_NEWS).fetchone()
    assert row is not None, "muster.cluster has no row"
    return int(row[0]), inf if row[1] is None else float(row[1])


def look(connection: psycopg.Connection[Any]) -> ClusterView:
    rows = [row for (row,) in connection.execute(_NODES)]
    shares_out_all = any(newest_said(row) < PUT_ASIDE_SINCE for row in rows)
    leaders: dict[Slot, Leader] = {}
    put_aside: dict[Slot, Leader] = {}
    for topic, partition, owner, epoch, is_of_topic in connection.execute(_SLOTS, (shares_out_all,)):
        leader = Leader(NOBODY if owner is None else owner, epoch)
        (leaders if is_of_topic else put_aside)[Slot(topic, partition)] = leader
    documents = dict(connection.execute("SELECT name, version FROM muster.documents").fetchall())
    return ClusterView({row["node_id"]: _node_entry(row) for row in rows}, leaders, documents, put_aside)


def _node_entry(row: dict[str, Any]) -> NodeEntry:
    endpoints = {name: (host, port) for name, (host, port) in row["endpoints"].items()}
    return NodeEntry(row["node_id"], endpoints, row["rack"], row["is_draining"])


def moves_wanted(view: ClusterView) -> dict[Slot, int]:
    leaders = {**view.leaders, **view.put_aside}
    owners = {slot: None if leader.node_id == NOBODY else leader.node_id for slot, leader in leaders.items()}
    return plan_leaders(owners, [node.node_id for node in view.nodes.values() if not node.is_draining])


def carry_out_plan(connection: psycopg.Connection[Any]) -> int:
    """Give every partition a live owner, evenly; forget nodes whose lease is over. Returns how many moved.

    One node does this at a time; who comes while another is at it does nothing, and sees the result.
    """
    with connection.transaction():
        row = connection.execute("SELECT pg_try_advisory_xact_lock(%s)", (_PLAN_LOCK,)).fetchone()
        if row is None or not row[0]:
            return 0
        gone = connection.execute("DELETE FROM muster.nodes WHERE lease_until < now()").rowcount
        moves = moves_wanted(look(connection))
        if moves:
            slots = list(moves)
            connection.execute(
                _MOVE, ([slot.topic for slot in slots], [slot.partition for slot in slots], list(moves.values()))
            )
        if moves or gone:
            tell_others(connection, f"{len(moves)} partitions moved, {gone} nodes gone")
        return len(moves)


def set_draining(connection: psycopg.Connection[Any], node_id: int, incarnation: UUID | None = None) -> bool:
    """The node gives up everything it leads, as soon as somebody plans. False if there is no such node, or only another
    process with its id."""
    with connection.transaction():
        changed = connection.execute(
            "UPDATE muster.nodes SET is_draining = true WHERE node_id = %s AND incarnation = coalesce(%s, incarnation)",
            (node_id, incarnation),
        ).rowcount
        if changed:
            tell_others(connection, f"node {node_id} is drained")
    return bool(changed)


def unregister(connection: psycopg.Connection[Any], me: Registration) -> None:
    """The node goes: what it still owns belongs to nobody."""
    with connection.transaction():
        gone = connection.execute(
            "DELETE FROM muster.nodes WHERE node_id = %s AND incarnation = %s", (me.node_id, me.incarnation)
        ).rowcount
        if gone:
            connection.execute(_BEGIN_EPOCHS, {"node_id": me.node_id, "owner": None})
            tell_others(connection, f"node {me.node_id} has gone")
