"""DescribeConfigs (32), versions 1 to 4: settings of topics, of groups and of this broker, and where each value comes from.

A resource that is listed several times is looked up once, and told as often. Deviates: not without end (`Repeats`).
v1+ synonyms. v3+ type and documentation. Settings of loggers and client metrics do not exist here: none are shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from muster.runtime.group_configs import GROUP_CONFIGS, broker_name
from muster.runtime.node import Node
from muster.security.resources import Operation
from muster.server.call import Call
from muster.server.handlers.find_coordinator import DEFAULT_TEXTS
from muster.server.handlers.resource_types import ConfigResource, check_broker_name, check_right
from muster.server.listener_keys import split_name
from muster.server.reply_size import Repeats, check_reply_bytes
from muster.server.setting_keys import TABLE
from muster.server.setting_sources import key_of
from muster.server.settings import Settings, settings_of
from muster.topics.config_table import SYNONYMS
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

_CONFIG_BYTES: Final = 400
"""A setting with its synonyms and its documentation, about."""
_SYNONYM_NAMES: Final = {
    name: names
    for names in (tuple(each.name for each in synonyms) for synonyms in SYNONYMS.values())
    if len(names) > 1
    for name in names
}
"""log.retention.ms, log.retention.minutes and log.retention.hours are one setting in three units, and so on."""


def handle(call: Call, request: DescribeConfigsRequest, node: Node) -> None:
    results: list[DescribeConfigsResponseResult] = []
    found: dict[object, DescribeConfigsResponseResult] = {}
    repeats = Repeats()
    size = 0
    for resource in request.resources:
        key = _key(resource)
        result = found.get(key)
        if result is None:
            result = found[key] = _result(call, request, node, resource)
        else:
            repeats.add(1 + len(result.configs))
            if result.resource_name != resource.resource_name:  # a broker's id, written in another way
                result = DescribeConfigsResponseResult(
                    result.error_code,
                    result.error_message,
                    result.resource_type,
                    resource.resource_name,
                    result.configs,
                )
        size += _CONFIG_BYTES * (1 + len(result.configs))
        check_reply_bytes(size)
        results.append(result)
    call.reply(DescribeConfigsResponse(results=results))


def _key(resource: DescribeConfigsRequestResource) -> object:
    """Equal for resources that are answered alike."""
    kind, name = resource.resource_type, resource.resource_name
    if kind == ConfigResource.BROKER and name.isdecimal():
        name = name.lstrip("0") or "0"
    return kind, name, frozenset(resource.configuration_keys or ())


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
    only = frozenset(resource.configuration_keys or ()) or None
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
        case ConfigResource.GROUP:
            return list(_group_configs(request, node, resource.resource_name, only))
        case ConfigResource.BROKER_LOGGER | ConfigResource.CLIENT_METRICS:
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


def _group_configs(
    request: DescribeConfigsRequest, node: Node, group_id: str, only: frozenset[str] | None
) -> Iterator[DescribeConfigsResponseConfig]:
    if not group_id:
        raise TopicError(INVALID_REQUEST, "Group name must not be empty")
    settings = settings_of(node)
    own = node.group_configs.groups.get(group_id, {})
    for key in GROUP_CONFIGS:
        if only is not None and key.name not in only:
            continue
        synonyms = list(_broker_synonyms(settings, (broker_name(key.name),)))
        if key.name in own:
            mine = DescribeConfigsResponseSynonym(key.name, own[key.name], ConfigSource.DYNAMIC_GROUP_CONFIG)
            synonyms.insert(0, mine)
        yield DescribeConfigsResponseConfig(
            key.name,
            synonyms[0].value,
            read_only=False,
            config_source=synonyms[0].source,
            is_sensitive=False,
            synonyms=synonyms if request.include_synonyms else (),
            config_type=key.type,
            documentation=key.doc if request.include_documentation else None,
        )


def _broker_keys(settings: Settings) -> Iterator[ConfigKey]:
    yield from (key for key in TABLE if not key.internal)
    for name in settings.names_for_one_listener():
        yield replace(key_of(name), name=name)


def _broker_config(
    request: DescribeConfigsRequest, settings: Settings, key: ConfigKey
) -> DescribeConfigsResponseConfig:
    names = _synonym_names(key.name)
    is_set = key.name in settings.texts
    is_secret = key.type is ConfigType.PASSWORD
    return DescribeConfigsResponseConfig(
        key.name,
        None if is_secret or (key.default is None and not is_set) else settings.text(key.name),
        read_only=True,
        # Of the first synonym that has a value: log.retention.ms is static where log.retention.hours was set.
        config_source=(
            ConfigSource.STATIC_BROKER_CONFIG
            if any(name in settings.texts for name in names)
            else ConfigSource.DEFAULT_CONFIG
        ),
        is_sensitive=is_secret,
        synonyms=list(_broker_synonyms(settings, names)) if request.include_synonyms else (),
        config_type=key.type,
        documentation=key.doc if request.include_documentation else None,
    )


def _synonym_names(name: str) -> tuple[str, ...]:
    """Settings that can give this one its value, the strongest first (Kafka 4.3.1: DynamicBrokerConfig.brokerConfigSynonyms)."""
    parts = split_name(name)
    if parts is not None:
        return name, parts[1]
    return _SYNONYM_NAMES.get(name, (name,))


def _broker_synonyms(settings: Settings, names: tuple[str, ...]) -> Iterator[DescribeConfigsResponseSynonym]:
    """What the operator set first, then the defaults that it hides. A secret is not shown here either."""
    keys = [replace(key_of(name), name=name) for name in names]
    for key in keys:
        if key.name in settings.texts:
            value = None if key.type is ConfigType.PASSWORD else settings.text(key.name)
            yield DescribeConfigsResponseSynonym(key.name, value, ConfigSource.STATIC_BROKER_CONFIG)
    for key in keys:
        if key.default is not None and key.type is not ConfigType.PASSWORD and split_name(key.name) is None:
            yield DescribeConfigsResponseSynonym(key.name, text_of(key.default), ConfigSource.DEFAULT_CONFIG)
