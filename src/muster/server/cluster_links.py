"""Lets a node of a cluster talk to the others: the cluster's secret, the listener through which nodes talk, a client for them.

Imported only in nodes of a cluster, workers among them.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import Final

from muster.runtime.node import Node
from muster.security.node_proof import shared_secret
from muster.server.door import Door
from muster.server.node_client import NodeClient
from muster.server.settings import Settings
from muster.topics.config_types import ConfigError

LISTENER_OF_NODES: Final = "inter.broker.listener.name"


def link_nodes(node: Node, settings: Settings, doors: Sequence[Door]) -> None:
    """Called before the node starts. ConfigError if there is no such listener, StorageError if the secret cannot be had."""
    seat = node.cluster
    assert seat is not None
    door = _door_of_nodes(settings, doors)
    name, tls = door.address.name, door.tls
    node.node_secret = shared_secret(node.broker.store, os.urandom)

    def address_of(node_id: int) -> tuple[str, int] | None:
        entry = seat.view.nodes.get(node_id)
        return None if entry is None else entry.endpoints.get(name)

    node.other_nodes = NodeClient(
        node.node_id,
        node.node_secret,
        address_of,
        None if tls is None else tls.client_context,
        asyncio.get_running_loop(),
    )


def _door_of_nodes(settings: Settings, doors: Sequence[Door]) -> Door:
    wanted = settings.text(LISTENER_OF_NODES)
    if not wanted:
        return doors[0]
    for door in doors:
        if door.address.name == wanted:
            return door
    known = ", ".join(door.address.name for door in doors)
    raise ConfigError(
        f"{settings.origin(LISTENER_OF_NODES)}: {LISTENER_OF_NODES}: there is no listener {wanted}, only {known}"
    )
