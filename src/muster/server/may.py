"""May the one who calls do this? The authorizer's question in the words of the handlers (spec 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muster.security.resources import CLUSTER_NAME, Operation, ResourceType

if TYPE_CHECKING:
    from muster.runtime.node import Node
    from muster.server.call import Call


def may_use_group(call: Call, node: Node, operation: Operation, group_id: str) -> bool:
    return node.authorizer.allows(call.principal, call.host, operation, ResourceType.GROUP, group_id)


def may_use_topic(call: Call, node: Node, operation: Operation, topic: str) -> bool:
    return node.authorizer.allows(call.principal, call.host, operation, ResourceType.TOPIC, topic)


def may_use_cluster(call: Call, node: Node, operation: Operation) -> bool:
    return node.authorizer.allows(call.principal, call.host, operation, ResourceType.CLUSTER, CLUSTER_NAME)
