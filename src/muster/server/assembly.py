"""Puts a node together from the operator's settings: store, identity, broker, authorizer, clock.

The only place that knows all of them. Called once, inside the loop that will run it.
"""

from __future__ import annotations

import asyncio
import os
from uuid import uuid4

from muster.log.contract import LogStore
from muster.runtime.clock import Clock, SystemClock
from muster.runtime.node import Node
from muster.security.authorizer import AllowAll, Authorizer
from muster.server.endpoint import Endpoint
from muster.server.identity import claim, random_id
from muster.server.settings import Settings
from muster.topics.broker import Broker, BrokerConfig
from muster.topics.config_types import ConfigError


def assemble(settings: Settings, advertise: Endpoint, clock: Clock | None = None) -> Node:
    """A node that is ready to `start`. StorageError or ConfigError if the data directory cannot be had."""
    authorizer = _authorizer(settings)
    store = _open_store(settings)
    try:
        identity = claim(store, settings.node_id, settings.cluster_id, random_id)
        broker = Broker(store, _broker_config(settings, identity.cluster_id), os.urandom, settings.texts)
    except BaseException:
        store.close()
        raise
    loop = asyncio.get_running_loop()
    node = Node(settings, broker, clock or SystemClock(loop), loop, authorizer, lambda: str(uuid4()))
    node.advertise(advertise.host, advertise.port)
    return node


def _open_store(settings: Settings) -> LogStore:
    if settings.storage == "memory":
        from muster.log.memory import MemoryStore

        return MemoryStore()
    from muster.log.files import FileStore

    return FileStore(settings.data, settings.durability)


def _broker_config(settings: Settings, cluster_id: str) -> BrokerConfig:
    return BrokerConfig(
        node_id=settings.node_id,
        cluster_id=cluster_id,
        num_partitions=settings.integer("num.partitions"),
        default_replication_factor=settings.integer("default.replication.factor"),
        auto_create_topics=settings.boolean("auto.create.topics.enable"),
        delete_topic_enable=settings.boolean("delete.topic.enable"),
        fetch_max_bytes=settings.integer("fetch.max.bytes"),
        producer_id_expiration_ms=settings.integer("producer.id.expiration.ms"),
    )


def _authorizer(settings: Settings) -> Authorizer:
    path = settings.string("muster.rules")
    if not path:
        return AllowAll()
    from muster.security.rules import RuleError, authorizer_from_toml

    try:
        with open(path, encoding="utf-8") as file:
            return authorizer_from_toml(file.read(), path)
    except OSError as error:
        raise ConfigError(f"muster.rules: cannot read {path}: {error.strerror}") from None
    except (RuleError, UnicodeDecodeError) as error:
        raise ConfigError(f"muster.rules: {error}") from None
