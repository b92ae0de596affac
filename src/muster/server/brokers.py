"""The nodes that a client is shown, with the addresses of the listener through which it came."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from muster.log.contract import NOBODY
from muster.runtime.node import Node
from muster.server.call import Call
from muster.server.settings import settings_of


class BrokerAddress(NamedTuple):
    node_id: int
    host: str
    port: int
    rack: str | None


def this_broker(call: Call, node: Node) -> BrokerAddress:
    return BrokerAddress(node.node_id, call.advertised.host, call.advertised.port, settings_of(node).rack)


def live_brokers(call: Call, node: Node) -> list[BrokerAddress]:
    """This node, or all of its cluster that have a listener of the same name, by id."""
    here = this_broker(call, node)
    if node.cluster is None:
        return [here]
    name = call.connection.door.address.name
    others = [
        BrokerAddress(entry.node_id, *entry.endpoints[name], entry.rack)
        for entry in node.cluster.view.nodes.values()
        if entry.node_id != node.node_id and name in entry.endpoints
    ]
    return sorted([here, *others])


def send_away_if_lost(call: Call, node: Node) -> None:
    """A node that has no place in its cluster tells what it knew last, and hangs up after that.

    librdkafka puts its questions to the node that it expects nothing else of. A node that is cut off is exactly that one, and
    would be asked again and again where the coordinator is, while those who know are not asked.
    """
    if node.cluster is not None:
        node.cluster.step_down_if_late()
        if not node.cluster.is_seated:
            # After the reply, which is still to be written.
            asyncio.get_running_loop().call_soon(call.connection.close_when_idle)


def controller_id(node: Node) -> int:
    """The node to which clients send what changes topics; any node would do it."""
    if node.cluster is None or node.cluster.view.controller_id == NOBODY:
        return node.node_id
    return node.cluster.view.controller_id


def coordinator_of(call: Call, node: Node, topic: str, key: str) -> BrokerAddress | None:
    """The live node that leads the partition of a group (`__consumer_offsets`) or of a transactional id (`__transaction_state`);
    None while nobody does."""
    leader_id = node.coordinator_id(topic, key)
    if leader_id == node.node_id:
        return this_broker(call, node)
    return next((broker for broker in live_brokers(call, node) if broker.node_id == leader_id), None)
