"""Puts a node together from the operator's settings: store, identity, broker, authorizer, clock.

The only place that knows all of them. Called once, inside the loop that will run it.
"""

from __future__ import annotations

import asyncio
import logging
import os
from typing import TYPE_CHECKING

from muster.log.contract import LogStore
from muster.runtime.clock import Clock, SystemClock
from muster.runtime.cluster_seat import ClusterLeaders
from muster.runtime.node import Node
from muster.security.authorizer import AllowAll, Authorizer
from muster.server.endpoint import Endpoint
from muster.server.identity import claim, random_id, random_uuid_text
from muster.server.settings import Settings
from muster.topics.broker import Broker
from muster.topics.broker_config import BrokerConfig
from muster.topics.copying.mark import MARK, refuse_half_copy

if TYPE_CHECKING:
    from muster.security.acl_store import AclStore
    from muster.server.worker_assembly import WorkerStart

_log = logging.getLogger(__name__)


def assemble(
    settings: Settings, advertise: Endpoint, clock: Clock | None = None, worker: WorkerStart | None = None
) -> Node:
    """A node that is ready to `start`. StorageError or ConfigError if the data directory cannot be had.

    `worker`: this is one of several processes that share a data directory.
    """
    store = _open_store(settings, worker)
    try:
        refuse_half_copy("the database" if settings.store_url else settings.data, store.read_document(MARK))
        authorizer, acls = _authorization(settings, store)
        cluster_id = worker.place.cluster_id if worker is not None else _cluster_id(settings, store)
        leaders = _leaders(settings, worker)
        broker = Broker(store, broker_config(settings, cluster_id), os.urandom, settings.texts, leaders)
    except BaseException:
        store.close()
        raise
    loop = asyncio.get_running_loop()
    node = Node(settings, broker, clock or SystemClock(loop), loop, authorizer, random_uuid_text)
    node.acls = acls
    node.advertise(advertise.host, advertise.port)
    if worker is not None:
        from muster.server.worker_assembly import worker_seat

        node.cluster = worker_seat(node, worker, loop)
    elif leaders is not None:
        from muster.server.cluster_assembly import seat_of

        node.cluster = seat_of(node, leaders, loop)
    return node


def _leaders(settings: Settings, worker: WorkerStart | None) -> ClusterLeaders | None:
    """None: this node leads everything."""
    if worker is not None:
        from muster.runtime.worker_seat import WorkerLeaders

        return WorkerLeaders(worker.place)
    return ClusterLeaders(settings.node_id) if settings.store_url else None


def _open_store(settings: Settings, worker: WorkerStart | None) -> LogStore:
    if worker is not None:
        from muster.server.worker_assembly import worker_store

        return worker_store(settings, worker)
    if settings.store_url:
        from muster.server.cluster_assembly import shared_store

        return shared_store(settings)
    if settings.storage == "memory":
        from muster.log.memory import MemoryStore

        return MemoryStore()
    from muster.log.disk import real_disk
    from muster.log.files import FileStore

    return FileStore(settings.data, settings.durability, real_disk(group_readable=settings.is_data_group_readable))


def _cluster_id(settings: Settings, store: LogStore) -> str:
    if settings.store_url:
        from muster.server.cluster_assembly import checked_cluster_id

        return checked_cluster_id(settings, store)
    return claim(store, settings.node_id, settings.cluster_id, random_id).cluster_id


def broker_config(settings: Settings, cluster_id: str) -> BrokerConfig:
    return BrokerConfig(
        node_id=settings.node_id,
        cluster_id=cluster_id,
        num_partitions=settings.integer("num.partitions"),
        default_replication_factor=settings.integer("default.replication.factor"),
        auto_create_topics=settings.boolean("auto.create.topics.enable"),
        delete_topic_enable=settings.boolean("delete.topic.enable"),
        fetch_max_bytes=settings.integer("fetch.max.bytes"),
        producer_id_expiration_ms=settings.integer("producer.id.expiration.ms"),
        internal_topics_writable=settings.boolean("muster.internal.topics.writable"),
    )


def _authorization(settings: Settings, store: LogStore) -> tuple[Authorizer, AclStore | None]:
    if not settings.string("authorizer.class.name") and not settings.string("muster.rules"):
        for name in ("super.users", "allow.everyone.if.no.acl.found"):
            if name in settings.texts:
                _log.warning("%s has no effect: without authorizer.class.name everybody may do everything", name)
        return AllowAll(), None
    from muster.server.authorization import authorization_from

    return authorization_from(settings, store)
