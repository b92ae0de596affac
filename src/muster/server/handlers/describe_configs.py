"""DescribeConfigs (32), versions 1 to 4: settings of topics and of this broker, and where each value comes from.

v1+ synonyms. v3+ type and documentation. Settings of groups, loggers and client metrics do not exist here: none are shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.call import Call
from muster.server.handlers.find_coordinator import DEFAULT_TEXTS
from muster.server.handlers.resource_types import ConfigResource, check_broker_name, check_right
from muster.server.setting_keys import TABLE
from muster.server.setting_sources import key_of
from muster.server.settings import Settings, settings_of
from muster.topics.config_types import ConfigKey, ConfigSource, ConfigType, text_of
from muster.topics.configs import ConfigEntry
from muster.topics.names import check_name
from muster.topics.refusal import TopicError
from muster.wire.errors import INVALID_REQUEST, NONE
from muster.wire.generated.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsRequestResource,
    DescribeConfigsResponse,
    DescribeConfigsResponseConfig,
    DescribeConfigsResponseResult,
    DescribeConfigsResponseSynonym,
)


def handle(call: Call, request: DescribeConfigsRequest, node: Node) -> None:
    call.reply(DescribeConfigsResponse(results=[_result(call, request, node, each) for each in request.resources]))


def _result(
    call: Call, request: DescribeConfigsRequest, node: Node, resource: DescribeConfigsRequestResource
) -> DescribeConfigsResponseResult:
    kind, name = resource.resource_type, resource.resource_name
    try:
        check_right(call, node, Operation.DESCRIBE_CONFIGS, kind, name)
        configs = _configs(request, node, resource)
    except TopicError as refused:
        return DescribeConfigsResponseResult(refused.code, refused.message or "", kind, name)
    # Not null where there is nothing to say, unlike the other APIs about configs.
    return DescribeConfigsResponseResult(NONE, "", kind, name, configs)


def _configs(
    request: DescribeConfigsRequest, node: Node, resource: DescribeConfigsRequestResource
) -> list[DescribeConfigsResponseConfig]:
    # Kafka: no names at all means every one, like null.
    only = resource.configuration_keys or None
    match resource.resource_type:
        case ConfigResource.TOPIC:
            check_name(resource.resource_name)
            entries = node.broker.describe_topic_configs(resource.resource_name, only)
            return [_topic_config(request, entry) for entry in entries]
        case ConfigResource.BROKER:
            check_broker_name(node, resource.resource_name)
            if not resource.resource_name:
                return []  # what is set for all brokers at run time: nothing can be
            settings = settings_of(node)
            return [
                _broker_config(request, settings, key)
                for key in _broker_keys(settings)
                if only is None or key.name in only
            ]
        case ConfigResource.BROKER_LOGGER | ConfigResource.CLIENT_METRICS | ConfigResource.GROUP:
            return []
        case _:
            raise TopicError(INVALID_REQUEST, DEFAULT_TEXTS[INVALID_REQUEST])


def _topic_config(request: DescribeConfigsRequest, entry: ConfigEntry) -> DescribeConfigsResponseConfig:
    synonyms = [DescribeConfigsResponseSynonym(each.name, each.value, each.source) for each in entry.synonyms]
    return DescribeConfigsResponseConfig(
        entry.name,
        entry.value,
        read_only=False,
        config_source=entry.source,
        is_sensitive=False,
        synonyms=synonyms if request.include_synonyms else (),
        config_type=entry.type,
        documentation=entry.doc if request.include_documentation else None,
    )


def _broker_keys(settings: Settings) -> Iterator[ConfigKey]:
    yield from TABLE
    for name in settings.names_for_one_listener():
        yield replace(key_of(name), name=name)


def _broker_config(
    request: DescribeConfigsRequest, settings: Settings, key: ConfigKey
) -> DescribeConfigsResponseConfig:
    is_set = key.name in settings.texts
    is_secret = key.type is ConfigType.PASSWORD
    return DescribeConfigsResponseConfig(
        key.name,
        None if is_secret or (key.default is None and not is_set) else settings.text(key.name),
        read_only=True,
        config_source=ConfigSource.STATIC_BROKER_CONFIG if is_set else ConfigSource.DEFAULT_CONFIG,
        is_sensitive=is_secret,
        synonyms=list(_broker_synonyms(settings, key)) if request.include_synonyms else (),
        config_type=key.type,
        documentation=key.doc if request.include_documentation else None,
    )


def _broker_synonyms(settings: Settings, key: ConfigKey) -> Iterator[DescribeConfigsResponseSynonym]:
    """The effective value first, then the default that it hides. A secret is not shown here either."""
    is_secret = key.type is ConfigType.PASSWORD
    if key.name in settings.texts:
        value = None if is_secret else settings.text(key.name)
        yield DescribeConfigsResponseSynonym(key.name, value, ConfigSource.STATIC_BROKER_CONFIG)
    if key.default is not None and not is_secret:
        yield DescribeConfigsResponseSynonym(key.name, text_of(key.default), ConfigSource.DEFAULT_CONFIG)
