"""What configs belong to, as DescribeConfigs and the two AlterConfigs number it, and the checks that they share."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from muster.runtime.node import Node
from muster.security.audit import quoted
from muster.security.resources import Operation
from muster.server.authorize import authorize_cluster, authorize_group, authorize_topic, tell_change
from muster.server.call import Call
from muster.topics.refusal import TopicError
from muster.wire.errors import (
    CLUSTER_AUTHORIZATION_FAILED,
    GROUP_AUTHORIZATION_FAILED,
    INVALID_REQUEST,
    TOPIC_AUTHORIZATION_FAILED,
)

_MOST_ID_CHARS: Final = 11
"""Of a number of 32 bits with its sign."""


class ConfigResource(IntEnum):
    TOPIC = 2
    BROKER = 4
    BROKER_LOGGER = 8
    CLIENT_METRICS = 16
    GROUP = 32


def check_right(call: Call, node: Node, operation: Operation, resource_type: int, name: str) -> None:
    """TopicError if the one who calls may not do this to the configs of this resource."""
    if resource_type == ConfigResource.TOPIC:
        if not authorize_topic(call, node, operation, name):
            raise TopicError(TOPIC_AUTHORIZATION_FAILED, "Topic authorization failed.")
    elif resource_type == ConfigResource.GROUP:
        if not authorize_group(call, node, operation, name):
            raise TopicError(GROUP_AUTHORIZATION_FAILED, "Group authorization failed.")
    elif not authorize_cluster(call, node, operation):
        raise TopicError(CLUSTER_AUTHORIZATION_FAILED, "Cluster authorization failed.")


def check_broker_name(node: Node, name: str) -> None:
    """A broker's configs are asked of that broker by its id; the empty name stands for all brokers."""
    if name and (len(name) > _MOST_ID_CHARS or not name.removeprefix("-").isdecimal()):
        raise TopicError(INVALID_REQUEST, f"Broker id must be an integer, but it is: {name}")
    if name and int(name) != node.node_id:
        raise TopicError(
            INVALID_REQUEST, f"Unexpected broker id, expected {node.node_id} or empty string, but received {name}"
        )


def refuse_broker_change(node: Node, name: str, keys: list[str]) -> None:
    """Deviates: no broker setting can be changed while the server runs. Kafka says the same of its read-only ones."""
    check_broker_name(node, name)
    if keys:
        raise TopicError(INVALID_REQUEST, f"Cannot update these configs dynamically: {', '.join(sorted(keys))}")


def tell_config_change(call: Call, node: Node, resource_type: int, name: str, keys: list[str]) -> None:
    """Which settings, not what they are now."""
    kind = ConfigResource(resource_type).name.lower()
    tell_change(call, node, f"altered {', '.join(keys) or 'no settings'} of {kind} {quoted(name)}")


def unsupported(resource_type: int) -> TopicError:
    try:
        shown = ConfigResource(resource_type).name
    except ValueError:
        shown = f"UNKNOWN ({resource_type})"
    return TopicError(INVALID_REQUEST, f"Unsupported resource type: {shown}")
