"""Questions about configuration of topics, groups and brokers, and changing it. Called through `admin`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from muster.client.cluster import Cluster
from muster.client.failure import raise_for
from muster.wire.generated.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsRequestResource,
    DescribeConfigsResponse,
    DescribeConfigsResponseConfig,
)
from muster.wire.generated.incremental_alter_configs import (
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsRequestConfig,
    IncrementalAlterConfigsRequestResource,
    IncrementalAlterConfigsResponse,
)

TOPIC: Final = 2
BROKER: Final = 4
GROUP: Final = 32
_KINDS: Final = {TOPIC: "topic", BROKER: "broker", GROUP: "group"}
_SET: Final = 0
_DELETE: Final = 1
SOURCES: Final = {
    1: "topic",
    2: "broker",
    3: "cluster default",
    4: "broker file",
    5: "default",
    6: "broker logger",
    7: "client metrics",
    8: "group",
}


@dataclass(frozen=True, slots=True)
class ConfigEntry:
    name: str
    value: str | None
    """None if it is a secret, or not set."""
    source: str
    """Where the value is from: `topic`, `group`, `broker`, `cluster default`, `broker file`, `default`."""
    read_only: bool
    is_sensitive: bool
    documentation: str | None = None


async def topic_configs(cluster: Cluster, topic: str, names: Sequence[str] | None = None) -> list[ConfigEntry]:
    """Every setting of a topic, or the named ones."""
    return await _configs(cluster, TOPIC, topic, names)


async def broker_configs(cluster: Cluster, node_id: int, names: Sequence[str] | None = None) -> list[ConfigEntry]:
    return await _configs(cluster, BROKER, str(node_id), names)


async def group_configs(cluster: Cluster, group: str, names: Sequence[str] | None = None) -> list[ConfigEntry]:
    """Every setting that a group can have for itself, or the named ones. The group need not exist."""
    return await _configs(cluster, GROUP, group, names)


async def alter_topic_configs(
    cluster: Cluster,
    topic: str,
    values: Mapping[str, str] | None = None,
    *,
    remove: Sequence[str] = (),
    validate_only: bool = False,
) -> None:
    """Set some, put others back to their defaults, leave the rest (KIP-339)."""
    await _alter(cluster, TOPIC, topic, values, remove, validate_only)


async def alter_group_configs(
    cluster: Cluster,
    group: str,
    values: Mapping[str, str] | None = None,
    *,
    remove: Sequence[str] = (),
    validate_only: bool = False,
) -> None:
    """The same for a group; what is removed is the brokers' again."""
    await _alter(cluster, GROUP, group, values, remove, validate_only)


async def _alter(
    cluster: Cluster,
    kind: int,
    name: str,
    values: Mapping[str, str] | None,
    remove: Sequence[str],
    validate_only: bool,
) -> None:
    changes = [IncrementalAlterConfigsRequestConfig(key, _SET, value) for key, value in (values or {}).items()]
    changes += [IncrementalAlterConfigsRequestConfig(key, _DELETE, None) for key in remove]
    resource = IncrementalAlterConfigsRequestResource(kind, name, changes)

    async def attempt() -> None:
        reply: IncrementalAlterConfigsResponse = await cluster.ask_any(
            "IncrementalAlterConfigs", IncrementalAlterConfigsRequest([resource], validate_only)
        )
        for each in reply.responses:
            raise_for(each.error_code, f"change the configuration of {_KINDS[kind]} {name}", each.error_message)

    await cluster.persist(attempt)


async def _configs(cluster: Cluster, kind: int, name: str, keys: Sequence[str] | None) -> list[ConfigEntry]:
    resource = DescribeConfigsRequestResource(kind, name, None if keys is None else list(keys))
    request = DescribeConfigsRequest([resource], False, True)

    async def attempt() -> list[ConfigEntry]:
        # Only the broker itself knows its configuration.
        reply: DescribeConfigsResponse = await (
            cluster.ask_broker(int(name), "DescribeConfigs", request)
            if kind == BROKER
            else cluster.ask_any("DescribeConfigs", request)
        )
        (result,) = reply.results
        raise_for(result.error_code, f"show the configuration of {_KINDS[kind]} {name}", result.error_message)
        return sorted((_entry(each) for each in result.configs), key=lambda each: each.name)

    return await cluster.persist(attempt)


def _entry(config: DescribeConfigsResponseConfig) -> ConfigEntry:
    source = SOURCES.get(config.config_source, f"source {config.config_source}")
    return ConfigEntry(
        config.name, config.value, source, config.read_only, config.is_sensitive, config.documentation or None
    )
