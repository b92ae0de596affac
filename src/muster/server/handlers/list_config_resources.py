"""ListConfigResources v0-1 (KIP-1142): what DescribeConfigs can be asked about. v0 lists client metrics alone, of which there are
none here; v1+ the types that are named, or all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.authorize import authorize_cluster
from muster.server.brokers import live_brokers
from muster.server.call import Call
from muster.server.handlers.resource_types import ConfigResource
from muster.server.reply_size import check_reply_bytes
from muster.wire.errors import CLUSTER_AUTHORIZATION_FAILED, NONE, UNSUPPORTED_VERSION
from muster.wire.generated.list_config_resources import (
    ListConfigResourcesRequest,
    ListConfigResourcesResponse,
    ListConfigResourcesResponseResource,
)

_ANY_TYPE_SINCE: Final = 1
_RESOURCE_BYTES: Final = 300
"""A resource with its name, about."""


def handle(call: Call, request: ListConfigResourcesRequest, node: Node) -> None:
    if not authorize_cluster(call, node, Operation.DESCRIBE_CONFIGS):
        call.reply(ListConfigResourcesResponse(error_code=CLUSTER_AUTHORIZATION_FAILED))
        return
    wanted = _types(call, request)
    if wanted is None:
        call.reply(ListConfigResourcesResponse(error_code=UNSUPPORTED_VERSION))
        return
    found: list[ListConfigResourcesResponseResource] = []
    for kind in wanted:
        for name in _names(call, node, kind):
            check_reply_bytes(_RESOURCE_BYTES * len(found))
            found.append(ListConfigResourcesResponseResource(name, kind))
    call.reply(ListConfigResourcesResponse(error_code=NONE, config_resources=found))


def _types(call: Call, request: ListConfigResourcesRequest) -> list[ConfigResource] | None:
    """Each once; None if there is one that does not exist."""
    if call.version < _ANY_TYPE_SINCE:
        return [ConfigResource.CLIENT_METRICS]
    known = sorted(ConfigResource, reverse=True)
    asked = set(request.resource_types) or set(known)
    return [kind for kind in known if kind in asked] if asked.issubset(known) else None


def _names(call: Call, node: Node, kind: ConfigResource) -> Iterator[str]:
    match kind:
        case ConfigResource.GROUP:
            yield from node.group_configs.groups
        case ConfigResource.TOPIC:
            for topic in node.broker.catalog.topics():
                yield topic.name
        case ConfigResource.BROKER | ConfigResource.BROKER_LOGGER:
            for broker in live_brokers(call, node):
                yield str(broker.node_id)
