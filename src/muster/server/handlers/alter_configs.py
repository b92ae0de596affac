"""AlterConfigs (33), versions 0 to 2: replace all settings of a topic. What is not named goes back to its default."""

from __future__ import annotations

from collections import Counter

from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.call import Call
from muster.server.handlers.resource_types import (
    ConfigResource,
    check_right,
    refuse_broker_change,
    tell_config_change,
    unsupported,
)
from muster.topics.refusal import TopicError
from muster.wire.errors import INVALID_REQUEST, NONE
from muster.wire.generated.alter_configs import (
    AlterConfigsRequest,
    AlterConfigsRequestResource,
    AlterConfigsResponse,
    AlterConfigsResponseResource,
)


def handle(call: Call, request: AlterConfigsRequest, node: Node) -> None:
    node.changes.request(call, lambda: _answer(call, request, node))


def _answer(call: Call, request: AlterConfigsRequest, node: Node) -> AlterConfigsResponse:
    times = Counter((each.resource_type, each.resource_name) for each in request.resources)
    responses = []
    for resource in request.resources:
        kind, name = resource.resource_type, resource.resource_name
        try:
            if times[kind, name] > 1:
                raise TopicError(INVALID_REQUEST, "Each resource must appear at most once.")
            check_right(call, node, Operation.ALTER_CONFIGS, kind, name)
            _replace(request, node, resource)
            if not request.validate_only:
                tell_config_change(call, node, kind, name, [config.name for config in resource.configs])
        except TopicError as refused:
            responses.append(AlterConfigsResponseResource(refused.code, refused.message, kind, name))
        else:
            responses.append(AlterConfigsResponseResource(NONE, None, kind, name))
    return AlterConfigsResponse(responses=responses)


def _replace(request: AlterConfigsRequest, node: Node, resource: AlterConfigsRequestResource) -> None:
    match resource.resource_type:
        case ConfigResource.TOPIC:
            configs = [(config.name, config.value) for config in resource.configs]
            node.broker.replace_topic_configs(resource.resource_name, configs, validate_only=request.validate_only)
        case ConfigResource.BROKER:
            refuse_broker_change(node, resource.resource_name, [config.name for config in resource.configs])
        case ConfigResource.GROUP:
            configs = [(config.name, config.value) for config in resource.configs]
            node.group_configs.replace(resource.resource_name, configs, validate_only=request.validate_only)
        case other:
            raise unsupported(other)
