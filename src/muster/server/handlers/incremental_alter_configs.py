"""IncrementalAlterConfigs (44), versions 0 and 1: set, delete, append to or subtract from single settings (KIP-339)."""

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
from muster.wire.generated.incremental_alter_configs import (
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsRequestResource,
    IncrementalAlterConfigsResponse,
    IncrementalAlterConfigsResponseResource,
)


def handle(call: Call, request: IncrementalAlterConfigsRequest, node: Node) -> None:
    node.changes.request(call, lambda: _answer(call, request, node))


def _answer(call: Call, request: IncrementalAlterConfigsRequest, node: Node) -> IncrementalAlterConfigsResponse:
    times = Counter((each.resource_type, each.resource_name) for each in request.resources)
    responses = []
    for resource in request.resources:
        kind, name = resource.resource_type, resource.resource_name
        try:
            if times[kind, name] > 1:
                raise TopicError(INVALID_REQUEST, "Each resource must appear at most once.")
            check_right(call, node, Operation.ALTER_CONFIGS, kind, name)
            _alter(request, node, resource)
            if not request.validate_only:
                tell_config_change(call, node, kind, name, [config.name for config in resource.configs])
        except TopicError as refused:
            responses.append(IncrementalAlterConfigsResponseResource(refused.code, refused.message, kind, name))
        else:
            responses.append(IncrementalAlterConfigsResponseResource(NONE, None, kind, name))
    return IncrementalAlterConfigsResponse(responses=responses)


def _alter(
    request: IncrementalAlterConfigsRequest, node: Node, resource: IncrementalAlterConfigsRequestResource
) -> None:
    match resource.resource_type:
        case ConfigResource.TOPIC:
            changes = [(config.name, config.config_operation, config.value) for config in resource.configs]
            node.broker.alter_topic_configs(resource.resource_name, changes, validate_only=request.validate_only)
        case ConfigResource.BROKER:
            refuse_broker_change(node, resource.resource_name, [config.name for config in resource.configs])
        case ConfigResource.GROUP:
            changes = [(config.name, config.config_operation, config.value) for config in resource.configs]
            node.group_configs.alter(resource.resource_name, changes, validate_only=request.validate_only)
        case other:
            raise unsupported(other)
