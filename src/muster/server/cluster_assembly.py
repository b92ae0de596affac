"""What a node of a cluster has that a single one has not: the shared store, its seat, its membership.

Imported only where `muster.store` is set: everything here needs the database's driver.
"""

from __future__ import annotations

from asyncio import AbstractEventLoop
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast
from uuid import uuid4

from muster import __version__
from muster.extras import install_command
from muster.log.contract import LogStore, StorageError
from muster.runtime.changes_apart import ChangesApart
from muster.runtime.cluster_seat import ClusterLeaders, ClusterSeat
from muster.runtime.database_lane import DatabaseLane
from muster.runtime.node import Node
from muster.runtime.opening_apart import OpeningApart
from muster.runtime.reads_apart import ReadsApart
from muster.server.seat_documents import follow_documents
from muster.server.settings import Settings
from muster.topics.config_types import ConfigError

if TYPE_CHECKING:
    from muster.log.postgres.store import PostgresStore


def shared_store(settings: Settings) -> LogStore:
    """StorageError if the database cannot be used, ConfigError if the setting makes no sense."""
    url = settings.store_url
    if not url.startswith(("postgresql://", "postgres://")):
        raise ConfigError("muster.store: only postgresql://USER:PASSWORD@HOST:PORT/DATABASE is known")
    if settings.storage == "memory":
        raise ConfigError("muster.store and --memory exclude each other: a cluster keeps everything in its store")
    try:
        from muster.log.postgres.store import PostgresStore

        return PostgresStore(url, settings.node_id, patience_ms=settings.integer("muster.lease.ms"))
    except ImportError:
        raise ConfigError(f"muster.store: psycopg is not installed: {install_command('postgres')}") from None


def checked_cluster_id(settings: Settings, store: LogStore) -> str:
    kept = cast("PostgresStore", store).cluster_id
    if settings.cluster_id and settings.cluster_id != kept:
        raise ConfigError(
            f"the store belongs to cluster {kept}, not to {settings.cluster_id}: use another database or leave --cluster-id out"
        )
    return kept


def seat_of(node: Node, leaders: ClusterLeaders, loop: AbstractEventLoop) -> ClusterSeat:
    """The seat, without its membership: that needs the addresses on which the node listens."""
    store = cast("PostgresStore", node.broker.store)
    seat = ClusterSeat(node, leaders, loop, store.document_versions)
    store.on_connection_lost = seat.begin_anew
    seat.on_reachable = lambda is_reachable: store.set_reachable(is_reachable=is_reachable)

    tell = loop.call_soon_threadsafe
    opening = DatabaseLane(store.opener, tell, "muster-opens")
    reading = DatabaseLane(store.apart, tell, "muster-reads")
    seat.before_leading = OpeningApart(store, opening).prepare
    loads = ReadsApart(store.questions, opening)
    for coordinator in node.coordinators.values():
        coordinator.read_apart = loads.run_unhurried
    node.reads_apart = ReadsApart(store.questions, reading)
    node.marker_writer.read_apart = node.reads_apart.run_unhurried
    changes = node.changes.apart = ChangesApart(DatabaseLane(store.changes, tell, "muster-changes"), tell)

    def begin_to_serve() -> None:
        node.users.load()  # whoever asks for them later is answered from memory
        _ = node.quotas
        store.connect()
        store.questions.only_apart = True
        changes.begin()

    def end_threads() -> None:
        changes.close()
        opening.close()
        reading.close()

    seat.before_serving = begin_to_serve

    store.before_closing = end_threads
    follow_documents(seat, node)
    return seat


def join_cluster(node: Node, settings: Settings, endpoints: Mapping[str, tuple[str, int]]) -> None:
    """Give the seat its membership; `node.start` signs on."""
    from muster.cluster.membership import Membership
    from muster.cluster.ownership import Registration

    seat = node.cluster
    if seat is None:
        raise StorageError("this node was not made for a cluster")
    me = Registration(
        settings.node_id, uuid4(), endpoints, settings.rack, __version__, settings.integer("muster.lease.ms")
    )
    seat.membership = Membership(settings.store_url, me, seat.deliver, seat.on_alone)
