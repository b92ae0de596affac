"""Questions about configuration of topics and brokers, and changing it. Called through `admin`."""

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
    """Where the value is from: `topic`, `broker`, `cluster default`, `broker file`, `default`."""
    read_only: bool
    is_sensitive: bool
    documentation: str | None = None


async def topic_configs(cluster: Cluster, topic: str, names: Sequence[str] | None = None) -> list[ConfigEntry]:
    """Every setting of a topic, or the named ones."""
    return await _configs(cluster, TOPIC, topic, names)


async def broker_configs(cluster: Cluster, node_id: int, names: Sequence[str] | None = None) -> list[ConfigEntry]:
    return await _configs(cluster, BROKER, str(node_id), names)


async def alter_topic_configs(
    cluster: Cluster,
    topic: str,
    values: Mapping[str, str] | None = None,
    *,
    remove: Sequence[str] = (),
    validate_only: bool = False,
) -> None:
    """Set some, put others back to their defaults, leave the rest (KIP-339)."""
    changes = [IncrementalAlterConfigsRequestConfig(name, _SET, value) for name, value in (values or {}).items()]
    changes += [IncrementalAlterConfigsRequestConfig(name, _DELETE, None) for name in remove]
    resource = IncrementalAlterConfigsRequestResource(TOPIC, topic, changes)

    async def attempt() -> None:
        reply: IncrementalAlterConfigsResponse = await cluster.ask_any(
            "IncrementalAlterConfigs", IncrementalAlterConfigsRequest([resource], validate_only)
        )
        for each in reply.responses:
            raise_for(each.error_code, f"change the configuration of topic {topic}", each.error_message)

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
        what = "broker" if kind == BROKER else "topic"
        raise_for(result.error_code, f"show the configuration of {what} {name}", result.error_message)
        return sorted((_entry(each) for each in result.configs), key=lambda each: each.name)

    return await cluster.persist(attempt)


def _entry(config: DescribeConfigsResponseConfig) -> ConfigEntry:
    source = SOURCES.get(config.config_source, f"source {config.config_source}")
    return ConfigEntry(
        config.name, config.value, source, config.read_only, config.is_sensitive, config.documentation or None
    )
